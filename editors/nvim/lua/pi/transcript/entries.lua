--- From entries of the session file to blocks of the transcript.
local render = require("pi.transcript.render")
local text = require("pi.text")
local tool = require("pi.transcript.tool")

local M = {}

---@alias pi.Results table<string, pi.Message> tool results by the id of their call

---@param rendered pi.Rendered
---@param block table
---@return pi.NewBlock
local function item(rendered, block)
  return { rendered = rendered, block = block }
end

--- What an answer's end is worth telling; nil when it ended as it should.
---@param message pi.Message
---@return pi.Rendered?
function M.ending(message)
  if message.stopReason == "aborted" then
    return render.notice("Stopped.", "PiWarning")
  elseif message.stopReason == "error" then
    return render.notice(message.errorMessage or "The model's answer failed.", "PiError")
  elseif message.stopReason == "length" then
    return render.notice("The answer was cut at the model's limit.", "PiWarning")
  end
end

---@param part pi.ContentBlock a toolCall
---@param results pi.Results
---@return pi.NewBlock
local function call_item(part, results)
  local arguments = type(part.arguments) == "table" and part.arguments or {}
  local call = tool.new(part.id, part.name, arguments, "waiting")
  if results[part.id] then
    tool.finish(call, results[part.id])
  end
  return item(tool.render(call), { kind = "tool", call_id = part.id, call = call })
end

---@param entry_id string
---@param message pi.Message
---@param results pi.Results
---@return pi.NewBlock[]
function M.answer(entry_id, message, results)
  local items = {}
  local content = type(message.content) == "table" and message.content or {}
  for _, part in ipairs(content) do
    if part.type == "text" and part.text ~= "" then
      items[#items + 1] = item(render.answer(part.text), { kind = "answer", text = part.text })
    elseif part.type == "thinking" and (part.thinking or "") ~= "" then
      items[#items + 1] = item(render.thinking(part.thinking), { kind = "thinking" })
    elseif part.type == "toolCall" then
      items[#items + 1] = call_item(part, results)
    end
  end
  local ending = M.ending(message)
  if ending then
    items[#items + 1] = item(ending, { kind = "notice" })
  end
  for _, each in ipairs(items) do
    each.block.entry_id = entry_id
  end
  return items
end

---@param entry pi.Entry of type message
---@param results pi.Results
---@return pi.NewBlock[]
local function message_items(entry, results)
  local message = entry.message or {}
  local role = message.role
  if role == "user" then
    return {
      item(render.user(message.content or ""), {
        kind = "user",
        entry_id = entry.id,
        text = render.typed_text(message.content or ""),
      }),
    }
  elseif role == "assistant" then
    return M.answer(entry.id, message, results)
  elseif role == "bashExecution" then
    return { item(render.command(message), { kind = "command", entry_id = entry.id }) }
  elseif role == "custom" and message.display ~= false then
    local rendered = render.custom(message.customType or "custom", message.content)
    return { item(rendered, { kind = "custom", entry_id = entry.id }) }
  end
  return {} -- tool results stand with their calls; system messages are not shown
end

--- Entries other than messages that are worth a line.
---@type table<string, fun(entry: pi.Entry): pi.Rendered?>
local other = {
  compaction = function(entry)
    local title = "Compacted"
    if entry.tokensBefore then
      title = ("Compacted %s tokens into a summary"):format(text.tokens(entry.tokensBefore))
    end
    return render.summary(title, entry.summary or "")
  end,
  branch_summary = function(entry)
    return render.summary("Summary of the branch that was left", entry.summary or "")
  end,
  custom_message = function(entry)
    if entry.display ~= false then
      return render.custom(entry.customType or "custom", entry.content)
    end
  end,
  model_change = function(entry)
    local model = ("%s/%s"):format(entry.provider or "?", entry.modelId or "?")
    return render.notice("Model: " .. model, "PiHint")
  end,
}

--- The blocks of an entry; none for one that is not shown.
---@param entry pi.Entry
---@param results pi.Results
---@return pi.NewBlock[]
function M.items(entry, results)
  if entry.type == "message" then
    return message_items(entry, results)
  end
  local rendered = other[entry.type] and other[entry.type](entry)
  if not rendered then
    return {}
  end
  return { item(rendered, { kind = entry.type, entry_id = entry.id }) }
end

--- The tool results among some entries.
---@param entries pi.Entry[]
---@return pi.Results
function M.results(entries)
  local results = {}
  for _, entry in ipairs(entries) do
    local message = entry.message
    if message and message.role == "toolResult" and message.toolCallId then
      results[message.toolCallId] = message
    end
  end
  return results
end

return M
