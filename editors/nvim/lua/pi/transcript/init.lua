--- The transcript: the conversation as a buffer. It draws entries and events and knows nothing of
--- requests; what a person does in it is told to the chat.
local Canvas = require("pi.transcript.canvas")
local Live = require("pi.transcript.live")
local config = require("pi.config")
local entries_to_blocks = require("pi.transcript.entries")
local markdown = require("pi.transcript.markdown")
local render = require("pi.transcript.render")
local tool = require("pi.transcript.tool")

local api = vim.api
local highlight_slice_ns = 8 * 1000 * 1000

---@class pi.Transcript
---@field buf integer
---@field canvas pi.Canvas
---@field live pi.Live
---@field known table<string, true> entries that are drawn
---@field calls table<string, pi.Block> tool calls by id
---@field orphans pi.Results results whose calls are in pages that are not drawn yet
---@field oldest? string the first entry that was drawn
---@field more boolean there are older entries
---@field hint? pi.Block the last line, as long as it holds
---@field running_command? pi.Block
local Transcript = {}
Transcript.__index = Transcript

---@param buf integer
---@return pi.Transcript
function Transcript.new(buf)
  local canvas = Canvas.new(buf)
  local self = setmetatable({
    buf = buf,
    canvas = canvas,
    known = {},
    calls = {},
    orphans = {},
    more = false,
  }, Transcript)
  self.live = Live.new(canvas, function(block)
    self.calls[block.call_id] = block
  end, function(blocks)
    self:_highlight(blocks)
  end)
  return self
end

---------------------------------------------------------------------------------------------------
-- whole pages

--- Highlight the Markdown of these blocks, the newest first, a few milliseconds at a time.
---@param blocks pi.Block[] in the order of the buffer
function Transcript:_highlight(blocks)
  local index = #blocks
  local function step()
    local block = blocks[index]
    local at_end = true
    if block.markdown and self.canvas.by_mark[block.mark] == block then
      local first, last = self.canvas:rows(block)
      local settled
      local painted = block.painted or 0
      settled, at_end =
        markdown.paint(self.buf, first + block.lead + block.markdown + painted, last)
      block.painted = painted + settled
    end
    if at_end then
      index = index - 1
    end
  end
  local function slice()
    if not api.nvim_buf_is_valid(self.buf) then
      return
    end
    local stop = vim.uv.hrtime() + highlight_slice_ns
    while index > 0 and vim.uv.hrtime() < stop do
      step()
    end
    if index > 0 then
      vim.defer_fn(slice, 1)
    end
  end
  slice()
end

---@param entries pi.Entry[]
---@return pi.NewBlock[]
function Transcript:_items(entries)
  local results = vim.tbl_extend("keep", entries_to_blocks.results(entries), self.orphans)
  local items = {}
  for _, entry in ipairs(entries) do
    local first_setting = entry.type == "model_change" and #items == 0
    if not self.known[entry.id] and not first_setting then
      vim.list_extend(items, entries_to_blocks.items(entry, results))
    end
    self.known[entry.id] = true
  end
  for _, item in ipairs(items) do
    if item.block.call_id then
      results[item.block.call_id] = nil
    end
  end
  self.orphans = results
  return items
end

---@param items pi.NewBlock[]
---@param at_top? boolean
function Transcript:_insert(items, at_top)
  self.canvas:insert(items, at_top)
  local blocks = {}
  for index, item in ipairs(items) do
    blocks[index] = item.block
    if item.block.call_id then
      self.calls[item.block.call_id] = item.block
    end
  end
  self:_highlight(blocks)
end

function Transcript:_draw_top()
  if self.more then
    self.canvas:set_top("── earlier messages: scroll up, or <CR> here ──")
  elseif #self.canvas.blocks > 0 then
    self.canvas:set_top("")
  else
    local keys = config.options.keys.transcript
    self.canvas:set_top("", {
      { { "Ask pi anything about this folder.", "PiSummary" } },
      { { "" } },
      {
        { "Write below, then ", "PiHint" },
        { "<CR>", "PiKey" },
        { " in normal mode, or ", "PiHint" },
        { "<C-s>", "PiKey" },
      },
      { { "!command", "PiKey" }, { " runs a command yourself", "PiHint" } },
      { { ":Pi ", "PiKey" }, { "then a tab lists all that it can do", "PiHint" } },
      { { tostring(keys.help or ":help pi"), "PiKey" }, { " shows the keys", "PiHint" } },
    })
  end
end

--- Draw a conversation from its newest entries.
---@param entries pi.Entry[] in order
---@param more boolean there are older ones
function Transcript:show(entries, more)
  self.live:reset()
  self.known, self.calls, self.orphans = {}, {}, {}
  self.hint, self.running_command = nil, nil
  self.canvas:clear()
  self.more = more
  self.oldest = entries[1] and entries[1].id
  self:_insert(self:_items(entries))
  self:_draw_top()
  for _, win in ipairs(vim.fn.win_findbuf(self.buf)) do
    api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(self.buf), 0 })
  end
end

--- Draw older entries above what is there; what people see stays in its place.
---@param entries pi.Entry[]
---@param more boolean
function Transcript:show_older(entries, more)
  self.more = more
  self.oldest = entries[1] and entries[1].id or self.oldest
  local before = api.nvim_buf_line_count(self.buf)
  self:_insert(self:_items(entries), true)
  self:_draw_top()
  local added = api.nvim_buf_line_count(self.buf) - before
  for _, win in ipairs(vim.fn.win_findbuf(self.buf)) do
    api.nvim_win_call(win, function()
      local view = vim.fn.winsaveview()
      if view.topline <= 1 then
        vim.fn.winrestview({ topline = 1 + added, lnum = math.max(view.lnum, 1 + added) })
      end
    end)
  end
end

--- Draw what was going on when the state was asked for.
---@param state pi.State
function Transcript:resume(state)
  if state.streaming then
    self:_resume_answer(state.streaming.message)
  end
  for _, running in ipairs(state.runningTools or {}) do
    local block = self:call_block(running.toolCallId, running.toolName, running.args)
    block.call.phase = "running"
    block.call.output = running.partial or ""
    self.canvas:replace(block, tool.render(block.call))
    block.printed = block.call.output ~= ""
  end
  for _, question in ipairs(state.pendingApprovals or {}) do
    self:set_phase(question.toolCallId, "asking")
  end
end

---@param message pi.Message
function Transcript:_resume_answer(message)
  self.live:begin()
  local content = type(message.content) == "table" and message.content or {}
  for index, part in ipairs(content) do
    local text = part[part.type]
    self.live:push({
      type = "message_update",
      contentIndex = index - 1,
      kind = part.type,
      delta = type(text) == "string" and text or "",
      toolCallId = part.id,
      toolName = part.name,
    })
  end
  self.live:flush()
end

---------------------------------------------------------------------------------------------------
-- the last line

--- Say something in the last line until it no longer holds; nil takes it away.
---@param message? string
---@param group? string
function Transcript:set_hint(message, group)
  if self.hint then
    self.canvas:remove({ self.hint })
    self.hint = nil
  end
  if message then
    self.hint = self.canvas:append(render.hint(message, group), { kind = "hint" })
  end
end

--- Say that the conversation can go on from here.
function Transcript:offer_continue()
  self:set_hint(":Pi continue goes on from here")
end

--- Add a line of the plugin's own.
---@param message string
---@param group? string
function Transcript:notice(message, group)
  self.canvas:append(render.notice(message, group), { kind = "notice" })
end

---------------------------------------------------------------------------------------------------
-- parts that events change

--- The block of a tool call, made when there is none.
---@param id string
---@param name string
---@param args? table
---@return pi.Block
function Transcript:call_block(id, name, args)
  local block = self.calls[id]
  if not block then
    local call = tool.new(id, name, args, "waiting")
    block = self.canvas:append(tool.render(call), { kind = "tool", call_id = id, call = call })
    self.calls[id] = block
  end
  return block
end

---@param id string of a tool call
---@param phase pi.CallPhase
function Transcript:set_phase(id, phase)
  local block = self.calls[id]
  if block and block.call.phase ~= phase and not block.call.result then
    block.call.phase = phase
    self.canvas:replace_head(block, tool.render(block.call))
  end
end

--- Draw an entry at the end, unless it is drawn already.
---@param entry pi.Entry
function Transcript:append_entry(entry)
  if not self.known[entry.id] then
    self:_insert(self:_items({ entry }))
    self:_draw_top()
  end
end

---------------------------------------------------------------------------------------------------
-- a command that the person runs

---@param command string
function Transcript:begin_command(command)
  local rendered = render.command({ role = "bashExecution", content = "", command = command }, true)
  self.running_command = self.canvas:append(rendered, { kind = "command" })
end

--- The command has ended; its entry, if there is one, is drawn in its place.
function Transcript:end_command()
  if self.running_command then
    self.canvas:remove({ self.running_command })
    self.running_command = nil
  end
end

---------------------------------------------------------------------------------------------------
-- what stands where

---@param row integer from 0
---@return pi.Block?
function Transcript:block_at(row)
  return self.canvas:block_at(row)
end

--- The rows (from 1) at which user messages begin, from the top.
---@return integer[]
function Transcript:user_rows()
  local rows = {}
  for _, block in ipairs(self.canvas.blocks) do
    if block.kind == "user" then
      rows[#rows + 1] = self.canvas:rows(block) + block.lead + 1
    end
  end
  return rows
end

--- The newest user message that is drawn.
---@return pi.Block?
function Transcript:last_user_block()
  for index = #self.canvas.blocks, 1, -1 do
    if self.canvas.blocks[index].kind == "user" then
      return self.canvas.blocks[index]
    end
  end
end

return Transcript
