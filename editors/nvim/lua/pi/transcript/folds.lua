--- Folds of a window, made by hand: the other methods do not fold while somebody types in another
--- window. Rows count from 0.
local api = vim.api

local M = {}

---@alias pi.Rows [integer, integer] first and last row

---@param rows pi.Rows
local function close(rows)
  vim.cmd(("%d,%dfold"):format(rows[1] + 1, rows[2] + 1))
end

--- Close a fold over each of these ranges.
---@param win integer
---@param ranges pi.Rows[]
function M.close(win, ranges)
  api.nvim_win_call(win, function()
    for _, rows in ipairs(ranges) do
      close(rows)
    end
  end)
end

--- Remove all folds and make these, closed.
---@param win integer
---@param ranges pi.Rows[]
function M.renew(win, ranges)
  api.nvim_win_call(win, function()
    vim.cmd("normal! zE")
  end)
  M.close(win, ranges)
end

---@param win integer
---@param row integer
---@return boolean
function M.is_open(win, row)
  return api.nvim_win_call(win, function()
    return vim.fn.foldclosed(row + 1) == -1
  end)
end

--- Whether the fold in the current window covers these rows and is as open as it should be.
---@param rows pi.Rows
---@param open boolean
---@return boolean
local function is_whole(rows, open)
  local first, last = rows[1] + 1, rows[2] + 1
  if open then
    return vim.fn.foldclosed(first) == -1
      and vim.fn.foldlevel(first) == 1
      and vim.fn.foldlevel(last) == 1
  end
  return vim.fn.foldclosed(first) == first and vim.fn.foldclosedend(first) == last
end

--- Make a fold cover all of its rows again: an edit of its first line has cut it short.
---@param win integer
---@param rows pi.Rows
---@param open boolean
function M.mend(win, rows, open)
  api.nvim_win_call(win, function()
    if is_whole(rows, open) then
      return
    end
    local view = vim.fn.winsaveview()
    for row = rows[1] + 1, rows[2] + 1 do
      if vim.fn.foldlevel(row) > 0 then
        api.nvim_win_set_cursor(win, { row, 0 })
        vim.cmd("normal! zD")
      end
    end
    close(rows)
    if open then
      vim.cmd(("%dfoldopen"):format(rows[1] + 1))
    end
    vim.fn.winrestview(view)
  end)
end

return M
