--- The buffer under the transcript, as a list of blocks: a block is some lines and the blank line
--- after them. Blocks are appended, prepended, rewritten and removed in place, so that only what
--- changed is drawn again; windows at the end follow, others stay where they are. What a block
--- says is not known here.
local folds = require("pi.transcript.folds")
local look = require("pi.transcript.look")

local api = vim.api

local position_ns = api.nvim_create_namespace("pi.blocks")
local top_ns = api.nvim_create_namespace("pi.top")

---@class pi.Block
---@field mark integer extmark over all its lines, the blank one included
---@field kind string
---@field foldable boolean
---@field lead integer blank lines before its text
---@field markdown? integer
---@field painted? integer lines of its Markdown whose highlights are final
---@field head? [string, string][] its first line, for when it is folded
---@field [string] any what the caller put there

---@class pi.Canvas
---@field buf integer
---@field blocks pi.Block[] from the top
---@field by_mark table<integer, pi.Block>
---@field following integer? nesting of `change`
local Canvas = {}
Canvas.__index = Canvas

---@type table<integer, pi.Canvas>
local by_buffer = {}

---@param buf integer
---@return pi.Canvas
function Canvas.new(buf)
  local self = setmetatable({ buf = buf, blocks = {}, by_mark = {} }, Canvas)
  by_buffer[buf] = self
  return self
end

--- The line of a closed fold, for 'foldtext': the block's first line as it looks when it is open.
---@return [string, string][]
function Canvas.foldtext()
  local canvas = by_buffer[api.nvim_get_current_buf()]
  local block = canvas and canvas:block_at(vim.v.foldstart - 1)
  return block and block.head or { { vim.fn.getline(vim.v.foldstart), "Normal" } }
end

--- The windows whose view should follow the end.
---@return integer[]
function Canvas:followers()
  local last = api.nvim_buf_line_count(self.buf)
  local current = api.nvim_get_current_win()
  local windows = {}
  for _, win in ipairs(vim.fn.win_findbuf(self.buf)) do
    local at_end
    if win == current then
      local row = api.nvim_win_get_cursor(win)[1]
      at_end = row == last or vim.fn.foldclosedend(row) == last
    else
      at_end = vim.fn.line("w$", win) >= last
    end
    if at_end then
      windows[#windows + 1] = win
    end
  end
  return windows
end

--- Run a change of the text: allowed, and followed by the windows that are at the end.
---@generic T
---@param change fun(): T
---@return T
function Canvas:change(change)
  if self.following then
    return change()
  end
  local windows = self:followers()
  self.following = #windows
  vim.bo[self.buf].modifiable = true
  local ok, result = pcall(change)
  vim.bo[self.buf].modifiable = false
  self.following = nil
  local last = api.nvim_buf_line_count(self.buf)
  for _, win in ipairs(windows) do
    api.nvim_win_set_cursor(win, { last, 0 })
  end
  if not ok then
    error(result, 0)
  end
  return result
end

--- The rows of a block, from 0: its first line, and the blank one that ends it.
---@param block pi.Block
---@return integer first
---@return integer last
function Canvas:rows(block)
  local mark = api.nvim_buf_get_extmark_by_id(self.buf, position_ns, block.mark, { details = true })
  return mark[1], mark[3].end_row
end

---@param row integer from 0
---@return pi.Block?
function Canvas:block_at(row)
  local marks = api.nvim_buf_get_extmarks(
    self.buf,
    position_ns,
    { row, -1 },
    { 0, 0 },
    { limit = 1 }
  )
  return marks[1] and self.by_mark[marks[1][1]]
end

---@param block pi.Block
---@param first integer row
---@param last integer row of the blank line that ends it
function Canvas:_mark(block, first, last)
  block.mark = api.nvim_buf_set_extmark(self.buf, position_ns, first, 0, {
    id = block.mark,
    end_row = last,
    end_col = 0,
    right_gravity = true,
    end_right_gravity = true,
  })
  self.by_mark[block.mark] = block
end

---@param row integer where the block begins
---@param rendered pi.Rendered
---@param block pi.Block
function Canvas:_place(row, rendered, block)
  block.foldable = rendered.foldable or false
  block.markdown = rendered.markdown
  block.head = rendered.foldable and look.head(rendered) or nil
  self:_mark(block, row, row + block.lead + #rendered.lines)
  look.set(self.buf, row + block.lead, rendered)
end

--- Close a fold over each of these row ranges, in every window that shows the buffer.
---@param ranges [integer, integer][] rows from 0
function Canvas:_fold(ranges)
  if #ranges == 0 then
    return
  end
  for _, win in ipairs(vim.fn.win_findbuf(self.buf)) do
    folds.close(win, ranges)
  end
end

--- Make all folds of a window anew, closed; for a window that has just been opened.
---@param win integer
function Canvas:fold_window(win)
  local ranges = {}
  for _, block in ipairs(self.blocks) do
    if block.foldable then
      local first, last = self:rows(block)
      ranges[#ranges + 1] = { first + block.lead, last }
    end
  end
  folds.renew(win, ranges)
end

--- Change the text of a block. Its mark (which an edit at its first column pushes away) and its
--- fold, open or closed as it was, cover all of it again afterwards.
---@param block pi.Block
---@param edit fun(first: integer, last: integer) takes the block's rows
function Canvas:_edit(block, edit)
  self:change(function()
    local first, last = self:rows(block)
    local before = api.nvim_buf_line_count(self.buf)
    local windows = block.foldable and vim.fn.win_findbuf(self.buf) or {}
    local open = {}
    for _, win in ipairs(windows) do
      open[win] = folds.is_open(win, first + block.lead)
    end
    edit(first, last)
    last = last + api.nvim_buf_line_count(self.buf) - before
    self:_mark(block, first, last)
    for _, win in ipairs(windows) do
      folds.mend(win, { first + block.lead, last }, open[win])
    end
  end)
end

---@class pi.NewBlock
---@field rendered pi.Rendered
---@field block table its kind, and what else the caller wants to find on it

--- Put blocks at the end (or, with `at_top`, before all others).
---@param items pi.NewBlock[]
---@param at_top? boolean
function Canvas:insert(items, at_top)
  if #items == 0 then
    return
  end
  self:change(function()
    local row = at_top and 1 or api.nvim_buf_line_count(self.buf)
    local previous = not at_top and self.blocks[#self.blocks] or nil
    local lines, places, ranges = {}, {}, {}
    for _, item in ipairs(items) do
      local rendered, block = item.rendered, item.block
      block.lead = previous and previous.foldable and not rendered.foldable and 1 or 0
      block.foldable = rendered.foldable or false
      places[#places + 1] = row + #lines
      if block.lead == 1 then
        lines[#lines + 1] = ""
      end
      local first = row + #lines
      vim.list_extend(lines, rendered.lines)
      lines[#lines + 1] = ""
      if rendered.foldable then
        ranges[#ranges + 1] = { first, row + #lines - 1 }
      end
      previous = block
    end
    if at_top and previous.foldable and self.blocks[1] and not self.blocks[1].foldable then
      lines[#lines + 1] = ""
    end
    api.nvim_buf_set_lines(self.buf, row, row, true, lines)
    local blocks = {}
    for index, item in ipairs(items) do
      self:_place(places[index], item.rendered, item.block)
      blocks[index] = item.block
    end
    self.blocks = at_top and vim.list_extend(blocks, self.blocks)
      or vim.list_extend(self.blocks, blocks)
    self:_fold(ranges)
  end)
end

---@param rendered pi.Rendered
---@param block table
---@return pi.Block
function Canvas:append(rendered, block)
  self:insert({ { rendered = rendered, block = block } })
  return block
end

--- Draw a block again. A fold keeps its state.
---@param block pi.Block
---@param rendered pi.Rendered
function Canvas:replace(block, rendered)
  self:_edit(block, function(first, last)
    look.clear(self.buf, first, last + 1)
    api.nvim_buf_set_lines(self.buf, first + block.lead, last, true, rendered.lines)
    self:_place(first, rendered, block)
  end)
end

--- Draw only the first line of a block again; what follows it stays as it is.
---@param block pi.Block
---@param rendered pi.Rendered only its first line is looked at
function Canvas:replace_head(block, rendered)
  self:_edit(block, function(first)
    local row = first + block.lead
    look.clear(self.buf, row, row + 1)
    local head = vim.tbl_extend("force", rendered, { lines = { rendered.lines[1] } })
    head.spans = vim.tbl_filter(function(span)
      return span.row == 0
    end, rendered.spans or {})
    if api.nvim_buf_get_lines(self.buf, row, row + 1, true)[1] ~= head.lines[1] then
      api.nvim_buf_set_lines(self.buf, row, row + 1, true, head.lines)
    end
    look.set(self.buf, row, head)
    block.head = rendered.foldable and look.head(rendered) or nil
  end)
end

--- Put text at the end of a block's text.
---@param block pi.Block
---@param text string
---@param group? string for the added lines
function Canvas:append_text(block, text, group)
  self:_edit(block, function(_, last)
    local row = last - 1
    local col = #api.nvim_buf_get_lines(self.buf, row, row + 1, true)[1]
    local lines = vim.split(text, "\n", { plain = true })
    api.nvim_buf_set_text(self.buf, row, col, row, col, lines)
    if group then
      look.colour(self.buf, { row, col }, { row + #lines, 0 }, group)
    end
  end)
end

--- Take blocks away.
---@param blocks pi.Block[]
function Canvas:remove(blocks)
  local gone = {}
  self:change(function()
    for _, block in ipairs(blocks) do
      local first, last = self:rows(block)
      look.clear(self.buf, first, last + 1)
      api.nvim_buf_del_extmark(self.buf, position_ns, block.mark)
      api.nvim_buf_set_lines(self.buf, first, last + 1, true, {})
      self.by_mark[block.mark] = nil
      gone[block] = true
    end
  end)
  self.blocks = vim.tbl_filter(function(block)
    return not gone[block]
  end, self.blocks)
end

--- Empty the buffer but for its first line, which belongs to no block.
function Canvas:clear()
  self:change(function()
    look.clear(self.buf, 0, -1)
    api.nvim_buf_clear_namespace(self.buf, position_ns, 0, -1)
    api.nvim_buf_set_lines(self.buf, 0, -1, true, { "" })
  end)
  self.blocks, self.by_mark = {}, {}
end

--- Say something in the first line, and under it.
---@param line string
---@param under? [string, string][][] virtual lines
function Canvas:set_top(line, under)
  self:change(function()
    api.nvim_buf_clear_namespace(self.buf, top_ns, 0, 1)
    api.nvim_buf_set_lines(self.buf, 0, 1, true, { line })
    api.nvim_buf_set_extmark(self.buf, top_ns, 0, 0, {
      end_row = 0,
      end_col = #line,
      hl_group = "PiRule",
      virt_lines = under,
    })
  end)
end

return Canvas
