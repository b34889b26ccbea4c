--- The bars over the chat's windows: what pi is doing, with which model, how full the context is,
--- and what the input will do with the text.
local config = require("pi.config")
local layout = require("pi.layout")
local text = require("pi.text")

local api = vim.api

local M = {}

local frames = { "⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏" }
local frame_ms = 120
-- The context is nearly full from here on. Percent.
local context_warning = 80

---@param value string
---@return string
local function escape(value)
  return (value:gsub("%%", "%%%%"))
end

---@param group string
---@param value string
---@return string
local function styled(group, value)
  return ("%%#%s#%s%%*"):format(group, escape(value))
end

local doing = {
  turn = "working",
  compaction = "compacting",
  branch_summary = "summarising",
  bash = "running",
}

--- What pi is doing, in a few words; empty when it does nothing.
---@param chat pi.Chat
---@return string
function M.activity(chat)
  local state = chat.state
  if chat.problem then
    return chat.problem
  elseif not state then
    return "starting"
  elseif state.retry then
    return "waiting to try again"
  elseif state.compaction then
    return doing.compaction
  end
  return doing[state.phase] or ""
end

--- `34 % of 200k · $0.12`
---@param state pi.State
---@return string
function M.context(state)
  local parts = {}
  local context = state.context
  if context and context.percent then
    parts[1] = ("%d %% of %s"):format(
      math.floor(context.percent + 0.5),
      text.tokens(context.window)
    )
  end
  local cost = state.usage and state.usage.cost or 0
  if cost > 0 then
    parts[#parts + 1] = ("$%.2f"):format(cost)
  end
  return table.concat(parts, " · ")
end

--- What stands at the left: a question, what pi is doing, or the session's name.
---@param chat pi.Chat
---@return string group
---@return string value
local function left(chat)
  local questions = #chat.questions
  if questions > 0 then
    local key = config.options.keys.transcript.approve or ":Pi approve"
    return "PiBarAsking", ("? %s · %s"):format(text.count(questions, "question"), key)
  end
  local activity = M.activity(chat)
  if chat.problem then
    return "PiError", activity
  elseif activity ~= "" then
    local frame = frames[chat.frame % #frames + 1]
    local seconds = chat.busy_since and math.floor((vim.uv.now() - chat.busy_since) / 1000) or 0
    local time = seconds >= 2 and (" %d s"):format(seconds) or ""
    return "PiBarBusy", ("%s %s%s"):format(frame, activity, time)
  end
  return "PiBarName", chat.state and chat.state.name or "pi"
end

---@class pi.BarPart
---@field [1] string group
---@field [2] string value
---@field rank integer the lowest is left out first

--- What stands at the right.
---@param state pi.State
---@return pi.BarPart[]
local function right(state)
  local parts = {}
  local function add(group, value, rank)
    parts[#parts + 1] = { group, value, rank = rank }
  end
  if state.readOnly then
    add("PiWarning", "read-only", 4)
  end
  add("PiBarDetail", state.model and state.model.id or "no model", 2)
  if state.model and state.model.reasoning then
    add("PiBarDetail", state.thinkingLevel, 1)
  end
  local context = M.context(state)
  if context ~= "" then
    local full = state.context and (state.context.percent or 0) >= context_warning
    add(full and "PiWarning" or "PiBarDetail", context, 3)
  end
  return parts
end

--- Leave out the part that can best be done without.
---@param parts pi.BarPart[]
local function drop_one(parts)
  local lowest = 1
  for index, part in ipairs(parts) do
    if part.rank < parts[lowest].rank then
      lowest = index
    end
  end
  table.remove(parts, lowest)
end

---@param parts pi.BarPart[]
---@return integer columns, with the dots between the parts
local function width_of(parts)
  local width = 3 * (#parts - 1)
  for _, part in ipairs(parts) do
    width = width + vim.fn.strdisplaywidth(part[2])
  end
  return width
end

---@param chat pi.Chat
---@param width integer columns; what does not fit is left out
---@return string
local function transcript_bar(chat, width)
  local group, value = left(chat)
  local parts = chat.state and right(chat.state) or {}
  local room = width - vim.fn.strdisplaywidth(value) - 3
  while #parts > 0 and width_of(parts) > room do
    drop_one(parts)
  end
  local shown = vim.tbl_map(function(part)
    return styled(part[1], part[2])
  end, parts)
  return (" %s%%<%%= %s "):format(
    styled(group, value),
    table.concat(shown, styled("PiBarDetail", " · "))
  )
end

---@param chat pi.Chat
---@return [string, string][] group and text
local function input_parts(chat)
  local parts = {}
  local editing = chat.input.editing
  local busy = chat:is_busy()
  if editing then
    parts[#parts + 1] =
      { "PiWarning", ("replaces “%s”"):format(text.one_line(editing.text, 24)) }
    parts[#parts + 1] = { "PiHint", "<C-c> cancels" }
  elseif busy then
    parts[#parts + 1] = { "PiHint", "<CR> steers · <M-CR> follows up · <C-c> stops" }
  elseif chat.state and chat.state.canContinue then
    parts[#parts + 1] = { "PiHint", ":Pi continue goes on" }
  end
  for _, name in ipairs(chat.input:attachment_names()) do
    parts[#parts + 1] = { "PiAttachment", "+ " .. name }
  end
  return parts
end

---@param chat pi.Chat
---@return string
local function input_bar(chat)
  local shown = vim.tbl_map(function(part)
    return styled(part[1], part[2])
  end, input_parts(chat))
  if #shown == 0 then
    shown[1] = styled("PiHint", "ask")
  end
  return " " .. table.concat(shown, "  ") .. "%<"
end

---@param buf integer
---@param bar fun(win: integer): string
local function set(buf, bar)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local value = bar(win)
    if vim.wo[win].winbar ~= value then
      api.nvim_set_option_value("winbar", value, { win = win, scope = "local" })
    end
  end
end

---@param chat pi.Chat
local function draw(chat)
  set(chat.transcript.buf, function(win)
    return transcript_bar(chat, api.nvim_win_get_width(win))
  end)
  set(chat.input.buf, function()
    return input_bar(chat)
  end)
end

---@param chat pi.Chat
local function animate(chat)
  if chat.animating then
    return
  end
  chat.animating = true
  local function step()
    chat.frame = chat.frame + 1
    if M.activity(chat) ~= "" and not chat.problem and layout.visible(chat) then
      draw(chat)
      vim.defer_fn(step, frame_ms)
    else
      chat.animating = false
      draw(chat)
    end
  end
  vim.defer_fn(step, frame_ms)
end

--- Draw the bars of a chat; they move by themselves while pi is at work.
---@param chat pi.Chat
function M.update(chat)
  local active = M.activity(chat) ~= ""
  chat.busy_since = active and (chat.busy_since or vim.uv.now()) or nil
  draw(chat)
  if active then
    animate(chat)
  end
end

return M
