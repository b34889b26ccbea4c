--- pi in Neovim. `setup()` only sets options; the command `:Pi` and the `<Plug>` maps work without.
local M = {}

--- Set options; see `:help pi-options`.
---@param options? table a partial pi.Options
function M.setup(options)
  local config = require("pi.config")
  config.set(options)
  for _, chat in ipairs(require("pi.chats").all()) do
    chat.client:settings_changed()
  end
  if config.options.attach_on_open then
    M._attach_on_open()
  end
end

function M._attach_on_open()
  local group = vim.api.nvim_create_augroup("pi.attach", {})
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile" }, {
    group = group,
    desc = "pi: start the server with the first file of a folder",
    callback = function(args)
      local roots = require("pi.roots")
      if roots.is_file(args.buf) then
        require("pi.chats").of(roots.of(args.buf)):start()
      end
    end,
  })
end

--- For a statusline: what pi is doing here, and how full the context is. Empty when the chat of
--- this folder has not been opened.
---@return string
function M.status()
  local chat = require("pi.chats").present()
  if not chat then
    return ""
  end
  local winbar = require("pi.winbar")
  local parts = {}
  if #chat.questions > 0 then
    parts[1] = "pi asks"
  else
    local activity = winbar.activity(chat)
    parts[1] = activity == "" and "pi" or "pi " .. activity
  end
  local context = chat.state and winbar.context(chat.state) or ""
  if context ~= "" then
    parts[2] = context
  end
  return table.concat(parts, " · ")
end

--- Run a subcommand of `:Pi` from Lua: `require("pi").run("ask", "why?")`.
---@param name? string the chat is shown or hidden when nil
---@param text? string
function M.run(name, text)
  local arguments = vim.trim(("%s %s"):format(name or "", text or ""))
  require("pi.commands").run({ args = arguments, bang = false, range = 0, line1 = 0, line2 = 0 })
end

return M
