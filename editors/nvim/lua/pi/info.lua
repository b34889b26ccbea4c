--- What is looked up: keys, statistics, the log.
local notify = require("pi.notify")
local text = require("pi.text")

local api = vim.api

local M = {}

--- Ask for an API key and hand it to the server, which keeps it in memory only.
---@param chat pi.Chat
---@param provider string
function M.set_key(chat, provider)
  local ok, key = pcall(vim.fn.inputsecret, ("API key for %s: "):format(provider))
  if not ok or key == "" then
    return -- nothing was typed, or it was broken off
  end
  chat:request("pi/setApiKey", { provider = provider, key = key }, function()
    notify.say(("the key for %s is set until the server ends"):format(provider))
  end)
end

---@param stats table the result of pi/stats
---@return string[]
local function stats_lines(stats)
  local tokens = stats.tokens or {}
  local cost = type(stats.cost) == "table" and stats.cost.total or stats.cost or 0
  local lines = {
    (" your messages     %d"):format(stats.userMessages or 0),
    (" answers           %d"):format(stats.assistantMessages or 0),
    (" tool calls        %d"):format(stats.toolCalls or 0),
    (" tokens in         %s"):format(text.tokens(tokens.input or 0)),
    (" tokens out        %s"):format(text.tokens(tokens.output or 0)),
    (" read from cache   %s"):format(text.tokens(tokens.cacheRead or 0)),
    (" written to cache  %s"):format(text.tokens(tokens.cacheWrite or 0)),
    (" cost              $%.4f"):format(cost),
  }
  local context = stats.context
  if type(context) == "table" and context.tokens then
    lines[#lines + 1] = (" context           %s of %s (%d %%)"):format(
      text.tokens(context.tokens),
      text.tokens(context.window),
      math.floor((context.percent or 0) + 0.5)
    )
  end
  return lines
end

--- Show the session's figures in a float; leaving it closes it.
---@param chat pi.Chat
function M.show_stats(chat)
  chat:request("pi/stats", nil, function(stats)
    require("pi.buffers").show_float(stats_lines(stats), "this session", "editor")
  end)
end

--- Open the server's log in a window for files.
---@param chat pi.Chat
function M.open_log(chat)
  chat:request("pi/health", nil, function(health)
    local path = health.log
    if type(path) ~= "string" or vim.fn.filereadable(path) == 0 then
      path = vim.lsp.log.get_filename()
    end
    api.nvim_set_current_win(require("pi.layout").file_window())
    vim.cmd.edit(vim.fn.fnameescape(path))
    vim.cmd("normal! G")
  end)
end

return M
