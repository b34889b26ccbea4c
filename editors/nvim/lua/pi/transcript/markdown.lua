--- Markdown in a part of a buffer, highlighted by treesitter. Each text is parsed for itself, so
--- that a code fence that one answer left open never spills into what follows.
local api = vim.api

local M = {}

local markdown_ns = api.nvim_create_namespace("pi.markdown")
local base_priority = 100
local unshown = { spell = true, nospell = true, conceal = true }

---@param buf integer
---@param row integer row of the text's first line
---@param range Range6
---@param group string
---@param priority integer
---@param conceal? string
local function mark(buf, row, range, group, priority, conceal)
  api.nvim_buf_set_extmark(buf, markdown_ns, row + range[1], range[2], {
    end_row = row + range[4],
    end_col = range[5],
    hl_group = group,
    priority = priority,
    conceal = conceal,
    strict = false,
  })
end

---@param buf integer
---@param row integer
---@param text string
---@param tree TSTree
---@param language string
---@param depth integer 0 for the Markdown itself, 1 for what is inside it
local function highlight_tree(buf, row, text, tree, language, depth)
  local query = vim.treesitter.query.get(language, "highlights")
  if not query then
    return
  end
  for id, node, metadata in query:iter_captures(tree:root(), text, 0, -1) do
    local capture = query.captures[id]
    if capture:sub(1, 1) ~= "_" then
      local own = metadata[id] or {}
      -- Fences stay to be seen: without them a block of code has no edges.
      local conceal = not (metadata.conceal_lines or own.conceal_lines)
        and (own.conceal or metadata.conceal)
      local group = not unshown[capture] and ("@%s.%s"):format(capture, language)
      if group or conceal then
        local priority = tonumber(own.priority or metadata.priority) or base_priority
        local range = vim.treesitter.get_range(node, text, own)
        mark(buf, row, range, group or nil, priority + depth, conceal or nil)
      end
    end
  end
end

--- Highlight a text.
---@param buf integer
---@param row integer row of its first line
---@param lines string[]
local function highlight(buf, row, lines)
  local text = table.concat(lines, "\n") .. "\n"
  local found, parser = pcall(vim.treesitter.get_string_parser, text, "markdown")
  if not found then
    return -- a Neovim built without parsers: plain text is what there is
  end
  parser:parse(true)
  parser:for_each_tree(function(tree, language_tree)
    local language = language_tree:lang()
    highlight_tree(buf, row, text, tree, language, language == "markdown" and 0 or 1)
  end)
end

--- How many of these lines no later line can change: up to the last blank line that stands outside
--- a fence and before a line that begins a new paragraph.
---@param lines string[]
---@return integer
local function settled_lines(lines)
  local fence, settled
  for index, line in ipairs(lines) do
    local marker = line:match("^%s*(```+)") or line:match("^%s*(~~~+)")
    if marker and not fence then
      fence = marker
    elseif marker and marker:sub(1, #fence) == fence and line:match("^%s*[`~]+%s*$") then
      fence = nil
    elseif not fence and line == "" and (lines[index + 1] or ""):match("^%S") then
      settled = index
    end
  end
  return settled or 0
end

-- Lines that are highlighted in one go, unless a block of code is longer.
local slice_lines = 80

--- Highlight the next slice of a text that grows at its end, or that is long.
---@param buf integer
---@param first integer row where the slice begins
---@param stop integer the row after the text's last
---@return integer settled lines of the slice that no later line can change
---@return boolean at_end the slice went up to the text's last line
function M.paint(buf, first, stop)
  local count = slice_lines
  local lines, settled, at_end
  repeat
    lines = api.nvim_buf_get_lines(buf, first, math.min(first + count, stop), true)
    settled = settled_lines(lines)
    at_end = first + #lines == stop
    count = count * 2
  until settled > 0 or at_end
  if not at_end then
    lines = vim.list_slice(lines, 1, settled)
  end
  api.nvim_buf_clear_namespace(buf, markdown_ns, first, first + #lines)
  highlight(buf, first, lines)
  return settled, at_end
end

return M
