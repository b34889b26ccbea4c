--- Choices that are made from a list (`vim.ui.select`) or given with the command.
local notify = require("pi.notify")
local text = require("pi.text")

local M = {}

---@param items any[]
---@param prompt string
---@param kind string
---@param format fun(item: any): string
---@param on_choice fun(item: any)
local function select(items, prompt, kind, format, on_choice)
  vim.ui.select(
    items,
    { prompt = prompt, kind = "pi." .. kind, format_item = format },
    function(item)
      if item ~= nil then
        on_choice(item)
      end
    end
  )
end

--- Whether a value that was typed is one of those there are; else that is said.
---@param what string
---@param value string
---@param values string[]
---@return boolean
local function is_known(what, value, values)
  if vim.tbl_contains(values, value) then
    return true
  end
  local choices = table.concat(values, ", ")
  notify.say(
    ("there is no %s %s; there are: %s"):format(what, value, choices),
    vim.log.levels.ERROR
  )
  return false
end

---------------------------------------------------------------------------------------------------
-- model and thinking

---@param model pi.Model
---@return string
local function model_name(model)
  return model.provider .. "/" .. model.id
end

---@param chat pi.Chat
---@param model pi.Model
local function set_model(chat, model)
  chat:request("pi/setModel", { provider = model.provider, modelId = model.id }, function(result)
    notify.say("the model is " .. model_name(result.model))
  end)
end

---@param chat pi.Chat
---@param name string `provider/id`, an id, or empty
function M.model(chat, name)
  chat:request("pi/models", nil, function(result)
    M.model_names = vim.tbl_map(model_name, result.models)
    if name == "" then
      select(result.models, "Model", "model", function(model)
        local key = model.available and "" or "  (no key)"
        local window = text.tokens(model.contextWindow)
        return ("%s  %s  %s%s"):format(model.name, model_name(model), window, key)
      end, function(model)
        set_model(chat, model)
      end)
      return
    end
    for _, model in ipairs(result.models) do
      if model_name(model) == name or model.id == name then
        set_model(chat, model)
        return
      end
    end
    notify.say(("there is no model %s; `:Pi model` lists them"):format(name), vim.log.levels.ERROR)
  end)
end

--- Names for completion, as far as the server has told them.
---@type string[]
M.model_names = {}

M.thinking_levels = { "off", "minimal", "low", "medium", "high", "xhigh", "max" }

---@param chat pi.Chat
---@param level string
function M.thinking(chat, level)
  local function set(choice)
    chat:request("pi/setThinkingLevel", { level = choice }, function(result)
      local nearest = result.level ~= choice and " (the nearest that this model takes)" or ""
      notify.say(("thinking is %s%s"):format(result.level, nearest))
    end)
  end
  if level ~= "" then
    if is_known("thinking level", level, M.thinking_levels) then
      set(level)
    end
    return
  end
  local model = chat.state and chat.state.model
  local levels = model and #(model.thinkingLevels or {}) > 0 and model.thinkingLevels
    or M.thinking_levels
  select(levels, "Thinking", "thinking", tostring, set)
end

---------------------------------------------------------------------------------------------------
-- modes

M.approval_modes = { "ask", "edits", "auto", "readonly" }

local approval_descriptions = {
  ask = "ask before edits, commands and anything outside the folder",
  edits = "edits inside the folder need no question",
  auto = "nothing is asked",
  readonly = "nothing may be changed",
}

---@param chat pi.Chat
---@param mode string
function M.approvals(chat, mode)
  local function set(choice)
    chat:request("pi/setApprovalMode", { mode = choice }, function(result)
      notify.say(("approvals: %s: %s"):format(result.mode, approval_descriptions[result.mode]))
    end)
  end
  if mode ~= "" then
    if is_known("approval mode", mode, M.approval_modes) then
      set(mode)
    end
    return
  end
  select(M.approval_modes, "Approvals", "approvals", function(item)
    return ("%-9s %s"):format(item, approval_descriptions[item])
  end, set)
end

M.queue_names = { "steering", "followUp" }
M.queue_modes = { "one-at-a-time", "all" }

---@param chat pi.Chat
---@param which "steering"|"followUp"
---@param mode pi.QueueMode
local function set_queue_mode(chat, which, mode)
  chat:request("pi/setQueueMode", { [which] = mode }, function(result)
    if chat.state then
      chat.state.steeringMode, chat.state.followUpMode = result.steering, result.followUp
    end
    notify.say(("steering: %s, follow-ups: %s"):format(result.steering, result.followUp))
  end)
end

---@param chat pi.Chat
---@param arguments string[] which queue, and its mode
function M.queue(chat, arguments)
  local which, mode = arguments[1], arguments[2]
  if which and not is_known("queue", which, M.queue_names) then
    return
  elseif which and mode then
    if is_known("queue mode", mode, M.queue_modes) then
      set_queue_mode(chat, which, mode)
    end
    return
  end
  local choices = {}
  for _, queue in ipairs(which and { which } or M.queue_names) do
    for _, item in ipairs(M.queue_modes) do
      choices[#choices + 1] = { queue, item }
    end
  end
  select(choices, "Queues", "queue", function(choice)
    local name = choice[1] == "steering" and "steering messages" or "follow-ups"
    local how = choice[2] == "all" and "all at once" or "one at a time"
    return ("%s: %s"):format(name, how)
  end, function(choice)
    set_queue_mode(chat, choice[1], choice[2])
  end)
end

---------------------------------------------------------------------------------------------------
-- sessions

---@param session pi.SessionInfo
---@return string
local function describe(session)
  local title = session.name or text.one_line(session.firstMessage or "", 50)
  local notes = {}
  if session.current then
    notes[#notes + 1] = "this one"
  end
  if session.locked and not session.current then
    notes[#notes + 1] = "open elsewhere"
  end
  if session.readOnly then
    notes[#notes + 1] = "read-only"
  end
  local note = #notes > 0 and ("  (%s)"):format(table.concat(notes, ", ")) or ""
  local when = session.modified:gsub("T", " "):sub(1, 16)
  return ("%s  %s, %s%s"):format(
    title ~= "" and title or "(empty)",
    when,
    text.count(session.messageCount, "message"),
    note
  )
end

--- Let the person choose a session.
---@param chat pi.Chat
---@param prompt string
---@param keep fun(session: pi.SessionInfo): boolean
---@param on_choice fun(session: pi.SessionInfo)
local function choose_session(chat, prompt, keep, on_choice)
  chat:request("pi/sessions", nil, function(result)
    local sessions = vim.tbl_filter(keep, result.sessions)
    if #sessions == 0 then
      notify.say("there are no other sessions here")
      return
    end
    select(sessions, prompt, "session", describe, on_choice)
  end)
end

---@param chat pi.Chat
function M.sessions(chat)
  choose_session(chat, "Session", function()
    return true
  end, function(session)
    if not session.current then
      chat:request("pi/switchSession", { sessionId = session.sessionId })
    end
  end)
end

---@param chat pi.Chat
function M.delete(chat)
  choose_session(chat, "Delete which session?", function(session)
    return not session.current
  end, function(session)
    local question = ("Delete “%s”? It goes to the trash where there is one."):format(
      session.name or text.one_line(session.firstMessage or "", 40)
    )
    select({ "Keep it", "Delete it" }, question, "confirm", tostring, function(choice)
      if choice == "Delete it" then
        chat:request("pi/deleteSession", { sessionId = session.sessionId }, function()
          notify.say("deleted")
        end)
      end
    end)
  end)
end

---@param chat pi.Chat
---@param name string
function M.rename(chat, name)
  local function set(chosen)
    chat:request("pi/renameSession", { name = chosen })
  end
  if name ~= "" then
    set(name)
    return
  end
  vim.ui.input({
    prompt = "Name of this session: ",
    default = chat.state and chat.state.name,
  }, function(chosen)
    if chosen then
      set(chosen)
    end
  end)
end

M.export_formats = { "html", "markdown", "jsonl" }

---@param chat pi.Chat
---@param arguments string[] format, and the path
function M.export(chat, arguments)
  local function export(format)
    local path = arguments[2] and vim.fn.fnamemodify(arguments[2], ":p") or nil
    chat:request("pi/export", { format = format, path = path }, function(result)
      notify.say("exported to " .. vim.fn.fnamemodify(result.path, ":~:."))
    end)
  end
  if not arguments[1] then
    select(M.export_formats, "Export as", "export", tostring, export)
  elseif is_known("export format", arguments[1], M.export_formats) then
    export(arguments[1])
  end
end

---------------------------------------------------------------------------------------------------
-- fork

--- Fork at one of the person's messages, chosen from a list.
---@param chat pi.Chat
---@param on_choice fun(entry_id: string)
function M.fork_point(chat, on_choice)
  chat:request("pi/tree", { filter = "user" }, function(result)
    local nodes = {}
    for index = #result.nodes, 1, -1 do
      if result.nodes[index].onPath then
        nodes[#nodes + 1] = result.nodes[index]
      end
    end
    if #nodes == 0 then
      notify.say("there is no message to fork from yet", vim.log.levels.WARN)
      return
    end
    select(nodes, "Fork before which message?", "fork", function(node)
      return node.text
    end, function(node)
      on_choice(node.id)
    end)
  end)
end

return M
