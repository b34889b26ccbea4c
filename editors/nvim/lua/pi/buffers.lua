--- The plugin's own buffers, and the keys in them.
local config = require("pi.config")

local api = vim.api

local M = {}

--- A name for a buffer that no other buffer has: `pi://project/transcript`.
---@param kind string
---@param root string
---@return string
local function free_name(kind, root)
  local name = ("pi://%s/%s"):format(vim.fs.basename(root), kind)
  local number = 1
  local candidate = name
  while vim.fn.bufexists(candidate) == 1 do
    number = number + 1
    candidate = ("%s-%d"):format(name, number)
  end
  return candidate
end

--- A buffer of ours: never listed, never written, kept while it is hidden.
---@param kind string `transcript`, `input`, `queue`, `tree`, `approval`
---@param root string the folder
---@return integer
function M.create(kind, root)
  local buf = api.nvim_create_buf(false, true)
  api.nvim_buf_set_name(buf, free_name(kind, root))
  vim.bo[buf].buftype = "nofile"
  vim.bo[buf].bufhidden = "hide"
  vim.bo[buf].swapfile = false
  vim.bo[buf].undolevels = kind == "input" and vim.bo[buf].undolevels or -1
  vim.bo[buf].modifiable = kind == "input"
  vim.bo[buf].filetype = "pi-" .. kind
  vim.b[buf].pi_root = root
  return buf
end

--- Fill a buffer of ours that people cannot change.
---@param buf integer
---@param lines string[]
function M.set_lines(buf, lines)
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, 0, -1, true, lines)
  vim.bo[buf].modifiable = false
end

--- The keys of an action as the options give them: `i:` or `n:` before a key is its mode.
---@param keys string|string[]|false|nil
---@param modes string[] for a key without a mode
---@return [string, string[]][] key and its modes
local function parse(keys, modes)
  local parsed = {}
  for _, key in ipairs(type(keys) == "table" and keys or { keys or nil }) do
    local mode, rest = key:match("^([ni]):(.+)$")
    parsed[#parsed + 1] = { rest or key, mode and { mode } or modes }
  end
  return parsed
end

--- Map the keys of a part to what its actions do.
---@param buf integer
---@param part "input"|"transcript"|"queue"|"approval"|"tree"
---@param actions table<string, [fun(), string]> action → function and description
---@param modes? string[]
function M.map(buf, part, actions, modes)
  for name, action in pairs(actions) do
    for _, key in ipairs(parse(config.options.keys[part][name], modes or { "n" })) do
      vim.keymap.set(key[2], key[1], action[1], {
        buffer = buf,
        nowait = true,
        silent = true,
        desc = "pi: " .. action[2],
      })
    end
  end
end

--- Show some lines in a float, until it is left.
---@param lines string[]
---@param title string
---@param relative "cursor"|"editor"
function M.show_float(lines, title, relative)
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "wipe"
  M.set_lines(buf, lines)
  local width = vim.fn.strdisplaywidth(title) + 2
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  local in_editor = relative == "editor"
  local win = api.nvim_open_win(buf, true, {
    relative = relative,
    row = in_editor and math.max(0, math.floor((vim.o.lines - #lines) / 2) - 2) or 1,
    col = in_editor and math.max(0, math.floor((vim.o.columns - width) / 2) - 1) or 0,
    width = width,
    height = #lines,
    style = "minimal",
    border = "rounded",
    title = (" %s "):format(title),
  })
  vim.wo[win].winhighlight = "NormalFloat:Normal"
  for _, key in ipairs({ "q", "<Esc>", "g?" }) do
    vim.keymap.set("n", key, "<Cmd>close<CR>", { buffer = buf, nowait = true })
  end
  api.nvim_create_autocmd("WinLeave", {
    buffer = buf,
    once = true,
    callback = function()
      if api.nvim_win_is_valid(win) then
        api.nvim_win_close(win, true)
      end
    end,
  })
end

--- Show the keys of a buffer of ours in a float.
---@param buf integer
function M.show_keys(buf)
  local seen, lines = {}, {}
  for _, mode in ipairs({ "n", "i" }) do
    for _, map in ipairs(api.nvim_buf_get_keymap(buf, mode)) do
      local description = (map.desc or ""):match("^pi: (.+)$")
      if description and not seen[map.lhs .. description] then
        seen[map.lhs .. description] = true
        lines[#lines + 1] = (" %-8s %s "):format(map.lhs, description)
      end
    end
  end
  table.sort(lines)
  M.show_float(lines, "keys", "cursor")
end

return M
