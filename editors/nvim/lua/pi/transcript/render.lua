--- How the parts of a conversation look, but for tool calls (tool.lua). Nothing here draws: what
--- comes out goes to the canvas.
local config = require("pi.config")
local text = require("pi.text")

local M = {}

---@param icon string
---@param group string
---@return [string, string]
local function sign(icon, group)
  return { config.options.icons[icon], group }
end

--- A user's message: what was typed, and a line for each thing that came with it.
---@param content string|pi.ContentBlock[]
---@return pi.Rendered
function M.user(content)
  local lines, spans = {}, {}
  local typed = M.typed_text(content)
  if typed ~= "" then
    lines = text.lines(typed)
  end
  if type(content) == "table" then
    for index, block in ipairs(content) do
      local note
      if block.type == "image" then
        note = ("[picture, %s]"):format(block.mimeType or "unknown kind")
      elseif block.type == "text" and index > 1 then
        note = "[" .. text.one_line(block.text, 100) .. "]"
      end
      if note then
        spans[#spans + 1] = { row = #lines, col = 0, end_col = #note, group = "PiAttachment" }
        lines[#lines + 1] = note
      end
    end
  end
  return {
    lines = #lines > 0 and lines or { "" },
    spans = spans,
    sign = sign("user", "PiUserSign"),
    sign_all = true,
    line_group = "PiUser",
  }
end

--- The text that a person typed: the first block. What follows are attachments.
---@param content string|pi.ContentBlock[]
---@return string
function M.typed_text(content)
  if type(content) == "string" then
    return content
  end
  local first = content[1]
  return first and first.type == "text" and first.text or ""
end

---@param answer string
---@return pi.Rendered
function M.answer(answer)
  return { lines = text.lines(answer), markdown = 0 }
end

---@param thought string
---@param streaming? boolean
---@return pi.Rendered
function M.thinking(thought, streaming)
  local head = streaming and "thinking…" or "thought"
  local words = select(2, thought:gsub("%S+", ""))
  local lines = { head }
  if thought ~= "" then
    vim.list_extend(lines, text.lines(thought))
  end
  local spans = {}
  for row, line in ipairs(lines) do
    spans[row] = { row = row - 1, col = 0, end_col = #line, group = "PiThinking" }
  end
  return {
    lines = lines,
    spans = spans,
    eol = words > 0 and { { "  " .. text.count(words, "word"), "PiHint" } } or nil,
    sign = sign("thinking", "PiThinking"),
    foldable = true,
  }
end

--- A line of the plugin's own, or several.
---@param message string
---@param group? string
---@return pi.Rendered
function M.notice(message, group)
  group = group or "PiNotice"
  local lines = text.lines(message)
  local spans = {}
  for row, line in ipairs(lines) do
    spans[row] = { row = row - 1, col = 0, end_col = #line, group = group }
  end
  return { lines = lines, spans = spans, sign = sign("notice", group) }
end

--- What holds just now, in the last line.
---@param message string
---@param group? string
---@return pi.Rendered
function M.hint(message, group)
  local rendered = M.notice(message, group or "PiHint")
  rendered.sign = sign("hint", group or "PiHint")
  return rendered
end

--- A summary (of a compaction, or of a branch that was left), folded under its title.
---@param title string
---@param summary string
---@return pi.Rendered
function M.summary(title, summary)
  return {
    lines = vim.list_extend({ title }, text.lines(summary)),
    spans = { { row = 0, col = 0, end_col = #title, group = "PiSummary" } },
    sign = sign("summary", "PiSummary"),
    foldable = true,
    markdown = 1,
  }
end

--- A command that the person ran.
---@param message pi.Message a bashExecution; exitCode is nil while it runs
---@param running? boolean
---@return pi.Rendered
function M.command(message, running)
  local head = text.one_line(message.command or "", 200)
  local lines = { head }
  if message.output and message.output ~= "" then
    vim.list_extend(lines, text.lines(message.output))
  end
  local spans = { { row = 0, col = 0, end_col = #head, group = "PiCommand" } }
  for row = 1, #lines - 1 do
    spans[#spans + 1] = { row = row, col = 0, end_col = #lines[row + 1], group = "PiToolOutput" }
  end
  local notes = {}
  if message.cancelled then
    notes[#notes + 1] = { "  stopped", "PiWarning" }
  elseif not running and message.exitCode and message.exitCode ~= 0 then
    notes[#notes + 1] = { ("  exit code %d"):format(message.exitCode), "PiError" }
  end
  if message.excludeFromContext then
    notes[#notes + 1] = { "  not told to the model", "PiHint" }
  end
  if message.truncated and message.fullOutputPath then
    notes[#notes + 1] = { "  all of it: " .. message.fullOutputPath, "PiHint" }
  end
  return {
    lines = lines,
    spans = spans,
    eol = notes,
    sign = sign("command", running and "PiToolRunning" or "PiToolDone"),
  }
end

--- What another program put into the conversation.
---@param custom_type string
---@param content string|pi.ContentBlock[]
---@return pi.Rendered
function M.custom(custom_type, content)
  local title = ("[%s]"):format(custom_type)
  return {
    lines = vim.list_extend({ title }, text.lines(text.of_content(content))),
    spans = { { row = 0, col = 0, end_col = #title, group = "PiAttachment" } },
    markdown = 1,
  }
end

return M
