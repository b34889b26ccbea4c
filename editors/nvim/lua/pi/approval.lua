--- The questions that the agent asks before it does something: a float with the command or the
--- diff. It never takes the cursor: it waits, with a notice, until the person goes to it; closing
--- it decides nothing.
local buffers = require("pi.buffers")
local config = require("pi.config")
local layout = require("pi.layout")
local notify = require("pi.notify")
local text = require("pi.text")
local winbar = require("pi.winbar")

local api = vim.api
local ns = api.nvim_create_namespace("pi.approval")

local M = {}

---@class pi.Question
---@field params pi.ApproveParams
---@field answer fun(reply: pi.ApproveReply)
---@field gone? boolean it no longer stands

--- The float of each chat, while there is one.
---@type table<pi.Chat, { win: integer, buf: integer, question: pi.Question }>
local floats = {}

-- The float takes at most this part of the transcript's height.
local height_part = 0.7

--- Hide the float; its question waits.
---@param chat pi.Chat
function M.hide(chat)
  local float = floats[chat]
  floats[chat] = nil
  if float and api.nvim_win_is_valid(float.win) then
    api.nvim_win_close(float.win, true)
  end
end

---@param params pi.ApproveParams
---@return string[] lines
---@return [integer, string][] row (from 0) and group of lines that have one
local function content(params)
  local lines, groups = {}, {}
  local function add(line, group)
    lines[#lines + 1] = line
    if group then
      groups[#groups + 1] = { #lines - 1, group }
    end
  end
  for _, line in ipairs(text.lines(params.title)) do
    add(line, "PiApprovalTitle")
  end
  if params.outsideWorkspace then
    add("This lies outside the folder.", "PiWarning")
  end
  local command = params.args and params.args.command
  if params.diff and params.diff ~= "" then
    add("")
    local diff = text.lines(params.diff)
    local diff_groups = text.diff_groups(diff)
    for index, line in ipairs(diff) do
      add(line, diff_groups[index] or nil)
    end
  elseif type(command) == "string" and not params.title:find(command, 1, true) then
    add("")
    for _, line in ipairs(text.lines(command)) do
      add(line, "PiCommand")
    end
  end
  return lines, groups
end

---@param chat pi.Chat
---@param lines string[]
---@param groups [integer, string][]
---@return integer
local function fill_buffer(chat, lines, groups)
  local buf = buffers.create("approval", chat.root)
  vim.bo[buf].bufhidden = "wipe"
  buffers.set_lines(buf, lines)
  for _, group in ipairs(groups) do
    api.nvim_buf_set_extmark(buf, ns, group[1], 0, {
      end_row = group[1] + 1,
      hl_group = group[2],
      hl_eol = false,
      strict = false,
    })
  end
  return buf
end

---@param key string|string[]|false|nil
---@return string
local function first_key(key)
  return type(key) == "table" and key[1] or key or "?"
end

---@param chat pi.Chat
---@param focused boolean
---@return [string, string][]
local function footer(chat, focused)
  local keys = config.options.keys
  if not focused then
    local key = first_key(keys.transcript.approve)
    return { { " " .. key, "PiKey" }, { " to answer ", "PiHint" } }
  end
  local words = {
    { "allow", "allow" },
    { "allow_session", "session" },
    { "allow_always", "always" },
    { "deny", "deny" },
    { "diff", "diff" },
    { "later", "later" },
  }
  local params = floats[chat] and floats[chat].question.params or chat.questions[1].params
  local parts = {}
  for _, word in ipairs(words) do
    if word[1] ~= "diff" or params.diff then
      parts[#parts + 1] = { " " .. first_key(keys.approval[word[1]]), "PiKey" }
      parts[#parts + 1] = { " " .. word[2] .. " ", "PiHint" }
    end
  end
  return parts
end

---@param chat pi.Chat
---@return [string, string][]
local function title(chat)
  local count = #chat.questions
  local words = count > 1 and (" pi asks (1 of %d) "):format(count) or " pi asks "
  return { { words, "PiBarAsking" } }
end

---@param chat pi.Chat
---@param lines string[]
---@param above integer transcript window
---@return vim.api.keyset.win_config
local function float_config(chat, lines, above)
  local width = api.nvim_win_get_width(above) - 2
  local rows = 0
  for _, line in ipairs(lines) do
    rows = rows + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
  end
  local limit = math.max(3, math.floor(api.nvim_win_get_height(above) * height_part))
  return {
    relative = "win",
    win = above,
    anchor = "SW",
    row = api.nvim_win_get_height(above),
    col = 0,
    width = width,
    height = math.min(rows, limit),
    style = "minimal",
    border = "rounded",
    title = title(chat),
    footer = footer(chat, false),
    footer_pos = "left",
    zindex = 45,
  }
end

--- The footer names the keys that work where the cursor is.
---@param chat pi.Chat
---@param buf integer
local function keep_footer(chat, buf)
  api.nvim_create_autocmd({ "WinEnter", "WinLeave" }, {
    buffer = buf,
    callback = function(args)
      local float = floats[chat]
      if float and api.nvim_win_is_valid(float.win) then
        api.nvim_win_set_config(float.win, {
          footer = footer(chat, args.event == "WinEnter"),
          footer_pos = "left",
        })
      end
    end,
  })
end

---@param chat pi.Chat
---@param question pi.Question one that has gone meanwhile is left alone
---@param decision pi.Decision
---@param reason? string
local function decide(chat, question, decision, reason)
  if question.gone then
    return
  end
  M.withdraw(chat, question.params.toolCallId)
  question.answer({ decision = decision, reason = reason })
end

---@param chat pi.Chat
---@param question pi.Question
local function deny(chat, question)
  vim.ui.input({ prompt = "Why not? (for the model; may be empty) " }, function(reason)
    if reason then
      decide(chat, question, "deny", reason ~= "" and reason or nil)
    end
  end)
end

---@param chat pi.Chat
---@param buf integer
---@param question pi.Question
local function map_keys(chat, buf, question)
  local function deciding(decision)
    return function()
      decide(chat, question, decision)
    end
  end
  buffers.map(buf, "approval", {
    allow = { deciding("allow"), "allow" },
    allow_session = { deciding("allowSession"), "allow for this session" },
    allow_always = { deciding("allowAlways"), "allow always" },
    deny = {
      function()
        deny(chat, question)
      end,
      "deny, and say why",
    },
    diff = {
      function()
        M.show_diff(chat, question.params.toolCallId)
      end,
      "show as a diff",
    },
    later = {
      function()
        M.hide(chat)
        layout.open(chat, true)
      end,
      "answer later",
    },
  })
end

--- Show the oldest question over the transcript, if the chat can be seen. The cursor stays.
---@param chat pi.Chat
function M.show(chat)
  local question = chat.questions[1]
  local above = layout.window(chat.transcript.buf)
  local shown = floats[chat]
  if shown and shown.question == question and api.nvim_win_is_valid(shown.win) then
    api.nvim_win_set_config(shown.win, { title = title(chat) }) -- more may wait by now
    return
  end
  M.hide(chat)
  if not question or not above then
    return
  end
  local lines, groups = content(question.params)
  local buf = fill_buffer(chat, lines, groups)
  local win = api.nvim_open_win(buf, false, float_config(chat, lines, above))
  vim.wo[win].winhighlight = "NormalFloat:Normal,FloatBorder:PiBarAsking"
  vim.wo[win].wrap = true
  vim.wo[win].conceallevel = 0
  floats[chat] = { win = win, buf = buf, question = question }
  map_keys(chat, buf, question)
  keep_footer(chat, buf)
end

api.nvim_create_autocmd("TabEnter", {
  group = api.nvim_create_augroup("pi.approval", {}),
  desc = "pi: show a question that came while the person was in another tab page",
  callback = function()
    for _, chat in ipairs(require("pi.chats").all()) do
      M.show(chat)
    end
  end,
})

--- Go to the question that waits.
---@param chat pi.Chat
function M.focus(chat)
  if #chat.questions == 0 then
    notify.say("nothing waits for an answer")
    return
  end
  if not layout.visible(chat) then
    layout.open(chat, false)
  end
  M.show(chat)
  local float = floats[chat]
  if float then
    vim.cmd.stopinsert()
    api.nvim_set_current_win(float.win)
  end
end

--- A question has come.
---@param chat pi.Chat
---@param params pi.ApproveParams
---@param answer fun(reply: pi.ApproveReply)
function M.ask(chat, params, answer)
  chat.questions[#chat.questions + 1] = { params = params, answer = answer }
  M.show(chat)
  winbar.update(chat)
  notify.user_event("PiApproval", { root = chat.root, question = params })
  if config.options.notify_on_approval and not layout.visible(chat) then
    notify.aside(params.title .. " (:Pi approve)", vim.log.levels.WARN)
  end
end

--- A question no longer stands: it was answered, here or elsewhere, or its run has ended.
---@param chat pi.Chat
---@param tool_call_id string
function M.withdraw(chat, tool_call_id)
  local kept = {}
  for _, question in ipairs(chat.questions) do
    if question.params.toolCallId == tool_call_id then
      question.gone = true
    else
      kept[#kept + 1] = question
    end
  end
  chat.questions = kept
  local float = floats[chat]
  if float and float.question.gone then
    local had_cursor = api.nvim_get_current_win() == float.win
    M.hide(chat)
    M.show(chat)
    M._place_cursor(chat, had_cursor)
  end
  winbar.update(chat)
end

--- Where the cursor goes when a float that had it closes: to the next question, else to the input.
---@param chat pi.Chat
---@param had_cursor boolean
function M._place_cursor(chat, had_cursor)
  local next_float = floats[chat]
  local win = next_float and next_float.win or layout.window(chat.input.buf)
  if had_cursor and win then
    api.nvim_set_current_win(win)
  end
end

--- A question was answered without this float (the run was stopped, or the server knew better).
--- What is answered here goes nowhere any more, but lets its handler end.
---@param chat pi.Chat
---@param tool_call_id string
function M.answered(chat, tool_call_id)
  for _, question in ipairs(vim.list_slice(chat.questions)) do
    if question.params.toolCallId == tool_call_id then
      M.withdraw(chat, tool_call_id)
      question.answer({ decision = "deny" })
    end
  end
end

--- All questions are void: the server that asked them has ended.
---@param chat pi.Chat
function M.withdraw_all(chat)
  for _, question in ipairs(vim.list_slice(chat.questions)) do
    M.answered(chat, question.params.toolCallId)
  end
end

--- Show the edit that a question is about as a real diff.
---@param chat pi.Chat
---@param tool_call_id string
function M.show_diff(chat, tool_call_id)
  for _, question in ipairs(chat.questions) do
    if question.params.toolCallId == tool_call_id then
      require("pi.diff").show(chat, question.params)
      return
    end
  end
end

return M
