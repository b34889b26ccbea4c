--- The answer that streams: its parts by content index, and the pieces that have not been drawn
--- yet. Pieces are gathered and drawn together, a few dozen times a second at most, and only the
--- last paragraph is highlighted again.
local markdown = require("pi.transcript.markdown")
local render = require("pi.transcript.render")
local text = require("pi.text")
local tool = require("pi.transcript.tool")

local api = vim.api
local flush_ms = 30
-- A long paragraph (a block of code) is highlighted again only when that takes a small part of
-- the time: at most one part in so many.
local highlight_share = 8
local highlight_slice_ns = 8 * 1000 * 1000

---@class pi.Part
---@field kind "text"|"thinking"|"toolCall"
---@field block pi.Block
---@field pieces string[] not drawn yet
---@field bytes integer all that came
---@field settled integer lines whose highlights are final
---@field next_highlight integer ns, from vim.uv.hrtime
---@field behind boolean not all of it is highlighted yet

---@class pi.Live
---@field canvas pi.Canvas
---@field register fun(block: pi.Block) tells the transcript of a tool call's block
---@field paint fun(blocks: pi.Block[]) highlights what is left of blocks that are complete
---@field parts table<integer, pi.Part> by content index
---@field open boolean
---@field scheduled boolean
---@field outputs table<pi.Block, string[]> what tools printed, not drawn yet
local Live = {}
Live.__index = Live

---@param canvas pi.Canvas
---@param register fun(block: pi.Block)
---@param paint fun(blocks: pi.Block[])
---@return pi.Live
function Live.new(canvas, register, paint)
  return setmetatable({
    canvas = canvas,
    register = register,
    paint = paint,
    parts = {},
    open = false,
    scheduled = false,
    outputs = {},
  }, Live)
end

function Live:begin()
  self.parts = {}
  self.open = true
end

---@param part_kind string
---@param event pi.Event
---@return pi.Rendered
---@return table
local function first_look(part_kind, event)
  if part_kind == "text" then
    return { lines = { "" }, markdown = 0 }, { kind = "answer" }
  elseif part_kind == "thinking" then
    return render.thinking("", true), { kind = "thinking" }
  end
  local call = tool.new(event.toolCallId or "", event.toolName or "tool", nil, "writing")
  return tool.render(call), { kind = "tool", call_id = call.id, call = call }
end

---@param event pi.Event a message_update
---@return pi.Part
function Live:_part(event)
  local part = self.parts[event.contentIndex]
  if part then
    return part
  end
  local rendered, block = first_look(event.kind, event)
  part = {
    kind = event.kind,
    block = self.canvas:append(rendered, block),
    pieces = {},
    bytes = 0,
    settled = 0,
    next_highlight = 0,
    behind = false,
  }
  if event.kind == "thinking" then
    part.pieces[1] = "\n" -- what is thought stands under the head
  elseif event.kind == "toolCall" then
    self.register(part.block)
  end
  self.parts[event.contentIndex] = part
  return part
end

---@param event pi.Event a message_update
function Live:push(event)
  if not self.open then
    self:begin()
  end
  local part = self:_part(event)
  part.pieces[#part.pieces + 1] = event.delta
  part.bytes = part.bytes + #event.delta
  self:_schedule()
end

--- What a running tool or command printed.
---@param block pi.Block
---@param delta string
function Live:push_output(block, delta)
  local pieces = self.outputs[block] or {}
  self.outputs[block] = pieces
  pieces[#pieces + 1] = delta
  self:_schedule()
end

function Live:_schedule()
  if self.scheduled then
    return
  end
  self.scheduled = true
  vim.defer_fn(function()
    self:flush()
  end, flush_ms)
end

--- Highlight what is new of a part, a few milliseconds at a time.
---@param part pi.Part
function Live:_highlight(part)
  local began = vim.uv.hrtime()
  if began < part.next_highlight then
    return
  end
  local first, last = self.canvas:rows(part.block)
  first = first + part.block.lead
  repeat
    local settled, at_end = markdown.paint(self.canvas.buf, first + part.settled, last)
    part.settled = part.settled + settled
    part.behind = not at_end
  until at_end or vim.uv.hrtime() - began > highlight_slice_ns
  if part.behind then
    self:_schedule()
  else
    part.next_highlight = began + (vim.uv.hrtime() - began) * highlight_share
  end
end

---@param part pi.Part
function Live:_draw(part)
  local piece = table.concat(part.pieces)
  part.pieces = {}
  if part.kind == "toolCall" then
    local call = part.block.call
    call.written = part.bytes
    self.canvas:replace_head(part.block, tool.render(call))
  elseif part.kind == "thinking" then
    self.canvas:append_text(part.block, piece, "PiThinking")
  else
    self.canvas:append_text(part.block, (piece:gsub("\r\n?", "\n")))
    self:_highlight(part)
  end
end

--- Draw all that waits.
function Live:flush()
  self.scheduled = false
  if not api.nvim_buf_is_valid(self.canvas.buf) then
    return
  end
  self.canvas:change(function()
    for _, part in pairs(self.parts) do
      if #part.pieces > 0 then
        self:_draw(part)
      elseif part.behind then
        self:_highlight(part)
      end
    end
    for block, pieces in pairs(self.outputs) do
      local piece = table.concat(text.lines_open(table.concat(pieces)), "\n")
      if not block.printed then
        block.printed = true
        piece = "\n" .. piece
      end
      self.canvas:append_text(block, piece, "PiToolOutput")
    end
  end)
  self.outputs = {}
end

--- The answer is complete. True when what was drawn is what it says; its blocks then stay.
---@param message pi.Message
---@return boolean
function Live:matches(message)
  if not self.open or type(message.content) ~= "table" then
    return false
  end
  local names = { text = "text", thinking = "thinking", toolCall = "toolCall" }
  for index, content in ipairs(message.content) do
    local part = self.parts[index - 1]
    if not part or part.kind ~= names[content.type] then
      return false
    end
    local whole = content.type == "toolCall" or part.bytes == #(content[content.type] or "")
    if not whole then
      return false
    end
  end
  return vim.tbl_count(self.parts) == #message.content
end

--- The answer's blocks in the order in which they stand.
---@return pi.Block[]
function Live:blocks()
  local indices = vim.tbl_keys(self.parts)
  table.sort(indices)
  return vim.tbl_map(function(index)
    return self.parts[index].block
  end, indices)
end

--- Settle the look of an answer whose blocks stay.
---@param message pi.Message
---@param entry_id string
function Live:settle(message, entry_id)
  for index, content in ipairs(message.content) do
    local part = self.parts[index - 1]
    local block = part.block
    block.entry_id = entry_id
    if content.type == "toolCall" then
      block.call.args = type(content.arguments) == "table" and content.arguments or {}
      block.call.phase = "waiting"
      self.canvas:replace(block, tool.render(block.call))
    elseif content.type == "thinking" then
      self.canvas:replace_head(block, render.thinking(content.thinking))
    else
      block.text = content.text
      block.painted = part.settled
      self.paint({ block })
    end
  end
  self:close()
end

function Live:close()
  self.parts = {}
  self.open = false
end

--- Forget everything: the transcript is drawn anew.
function Live:reset()
  self:close()
  self.outputs = {}
end

--- Take the open answer away: it is void, or it is drawn anew.
function Live:discard()
  self.canvas:remove(self:blocks())
  self:close()
end

return Live
