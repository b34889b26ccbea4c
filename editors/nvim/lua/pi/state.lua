--- What the plugin knows of a session: the server's `State`, kept up to date by events.
local M = {}

--- Events that give one member its new value: the event's member and the state's.
local new_values = {
  queue_update = { "queues", "queues" },
  leaf_changed = { "leafId", "leafId" },
  session_info_changed = { "name", "name" },
  model_changed = { "model", "model" },
  thinking_level_changed = { "level", "thinkingLevel" },
  approval_mode_changed = { "mode", "approvalMode" },
  trust_changed = { "trusted", "trusted" },
}

--- What all other events change.
---@type table<string, fun(state: pi.State, event: pi.Event)>
local on = {}

function on.agent_start(state)
  state.phase = "turn"
  state.canContinue = false
end

function on.settled(state, event)
  state.phase = "idle"
  state.retry, state.compaction, state.streaming = nil, nil, nil
  state.canContinue = event.aborted or event.error ~= nil
end

function on.session_changed(state, event)
  for name in pairs(state) do
    state[name] = nil
  end
  for name, value in pairs(event.state) do
    state[name] = value
  end
end

function on.context_changed(state, event)
  state.context = { tokens = event.tokens, window = event.window, percent = event.percent }
  state.usage.cost = event.cost
end

function on.retry_start(state, event)
  state.retry = event
end

function on.retry_end(state)
  state.retry = nil
end

function on.compaction_start(state, event)
  state.compaction = { reason = event.reason }
  if event.reason == "manual" then
    state.phase = "compaction"
  end
end

function on.compaction_end(state, event)
  state.compaction = nil
  if event.reason == "manual" then
    state.phase = "idle"
  end
end

function on.branch_summary_start(state)
  state.phase = "branch_summary"
end

function on.branch_summary_end(state)
  state.phase = "idle"
end

--- Take an event in.
---@param state pi.State
---@param event pi.Event
function M.apply(state, event)
  local members = new_values[event.type]
  if members then
    state[members[2]] = event[members[1]]
  elseif on[event.type] then
    on[event.type](state, event)
  end
end

--- All items that wait, in the order in which they go out.
---@param queues? pi.Queues
---@return { kind: "steer"|"followUp"|"nextTurn", item: pi.QueueItem }[]
function M.queued(queues)
  local items = {}
  for _, kind in ipairs({ "steer", "followUp", "nextTurn" }) do
    for _, item in ipairs(queues and queues[kind] or {}) do
      items[#items + 1] = { kind = kind, item = item }
    end
  end
  return items
end

return M
