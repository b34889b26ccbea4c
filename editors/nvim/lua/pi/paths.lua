--- Paths in what pi says: `src/parse.py`, `src/parse.py:12`, `src/parse.py:12:4`, `#L12`.
local layout = require("pi.layout")
local notify = require("pi.notify")

local api = vim.api

local M = {}

-- What may stand in a path; quotes, brackets and backticks end it.
local path_pattern = "[%w%._%-/~@%+\\:#]+"

---@class pi.Place
---@field path string
---@field line? integer from 1
---@field column? integer from 1

---@param word string
---@return pi.Place
function M.parse(word)
  word = word:gsub("[%.,;:]+$", "")
  local path, line, column = word:match("^(.-):(%d+):(%d+)$")
  if not path then
    path, line = word:match("^(.-):(%d+)%-?%d*$")
  end
  if not path then
    path, line = word:match("^(.-)#L(%d+)")
  end
  return { path = path or word, line = tonumber(line), column = tonumber(column) }
end

--- The words of a line that look like paths, with where they stand.
---@param line string
---@return { first: integer, last: integer, word: string }[] bytes, from 1
local function words(line)
  local found, from = {}, 1
  while true do
    local first, last = line:find(path_pattern, from)
    if not first then
      return found
    end
    found[#found + 1] = { first = first, last = last, word = line:sub(first, last) }
    from = last + 1
  end
end

--- The file that a word means, if there is one.
---@param root string
---@param word string
---@return pi.Place?
function M.resolve(root, word)
  local place = M.parse((word:gsub("^@", "")))
  local path = vim.fs.normalize(place.path)
  local is_absolute = vim.startswith(path, "/") or path:match("^%a:/") ~= nil
  local full = is_absolute and path or vim.fs.joinpath(root, path)
  local stat = vim.uv.fs_stat(full)
  if stat and stat.type == "file" then
    place.path = full
    return place
  end
end

--- Open a file at its line, in a window for files.
---@param place pi.Place
function M.open(place)
  api.nvim_set_current_win(layout.file_window())
  vim.cmd.edit(vim.fn.fnameescape(place.path))
  if place.line then
    local line = math.min(place.line, api.nvim_buf_line_count(0))
    api.nvim_win_set_cursor(0, { line, math.max((place.column or 1) - 1, 0) })
    vim.cmd("normal! zv")
  end
end

--- Open the path under the cursor, else the first one on the line.
---@param root string
function M.open_at_cursor(root)
  local line = api.nvim_get_current_line()
  local column = api.nvim_win_get_cursor(0)[2] + 1
  local first_place
  for _, found in ipairs(words(line)) do
    local place = M.resolve(root, found.word)
    if place and column >= found.first and column <= found.last then
      M.open(place)
      return
    end
    first_place = first_place or place
  end
  if first_place then
    M.open(first_place)
  else
    notify.say("no file is named here", vim.log.levels.WARN)
  end
end

return M
