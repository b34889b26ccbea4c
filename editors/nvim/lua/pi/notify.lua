--- What the person is told outside the chat.
local M = {}

---@param message string
---@param level? integer vim.log.levels
function M.say(message, level)
  vim.notify("pi: " .. message, level or vim.log.levels.INFO, { title = "pi" })
end

--- Say something in one line that fits the screen, so that it never stops the person with a prompt
--- to go on.
---@param message string
---@param level? integer
---@return boolean whole all of it was said
function M.aside(message, level)
  local line = vim.split(message, "\n", { plain = true })[1]
  local room = math.max(20, vim.o.columns - 18)
  if vim.fn.strdisplaywidth(line) > room then
    line = vim.fn.strcharpart(line, 0, room - 1) .. "…"
  end
  M.say(line, level)
  return line == message
end

--- Levels of errors by their code on the wire; all others are errors.
local levels = {
  busy = vim.log.levels.WARN,
  invalid_state = vim.log.levels.WARN,
  nothing_to_compact = vim.log.levels.INFO,
}

---@param err pi.Error
---@return boolean whole all of it was said
function M.error(err)
  local code = type(err.data) == "table" and err.data.code
  return M.aside(err.message, levels[code] or vim.log.levels.ERROR)
end

--- Fire a `User` autocommand for people's own configuration.
---@param pattern string
---@param data table
function M.user_event(pattern, data)
  vim.api.nvim_exec_autocmds("User", { pattern = pattern, modeline = false, data = data })
end

return M
