--- How the lines of a block look: the groups of their parts, signs, what stands behind them.
local api = vim.api
local look_ns = api.nvim_create_namespace("pi.look")

-- Below what treesitter finds in code.
local span_priority = 90

local M = {}

---@class pi.Span
---@field row integer from the block's first line
---@field col integer bytes
---@field end_col? integer bytes; the end of the line when nil
---@field group string

---@class pi.Rendered
---@field lines string[] at least one
---@field spans? pi.Span[]
---@field eol? [string, string][] virtual text after the first line
---@field sign? [string, string] text and group
---@field sign_all? boolean the sign stands on every line
---@field line_group? string background of all lines
---@field markdown? integer first row (from 0) of what is Markdown, up to the last line
---@field foldable? boolean closed to its first line until somebody opens it

--- Colour some text.
---@param buf integer
---@param from [integer, integer] row and column
---@param to [integer, integer]
---@param group string
function M.colour(buf, from, to, group)
  api.nvim_buf_set_extmark(buf, look_ns, from[1], from[2], {
    end_row = to[1],
    end_col = to[2],
    hl_group = group,
    priority = span_priority,
  })
end

--- Give a block's lines their look.
---@param buf integer
---@param first integer row of the first line of text
---@param rendered pi.Rendered
function M.set(buf, first, rendered)
  local last = first + #rendered.lines - 1
  for _, span in ipairs(rendered.spans or {}) do
    local row = first + span.row
    local to = span.end_col and { row, span.end_col } or { row + 1, 0 }
    M.colour(buf, { row, span.col }, to, span.group)
  end
  if rendered.sign or rendered.eol then
    api.nvim_buf_set_extmark(buf, look_ns, first, 0, {
      end_row = rendered.sign_all and last or nil,
      sign_text = rendered.sign and rendered.sign[1],
      sign_hl_group = rendered.sign and rendered.sign[2],
      virt_text = rendered.eol,
      virt_text_pos = rendered.eol and "eol",
    })
  end
  if rendered.line_group then
    api.nvim_buf_set_extmark(buf, look_ns, first, 0, {
      end_row = last,
      line_hl_group = rendered.line_group,
    })
  end
end

--- The first line of a block as pieces of text with their groups.
---@param rendered pi.Rendered
---@return [string, string][]
function M.head(rendered)
  local line, pieces, from = rendered.lines[1], {}, 0
  for _, span in ipairs(rendered.spans or {}) do
    if span.row == 0 then
      pieces[#pieces + 1] = { line:sub(from + 1, span.col), "Normal" }
      pieces[#pieces + 1] = { line:sub(span.col + 1, span.end_col or -1), span.group }
      from = span.end_col or #line
    end
  end
  pieces[#pieces + 1] = { line:sub(from + 1), "Normal" }
  return vim.list_extend(pieces, rendered.eol or {})
end

--- Take the look away from some rows.
---@param buf integer
---@param first integer
---@param stop integer the row after the last; -1 for the end of the buffer
function M.clear(buf, first, stop)
  api.nvim_buf_clear_namespace(buf, look_ns, first, stop)
end

return M
