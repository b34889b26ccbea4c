--- A part of a buffer, as it goes with a message.
local roots = require("pi.roots")

local api = vim.api

local M = {}

---@class pi.Selection
---@field attachment? pi.Attachment for a file
---@field text? string for a buffer that is no file: the lines themselves

---@param buf integer
---@param first integer
---@param last integer
---@return lsp.Range
local function line_range(buf, first, last)
  local count = api.nvim_buf_line_count(buf)
  if last < count then
    return { start = { line = first - 1, character = 0 }, ["end"] = { line = last, character = 0 } }
  end
  local line = api.nvim_buf_get_lines(buf, last - 1, last, true)[1]
  -- Bytes are the most that any encoding counts; past a line's end means its end.
  return {
    start = { line = first - 1, character = 0 },
    ["end"] = { line = last - 1, character = #line },
  }
end

--- The lines `first` to `last` (from 1) of a buffer.
---@param buf integer
---@param first integer
---@param last integer
---@return pi.Selection
function M.lines(buf, first, last)
  if roots.is_file(buf) then
    return {
      attachment = { uri = vim.uri_from_bufnr(buf), range = line_range(buf, first, last) },
    }
  end
  local lines = api.nvim_buf_get_lines(buf, first - 1, last, true)
  return { text = ("```%s\n%s\n```"):format(vim.bo[buf].filetype, table.concat(lines, "\n")) }
end

return M
