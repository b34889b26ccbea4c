--- What a person can do in a chat, by key or command. Each asks the server; what comes of it is
--- drawn from the events.
local approval = require("pi.approval")
local drafts = require("pi.drafts")
local layout = require("pi.layout")
local notify = require("pi.notify")
local text = require("pi.text")
local winbar = require("pi.winbar")

local api = vim.api

local M = {}

---------------------------------------------------------------------------------------------------
-- windows

--- Show the chat and start its server.
---@param chat pi.Chat
---@param enter? boolean put the cursor into the input (the default)
function M.open(chat, enter)
  layout.open(chat, enter ~= false)
  chat:start()
  approval.show(chat)
end

---@param chat pi.Chat
function M.hide(chat)
  M.keep_draft(chat)
  approval.hide(chat)
  layout.close(chat)
end

---@param chat pi.Chat
function M.toggle(chat)
  if layout.visible(chat) then
    M.hide(chat)
  else
    M.open(chat)
  end
end

--- Go to the input and write.
---@param chat pi.Chat
function M.write(chat)
  M.open(chat)
  vim.cmd("startinsert!")
end

--- Keep the draft on disk, for the next time that Neovim runs.
---@param chat pi.Chat
function M.keep_draft(chat)
  local kept = drafts.load(chat.root)
  local draft = chat.input:draft()
  local empty = draft.text == "" and #draft.attachments == 0 and #draft.images == 0
  if empty and not kept.draft then
    return
  end
  kept.draft = not empty and draft or nil
  drafts.save(chat.root, kept)
end

---------------------------------------------------------------------------------------------------
-- sending

---@param chat pi.Chat
---@param line string what was typed, with its `!` or `!!`
local function run_command(chat, line)
  local hidden = line:sub(1, 2) == "!!"
  local command = vim.trim(line:sub(hidden and 3 or 2))
  if command == "" then
    notify.say("after `!` stands the command to run", vim.log.levels.WARN)
    return
  end
  M.bash(chat, command, hidden)
end

--- Run a command oneself.
---@param chat pi.Chat
---@param command string
---@param hidden boolean keep it from the model
function M.bash(chat, command, hidden)
  chat.transcript:begin_command(command)
  if chat.state then
    chat.state.phase = "bash"
    winbar.update(chat)
  end
  local function ended()
    chat.transcript:end_command()
    chat:sync()
  end
  local params = { command = command, excludeFromContext = hidden or nil }
  chat:request("pi/bash", params, ended, function(err)
    chat:tell_error(err)
    ended()
  end)
end

--- Send a message: it starts a run, or waits for the one that is going on.
---@param chat pi.Chat
---@param message pi.MessageParams
---@param when_busy pi.WhenBusy
---@param at? string the entry that it replaces
---@param on_error? fun(err: pi.Error)
function M.prompt(chat, message, when_busy, at, on_error)
  chat.own_run = true
  local params = vim.tbl_extend("force", message, { whenBusy = when_busy, at = at })
  chat:request("pi/prompt", params, nil, function(err)
    chat:tell_error(err)
    if on_error then
      on_error(err)
    end
  end)
end

--- Send what stands in the input. A message that was refused stands there again.
---@param chat pi.Chat
---@param when_busy? pi.WhenBusy
function M.send(chat, when_busy)
  local input = chat.input
  local draft = input:draft()
  local message = input:message()
  if not message then
    return
  end
  if message.text:sub(1, 1) == "!" then
    input:clear()
    run_command(chat, message.text)
    return
  end
  input:clear()
  winbar.update(chat)
  local at = draft.editing and draft.editing.entry_id
  M.prompt(chat, message, when_busy or "steer", at, function()
    if input:text() == "" then
      input:restore(draft)
      winbar.update(chat)
    end
  end)
end

--- Leave a message for the next prompt.
---@param chat pi.Chat
---@param message? pi.MessageParams what stands in the input when nil
function M.next_turn(chat, message)
  local from_input = message == nil
  message = message or chat.input:message()
  if not message then
    notify.say("nothing to add: write it in the input, or after `:Pi next`", vim.log.levels.WARN)
    return
  end
  chat:request("pi/nextTurn", message, function()
    if from_input then
      chat.input:clear()
    end
    if not layout.visible(chat) then
      notify.say("added to the next prompt")
    end
  end)
end

---@param chat pi.Chat
function M.continue(chat)
  chat.own_run = true
  chat:request("pi/continue")
end

--- Stop what is going on; texts that were queued come back to the input. With nothing going on, an
--- edit of an old message is given up.
---@param chat pi.Chat
function M.stop(chat)
  if not chat:is_busy() then
    M.cancel_edit(chat)
    return
  end
  local in_run = chat.state.phase == "turn"
  chat:request("pi/abort", nil, function(result)
    if result.aborted and not in_run then
      -- The request that began it is answered as cancelled, and vim.lsp does not pass that on.
      chat:sync()
    end
    local items = vim.list_extend(vim.list_extend({}, result.steer or {}), result.followUp or {})
    chat.input:give_back(items)
    winbar.update(chat)
  end)
end

--- Take a queued message back into the input.
---@param chat pi.Chat
---@param item pi.QueueItem
function M.take_back(chat, item)
  chat:request("pi/unqueue", { id = item.id }, function(result)
    if not result.removed then
      notify.say("that message has gone out already", vim.log.levels.WARN)
      return
    end
    chat.input:give_back({ item })
    M.open(chat)
  end)
end

---------------------------------------------------------------------------------------------------
-- editing an old message

---@param chat pi.Chat
---@param block? pi.Block of a user's message; the last one when nil
function M.edit(chat, block)
  block = block or chat.transcript:last_user_block()
  if not block or block.kind ~= "user" then
    notify.say("put the cursor on a message of yours to edit it", vim.log.levels.WARN)
    return
  end
  if chat:is_busy() then
    notify.say("pi is at work; stop it before you edit an old message", vim.log.levels.WARN)
    return
  end
  if chat.input:text() ~= "" and not chat.input.editing then
    chat.set_aside = chat.input:draft()
  end
  chat.input:restore({
    text = block.text,
    attachments = {},
    images = {},
    editing = { entry_id = block.entry_id, text = block.text },
  })
  M.open(chat)
  winbar.update(chat)
end

---@param chat pi.Chat
function M.cancel_edit(chat)
  if not chat.input.editing then
    return
  end
  chat.input:restore(chat.set_aside or { text = "", attachments = {}, images = {} })
  chat.set_aside = nil
  winbar.update(chat)
end

---------------------------------------------------------------------------------------------------
-- what goes with a message

local mime_types = {
  png = "image/png",
  jpg = "image/jpeg",
  jpeg = "image/jpeg",
  gif = "image/gif",
  webp = "image/webp",
}

--- Put a picture with the message that is being written.
---@param chat pi.Chat
---@param path string
function M.attach_image(chat, path)
  local full = vim.fs.normalize(vim.fn.fnamemodify(path, ":p"))
  local mime_type = mime_types[(full:match("%.(%w+)$") or ""):lower()]
  if not mime_type then
    notify.say("pictures are png, jpeg, gif or webp files", vim.log.levels.ERROR)
    return
  end
  local file, problem = io.open(full, "rb")
  if not file then
    local reason = (problem or ""):sub(#full + 1) -- it begins with the path
    notify.aside(("cannot read %s%s"):format(vim.fs.basename(full), reason), vim.log.levels.ERROR)
    return
  end
  local data = vim.base64.encode(file:read("*a"))
  file:close()
  local images = chat.input.images
  images[#images + 1] =
    { name = vim.fs.basename(full), image = { data = data, mimeType = mime_type } }
  M.open(chat)
  winbar.update(chat)
end

--- Ask about a part of a buffer: at once when there is a text, else when it has been written.
---@param chat pi.Chat
---@param selection pi.Selection
---@param question string
function M.ask_about(chat, selection, question)
  if question ~= "" then
    M.open(chat, false)
    local message = { text = question, attachments = { selection.attachment } }
    if selection.text then
      message = { text = question .. "\n\n" .. selection.text }
    end
    M.prompt(chat, message, "steer")
    return
  end
  if selection.text then
    chat.input:set_text(vim.trim(chat.input:text() .. "\n\n" .. selection.text))
  else
    chat.input:attach(selection.attachment)
  end
  M.open(chat)
  winbar.update(chat)
  vim.cmd("startinsert!")
end

---------------------------------------------------------------------------------------------------
-- branches and sessions

--- Go to another entry. The files on disk stay as they are, and that is said.
---@param chat pi.Chat
---@param entry_id string
---@param params? { summarize?: boolean, instructions?: string }
---@param on_done? fun()
function M.navigate(chat, entry_id, params, on_done)
  local body = vim.tbl_extend("force", { entryId = entry_id }, params or {})
  chat:request("pi/navigate", body, function(result)
    if result.editorText and result.editorText ~= "" then
      chat.input:set_text(result.editorText)
    end
    if body.summarize then
      chat:sync() -- what was told of the state while the leaf moved is out of date by now
    end
    notify.say("switched; files on disk are as they were")
    if on_done then
      on_done()
    end
  end)
end

---@param chat pi.Chat
---@param entry_id string
function M.fork(chat, entry_id)
  chat:request("pi/fork", { entryId = entry_id }, function(result)
    if result.editorText and result.editorText ~= "" then
      chat.input:set_text(result.editorText)
    end
    M.open(chat)
    notify.say("forked into a new session; the old one is unchanged")
  end)
end

---@param chat pi.Chat
function M.clone(chat)
  chat:request("pi/clone", nil, function()
    notify.say("this is a copy now; the old session is unchanged")
  end)
end

---@param chat pi.Chat
---@param instructions string
function M.compact(chat, instructions)
  local params = instructions ~= "" and { instructions = instructions } or nil
  chat:request("pi/compact", params, function(result)
    notify.aside(
      ("compacted: %s tokens became %s"):format(
        text.tokens(result.tokensBefore),
        text.tokens(result.estimatedTokensAfter)
      )
    )
  end)
end

--- End the server and start it again.
---@param chat pi.Chat
function M.restart(chat)
  local lsp = chat.client:lsp()
  chat.problem = nil
  chat.client.ends = {}
  if not lsp then
    chat:start()
    return
  end
  chat.after_restart = "The server was started again."
  chat.client:stop()
  vim.wait(3000, function()
    return not chat.client:lsp()
  end, 20)
  chat.state = nil
  chat:start()
end

---@param win integer
---@param rows integer[]
---@param forward boolean
local function jump(win, rows, forward)
  local row = api.nvim_win_get_cursor(win)[1]
  local target
  for _, candidate in ipairs(rows) do
    if forward and candidate > row then
      target = candidate
      break
    elseif not forward and candidate < row then
      target = candidate
    end
  end
  if target then
    vim.cmd("normal! m'")
    api.nvim_win_set_cursor(win, { target, 0 })
  end
end

--- Go to the next or the previous message of the person's, in the transcript's window.
---@param chat pi.Chat
---@param forward boolean
function M.jump_message(chat, forward)
  jump(0, chat.transcript:user_rows(), forward)
end

return M
