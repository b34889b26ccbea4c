--- The chat of one folder: its server, what it knows of the session, and its views. Events come in
--- here in order and go to the state and the views; a gap, a restart or another branch is met by
--- asking for the state and drawing it. What a person can do stands in actions.lua.
local Client = require("pi.client")
local Input = require("pi.input")
local Queue = require("pi.queue")
local Transcript = require("pi.transcript")
local approval = require("pi.approval")
local buffers = require("pi.buffers")
local config = require("pi.config")
local drafts = require("pi.drafts")
local layout = require("pi.layout")
local notify = require("pi.notify")
local session_state = require("pi.state")
local transcript_events = require("pi.transcript.events")
local winbar = require("pi.winbar")

---@class pi.Chat
---@field root string
---@field client pi.Client
---@field state? pi.State nil until the server has told it
---@field seq integer the last event that was taken in
---@field transcript pi.Transcript
---@field input pi.Input
---@field queue pi.Queue
---@field questions pi.Question[] approvals that wait, the oldest first
---@field problem? string why there is no server
---@field after_restart? string what to say when the state is drawn again
---@field unsent? pi.Queues what was queued when the server ended
---@field tool_names table<string, string> running calls' tools, by call id
---@field syncing? pi.EventParams[] events that came while the state is asked for
---@field sync_again boolean
---@field loading_older boolean
---@field own_run boolean the run was started from the chat
---@field frame integer of the winbar's animation
---@field busy_since? integer ms, from vim.uv.now
---@field animating boolean
local Chat = {}
Chat.__index = Chat

---@param root string
---@return pi.Chat
function Chat.new(root)
  local self = setmetatable({
    root = root,
    seq = 0,
    questions = {},
    tool_names = {},
    frame = 0,
    sync_again = false,
    loading_older = false,
    own_run = false,
    animating = false,
  }, Chat)
  self.transcript = Transcript.new(buffers.create("transcript", root))
  self.input = Input.new(root)
  self.queue = Queue.new(root)
  self.client = Client.new(root, {
    on_ready = function()
      self:_on_ready()
    end,
    on_event = function(params)
      self:_on_event(params)
    end,
    on_approve = function(params, answer)
      self:_on_approve(params, answer)
    end,
    on_exit = function(reason, restarting)
      self:_on_exit(reason, restarting)
    end,
    on_missing = function(message)
      self:_set_problem("no server", message)
    end,
  })
  local kept = drafts.load(root)
  if kept.draft then
    self.input:restore(kept.draft)
  end
  return self
end

---@return boolean
function Chat:is_busy()
  return self.state ~= nil and self.state.phase ~= "idle"
end

--- Start the server, if it does not run.
function Chat:start()
  self.client:start()
  winbar.update(self)
end

--- Ask the server. Errors are told to the person, unless `on_error` takes them.
---@param method string
---@param params? table
---@param callback? fun(result: any)
---@param on_error? fun(err: pi.Error)
function Chat:request(method, params, callback, on_error)
  self.client:request(method, params, function(err, result)
    if err then
      if on_error then
        on_error(err)
      else
        self:tell_error(err)
      end
    elseif callback then
      callback(result)
    end
  end)
end

--- Tell of an error; one that does not fit into a line stands in the transcript as well.
---@param err pi.Error
function Chat:tell_error(err)
  if not notify.error(err) then
    self.transcript:notice(err.message, "PiError")
  end
end

---------------------------------------------------------------------------------------------------
-- the state as a whole

--- Ask for the state and the newest entries, and draw them. Events that come meanwhile are kept
--- and taken in after.
---@param on_done? fun()
function Chat:sync(on_done)
  if self.syncing then
    self.sync_again = true
    return
  end
  self.syncing = {}
  local state, page
  local function finish()
    if state and page then
      self:_draw(state, page)
      if on_done then
        on_done()
      end
    end
  end
  local function fail(err)
    self.syncing = nil
    if self.state then
      self:tell_error(err)
    elseif not self.problem then
      self:_set_problem("no session", err.message .. " `:Pi restart` tries again.")
    end
  end
  self:request("pi/state", nil, function(result)
    state = result
    finish()
  end, fail)
  self:request("pi/entries", { branch = true, limit = config.options.page }, function(result)
    page = result
    finish()
  end, fail)
end

---@param state pi.State
---@param page { entries: pi.Entry[], more: boolean }
function Chat:_draw(state, page)
  local events = self.syncing or {}
  self.syncing = nil
  self.state, self.seq = state, state.seq
  self.transcript:show(page.entries, page.more)
  self.transcript:resume(state)
  for _, warning in ipairs(state.warnings or {}) do
    self.transcript:notice(warning, "PiWarning")
  end
  if self.after_restart then
    self.transcript:notice(self.after_restart, "PiWarning")
    self.after_restart = nil
  end
  self:_take_recovered(state)
  if state.canContinue and state.phase == "idle" then
    self.transcript:offer_continue()
  end
  self:refresh_views()
  for _, params in ipairs(events) do
    self:_on_event(params)
  end
  if self.sync_again then
    self.sync_again = false
    self:sync()
  end
end

--- Texts that were queued when the server last died come back to the input: those that it found
--- again, and those that it had not yet written down.
---@param state pi.State
function Chat:_take_recovered(state)
  local recovered = state.recovered or {}
  local items =
    vim.list_extend(vim.list_extend({}, recovered.steer or {}), recovered.followUp or {})
  local found = {}
  for _, item in ipairs(vim.list_extend(vim.list_slice(items), state.queues.nextTurn)) do
    found[item.id] = true
  end
  for _, queued in ipairs(session_state.queued(self.unsent)) do
    if not found[queued.item.id] then
      items[#items + 1] = queued.item
    end
  end
  self.unsent = nil
  self.input:give_back(items)
  if #items > 0 then
    local message = #items == 1 and "A queued message was not sent; it stands in the input again."
      or "Queued messages were not sent; they stand in the input again."
    self.transcript:notice(message, "PiWarning")
  end
end

--- Draw older entries at the top, if there are any.
function Chat:load_older()
  local transcript = self.transcript
  if not transcript.more or self.loading_older or self.syncing or not transcript.oldest then
    return
  end
  self.loading_older = true
  local params = { branch = true, before = transcript.oldest, limit = config.options.page }
  self:request("pi/entries", params, function(page)
    self.loading_older = false
    transcript:show_older(page.entries, page.more)
  end, function(err)
    self.loading_older = false
    self:tell_error(err)
  end)
end

--- Draw the bars and the queue from the state.
function Chat:refresh_views()
  self.queue:show(self.state and self.state.queues)
  if layout.visible(self) then
    layout.show_queue(self)
  end
  winbar.update(self)
end

---------------------------------------------------------------------------------------------------
-- what the server tells

function Chat:_on_ready()
  self.problem = nil
  self.syncing = nil
  self:sync(function()
    require("pi.trust").ask_once(self)
  end)
end

---@param label string for the bar
---@param message string
function Chat:_set_problem(label, message)
  self.problem = label
  self.transcript:notice(message, "PiError")
  notify.aside(message, vim.log.levels.ERROR)
  winbar.update(self)
end

---@param reason string
---@param restarting boolean
function Chat:_on_exit(reason, restarting)
  self.syncing = nil
  self.loading_older = false
  approval.withdraw_all(self)
  local message = ("The server ended (%s)."):format(reason)
  if self:is_busy() then
    message = message .. " What it was doing was cut off; what was said so far stands."
  end
  self.unsent = self.state and self.state.queues or self.unsent
  self.state = nil
  if restarting then
    message = message .. " It was started again."
    notify.aside(message, vim.log.levels.WARN)
    self.after_restart = message
    winbar.update(self)
  else
    self:_set_problem("server ended", message .. " `:Pi restart` starts it, `:Pi log` tells more.")
  end
end

---@param params pi.EventParams
function Chat:_on_event(params)
  local event = params.event
  if self.syncing then
    self.syncing[#self.syncing + 1] = params
    return
  elseif not self.state then
    return -- the state that is asked for after the handshake holds it
  elseif event.type == "session_changed" then
    session_state.apply(self.state, event)
    self.seq = params.seq
    self:sync()
    return
  elseif params.sessionId ~= self.state.sessionId or params.seq <= self.seq then
    return
  elseif params.seq ~= self.seq + 1 then
    self:sync()
    return
  end
  self.seq = params.seq
  session_state.apply(self.state, event)
  transcript_events.apply(self.transcript, event)
  require("pi.reactions").to(self, event)
end

---@param params pi.ApproveParams
---@param answer fun(reply: pi.ApproveReply)
function Chat:_on_approve(params, answer)
  approval.ask(self, params, answer)
end

return Chat
