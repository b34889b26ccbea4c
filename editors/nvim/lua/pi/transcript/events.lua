--- What each event changes in the transcript.
local entries_to_blocks = require("pi.transcript.entries")
local tool = require("pi.transcript.tool")

local M = {}

local streamed_output_limit = 200 * 1000 -- bytes; the result shows what the tool kept of it

---@param transcript pi.Transcript
---@param event pi.Event a message_end
local function append_message(transcript, event)
  transcript:append_entry({
    type = "message",
    id = event.entryId,
    message = event.message,
    timestamp = "",
  })
end

---@param transcript pi.Transcript
---@param event pi.Event a message_end
local function end_answer(transcript, event)
  local live = transcript.live
  if transcript.known[event.entryId] then
    live:discard()
  elseif live:matches(event.message) then
    transcript.known[event.entryId] = true
    live:settle(event.message, event.entryId)
    local ending = entries_to_blocks.ending(event.message)
    if ending then
      transcript.canvas:append(ending, { kind = "notice", entry_id = event.entryId })
    end
  else
    live:discard()
    append_message(transcript, event)
  end
end

---@param transcript pi.Transcript
---@param event pi.Event a message_end
local function end_result(transcript, event)
  transcript.known[event.entryId] = true
  local block = transcript.calls[event.message.toolCallId]
  if block and not block.call.result then
    tool.finish(block.call, event.message)
    transcript.canvas:replace(block, tool.render(block.call))
  end
end

---@type table<string, fun(transcript: pi.Transcript, event: pi.Event)>
local on = {}

function on.agent_start(transcript)
  transcript:set_hint(nil)
end

function on.message_start(transcript, event)
  if event.message.role == "assistant" then
    transcript.live:begin()
  end
end

function on.message_end(transcript, event)
  local role = event.message.role
  if role == "assistant" then
    end_answer(transcript, event)
  elseif role == "toolResult" then
    end_result(transcript, event)
  else
    if role == "bashExecution" then
      transcript:end_command()
    end
    append_message(transcript, event)
  end
end

function on.entry_appended(transcript, event)
  transcript:append_entry(event.entry)
end

function on.tool_execution_start(transcript, event)
  local block = transcript:call_block(event.toolCallId, event.toolName, event.args)
  block.call.args = event.args or block.call.args
  block.call.phase = "running"
  transcript.canvas:replace(block, tool.render(block.call))
end

function on.tool_execution_end(transcript, event)
  local block = transcript.calls[event.toolCallId]
  if block then
    block.call.duration_ms = event.durationMs
    tool.finish(block.call, {
      content = event.result and event.result.content,
      details = event.result and event.result.details,
      isError = event.isError,
    })
    transcript.canvas:replace(block, tool.render(block.call))
  end
end

function on.approval_asked(transcript, event)
  transcript:call_block(event.toolCallId, event.toolName, event.args)
  transcript:set_phase(event.toolCallId, "asking")
end

function on.approval_answered(transcript, event)
  transcript:set_phase(event.toolCallId, "running")
end

function on.retry_start(transcript, event)
  transcript.live:discard()
  transcript:set_hint(
    ("%s Trying again in %d s (%d of %d)."):format(
      event.error,
      math.ceil(event.delayMs / 1000),
      event.attempt,
      event.maxAttempts
    ),
    "PiWarning"
  )
end

function on.retry_end(transcript)
  transcript:set_hint(nil)
end

function on.compaction_start(transcript, event)
  if event.reason == "overflow" then
    transcript.live:discard()
  end
  transcript:set_hint("Compacting: the past is put into a summary…", "PiNotice")
end

function on.compaction_end(transcript, event)
  transcript:set_hint(nil)
  if event.error then
    transcript:notice(event.error, "PiError")
  elseif event.aborted then
    transcript:notice("The compaction was stopped; nothing has changed.", "PiWarning")
  end
end

function on.branch_summary_start(transcript)
  transcript:set_hint("Summarising the branch that is left…", "PiNotice")
end

function on.branch_summary_end(transcript, event)
  transcript:set_hint(nil)
  if event.error then
    transcript:notice(event.error, "PiError")
  end
end

function on.error(transcript, event)
  transcript:notice(event.message, "PiError")
end

function on.settled(transcript, event)
  if event.aborted or event.error then
    transcript:offer_continue()
  end
end

---@param transcript pi.Transcript
---@param block? pi.Block
---@param delta string
local function output(transcript, block, delta)
  if not block then
    return
  end
  block.streamed = (block.streamed or 0) + #delta
  if block.streamed <= streamed_output_limit then
    transcript.live:push_output(block, delta)
  end
end

--- Draw an event. Pieces of text are gathered; whatever else comes is drawn after them.
---@param transcript pi.Transcript
---@param event pi.Event
function M.apply(transcript, event)
  if event.type == "message_update" then
    transcript.live:push(event)
  elseif event.type == "tool_execution_update" then
    output(transcript, transcript.calls[event.toolCallId], event.delta)
  elseif event.type == "bash_update" then
    output(transcript, transcript.running_command, event.delta)
  elseif on[event.type] then
    transcript.live:flush()
    transcript.canvas:change(function()
      on[event.type](transcript, event)
    end)
  end
end

return M
