--- `:Pi` and its subcommands.
local M = {}

---@class pi.Arguments
---@field text string all after the subcommand, as it was typed
---@field words string[]
---@field range? [integer, integer] lines, when the command was given a range
---@field bang boolean

---@class pi.Subcommand
---@field run fun(chat: pi.Chat, arguments: pi.Arguments)
---@field about string
---@field complete? fun(words: string[]): string[] candidates for the word after these

local function actions()
  return require("pi.actions")
end

local function choose()
  return require("pi.choose")
end

---@param candidates fun(): string[]
---@return fun(words: string[]): string[]
local function first_word(candidates)
  return function(words)
    return #words == 0 and candidates() or {}
  end
end

---@param message string
local function warn(message)
  require("pi.notify").say(message, vim.log.levels.WARN)
end

---@type table<string, pi.Subcommand>
M.subcommands = {}
local subcommands = M.subcommands

subcommands.ask = {
  about = "ask, with the selection when there is one; without a text, write it in the input",
  run = function(chat, arguments)
    if arguments.range then
      local selection = require("pi.selection").lines(
        vim.api.nvim_get_current_buf(),
        arguments.range[1],
        arguments.range[2]
      )
      actions().ask_about(chat, selection, arguments.text)
    elseif arguments.text == "" then
      actions().write(chat)
    else
      actions().open(chat, false)
      actions().prompt(chat, { text = arguments.text }, "steer")
    end
  end,
}

subcommands.next = {
  about = "leave a message for the next prompt (what stands in the input, without a text)",
  run = function(chat, arguments)
    actions().next_turn(chat, arguments.text ~= "" and { text = arguments.text } or nil)
  end,
}

subcommands.stop = {
  about = "stop what is going on; queued texts come back to the input",
  run = function(chat)
    actions().stop(chat)
  end,
}

subcommands.continue = {
  about = "go on after an error, a stop or a crash",
  run = function(chat)
    actions().open(chat, false)
    actions().continue(chat)
  end,
}

subcommands.edit = {
  about = "edit the last message of yours (or the one under the cursor) and send it anew",
  run = function(chat)
    local block
    if vim.api.nvim_get_current_buf() == chat.transcript.buf then
      block = chat.transcript:block_at(vim.api.nvim_win_get_cursor(0)[1] - 1)
    end
    actions().edit(chat, block and block.kind == "user" and block or nil)
  end,
}

subcommands.bash = {
  about = "run a command yourself; with ! the model is not told",
  run = function(chat, arguments)
    if arguments.text == "" then
      warn("`:Pi bash` needs a command")
      return
    end
    actions().open(chat, false)
    actions().bash(chat, arguments.text, arguments.bang)
  end,
}

subcommands.approve = {
  about = "go to the question that waits for an answer",
  run = function(chat)
    require("pi.approval").focus(chat)
  end,
}

subcommands.tree = {
  about = "show the branches",
  run = function(chat)
    require("pi.tree").open(chat)
  end,
}

subcommands.fork = {
  about = "fork a new session before one of your messages",
  run = function(chat)
    choose().fork_point(chat, function(entry_id)
      actions().fork(chat, entry_id)
    end)
  end,
}

subcommands.clone = {
  about = "go on in a copy of this session",
  run = function(chat)
    actions().clone(chat)
  end,
}

subcommands.compact = {
  about = "put the past into a summary; a text says what it should look at",
  run = function(chat, arguments)
    actions().compact(chat, arguments.text)
  end,
}

subcommands.sessions = {
  about = "choose another session of this folder",
  run = function(chat)
    choose().sessions(chat)
  end,
}

subcommands.new = {
  about = "begin a new session, with a name if you like",
  run = function(chat, arguments)
    local name = arguments.text ~= "" and arguments.text or nil
    chat:request("pi/newSession", { name = name })
  end,
}

subcommands.rename = {
  about = "name this session",
  run = function(chat, arguments)
    choose().rename(chat, arguments.text)
  end,
}

subcommands.delete = {
  about = "delete another session",
  run = function(chat)
    choose().delete(chat)
  end,
}

subcommands.export = {
  about = "write the conversation to a file: html, markdown or jsonl, and a path",
  complete = function(words)
    if #words == 0 then
      return choose().export_formats
    end
    return vim.fn.getcompletion("", "file")
  end,
  run = function(chat, arguments)
    choose().export(chat, arguments.words)
  end,
}

subcommands.model = {
  about = "choose the model",
  complete = first_word(function()
    return choose().model_names
  end),
  run = function(chat, arguments)
    choose().model(chat, arguments.text)
  end,
}

subcommands.thinking = {
  about = "choose how much the model thinks",
  complete = first_word(function()
    return choose().thinking_levels
  end),
  run = function(chat, arguments)
    choose().thinking(chat, arguments.text)
  end,
}

subcommands.queue = {
  about = "choose how queued messages go out: one at a time, or all",
  complete = function(words)
    if #words == 0 then
      return choose().queue_names
    end
    return #words == 1 and choose().queue_modes or {}
  end,
  run = function(chat, arguments)
    choose().queue(chat, arguments.words)
  end,
}

subcommands.approvals = {
  about = "choose what needs your approval",
  complete = first_word(function()
    return choose().approval_modes
  end),
  run = function(chat, arguments)
    choose().approvals(chat, arguments.text)
  end,
}

subcommands.trust = {
  about = "say whether this folder may be trusted",
  run = function(chat)
    require("pi.trust").ask(chat)
  end,
}

subcommands.key = {
  about = "give an API key, kept in memory only",
  run = function(chat, arguments)
    require("pi.info").set_key(chat, arguments.words[1] or "anthropic")
  end,
}

subcommands.image = {
  about = "put a picture with the message",
  complete = function()
    return vim.fn.getcompletion("", "file")
  end,
  run = function(chat, arguments)
    if arguments.text == "" then
      warn("`:Pi image` needs the path of a picture")
      return
    end
    actions().attach_image(chat, vim.fn.expand(arguments.text))
  end,
}

subcommands.stats = {
  about = "show counts, tokens and cost of this session",
  run = function(chat)
    require("pi.info").show_stats(chat)
  end,
}

subcommands.log = {
  about = "open the server's log",
  run = function(chat)
    require("pi.info").open_log(chat)
  end,
}

subcommands.restart = {
  about = "end the server and start it again",
  run = function(chat)
    actions().restart(chat)
  end,
}

---@return string[]
local function names()
  local list = vim.tbl_keys(subcommands)
  table.sort(list)
  return list
end

--- Run `:Pi …`.
---@param command vim.api.keyset.create_user_command.command_args
function M.run(command)
  local chat = require("pi.chats").current()
  local name, rest = command.args:match("^(%S+)%s*(.-)%s*$")
  if not name then
    actions().toggle(chat)
    return
  end
  local bang = command.bang
  if name:sub(-1) == "!" then
    name, bang = name:sub(1, -2), true
  end
  local subcommand = subcommands[name]
  if not subcommand then
    require("pi.notify").say(
      ("there is no `:Pi %s`; there are: %s"):format(name, table.concat(names(), ", ")),
      vim.log.levels.ERROR
    )
    return
  end
  subcommand.run(chat, {
    text = rest,
    words = vim.split(rest, "%s+", { trimempty = true }),
    range = command.range > 0 and { command.line1, command.line2 } or nil,
    bang = bang,
  })
end

--- Candidates for the word that is being typed.
---@param lead string
---@param line string the command line up to the cursor
---@return string[]
function M.complete(lead, line)
  local words = vim.split(line:gsub("^.-Pi!?%s+", ""), "%s+")
  words[#words] = nil -- the word that is being typed
  local candidates
  if #words == 0 then
    candidates = names()
  else
    local subcommand = subcommands[table.remove(words, 1)]
    if not subcommand or not subcommand.complete then
      return {}
    end
    if subcommand == subcommands.image or (subcommand == subcommands.export and #words == 1) then
      return vim.fn.getcompletion(lead, "file")
    end
    candidates = subcommand.complete(words)
  end
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, lead)
  end, candidates)
end

return M
