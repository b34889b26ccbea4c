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

---@param chat pi.Chat
---@return string
local function left(chat)
  local questions = #chat.questions
  if questions > 0 then
    local key = (config.options.keys.transcript.approve or ":Pi approve")
    return styled("PiBarAsking", ("? %s · %s"):format(text.count(questions, "question"), key))
  end
  local activity = M.activity(chat)
  if chat.problem then
    return styled("PiError", activity)
  elseif activity ~= "" then
    local frame = frames[chat.frame % #frames + 1]
    local seconds = chat.busy_since and math.floor((vim.uv.now() - chat.busy_since) / 1000) or 0
    local time = seconds >= 2 and (" %d s"):format(seconds) or ""
    return styled("PiBarBusy", ("%s %s%s"):format(frame, activity, time))
  end
  return styled("PiBarName", chat.state and chat.state.name or "pi")
end

---@param chat pi.Chat
---@param width integer
---@return string
local function transcript_bar(chat, width)
  local state = chat.state
  if not state then
    return " " .. left(chat)
  end
  local context = M.context(state)
  local full = state.context and (state.context.percent or 0) >= context_warning
  local parts = {}
  if state.readOnly then
    parts[#parts + 1] = styled("PiWarning", "read-only")
  end
  if width >= 46 then
    parts[#parts + 1] = styled("PiBarDetail", state.model and state.model.id or "no model")
  end
  if width >= 60 and state.model and state.model.reasoning then
    parts[#parts + 1] = styled("PiBarDetail", state.thinkingLevel)
  end
  if context ~= "" then
    parts[#parts + 1] = styled(full and "PiWarning" or "PiBarDetail", context)
  end
  return (" %s%%<%%= %s "):format(left(chat), table.concat(parts, styled("PiBarDetail", " · ")))
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
