--- What an event does besides being drawn: bars, notices, other buffers, autocommands.
local approval = require("pi.approval")
local config = require("pi.config")
local editor = require("pi.editor")
local layout = require("pi.layout")
local notify = require("pi.notify")

local M = {}

-- Tools after which files on disk may differ from open buffers.
local writing_tools = { write = true, edit = true, bash = true }

---@type table<string, fun(chat: pi.Chat, event: pi.Event)>
local on = {}

function on.agent_start(chat)
  -- A run that was started elsewhere (a code action) is shown, without taking the cursor.
  if not chat.own_run and not layout.visible(chat) then
    layout.open(chat, false)
  end
  chat.own_run = false
end

function on.turn_start(chat)
  notify.user_event("PiTurnStart", { root = chat.root })
end

function on.turn_end(chat, event)
  notify.user_event("PiTurnEnd", { root = chat.root, entry_id = event.entryId })
end

function on.tool_execution_start(chat, event)
  chat.tool_names[event.toolCallId] = event.toolName
end

function on.tool_execution_end(chat, event)
  local name = chat.tool_names[event.toolCallId]
  chat.tool_names[event.toolCallId] = nil
  if not name or writing_tools[name] then
    editor.refresh(chat.root)
  end
end

function on.approval_answered(chat, event)
  approval.answered(chat, event.toolCallId)
end

function on.leaf_changed(chat)
  chat:sync()
end

function on.settled(chat, event)
  notify.user_event("PiRunEnd", { root = chat.root, aborted = event.aborted, error = event.error })
  local when = config.options.notify_on_end
  if when == "always" or (when == "hidden" and not layout.visible(chat)) then
    local outcome = event.error or (event.aborted and "Stopped.") or "Done."
    notify.aside(outcome, event.error and vim.log.levels.ERROR or vim.log.levels.INFO)
  end
end

function on.error(chat, event)
  if not layout.visible(chat) then
    notify.aside(event.message, vim.log.levels.ERROR)
  end
end

-- Events that change nothing in the bars, and come in numbers.
local quiet = {
  message_update = true,
  tool_execution_update = true,
  bash_update = true,
  message_start = true,
  message_end = true,
  save_point = true,
}

---@param chat pi.Chat
---@param event pi.Event
function M.to(chat, event)
  if on[event.type] then
    on[event.type](chat, event)
  end
  if not quiet[event.type] then
    chat:refresh_views()
  end
end

return M
