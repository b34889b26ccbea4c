--- How a tool call looks: one line (sign, tool, target, what came of it), and its details under it.
local config = require("pi.config")
local text = require("pi.text")

local M = {}

---@alias pi.CallPhase "writing"|"waiting"|"asking"|"running"|"done"|"failed"

---@class pi.Call
---@field id string
---@field name string
---@field args table
---@field phase pi.CallPhase
---@field written integer bytes of arguments that have streamed so far
---@field output string what the tool printed so far
---@field result? { content: pi.ContentBlock[]|string, details?: table }
---@field duration_ms? integer

---@param id string
---@param name string
---@param args? table
---@param phase pi.CallPhase
---@return pi.Call
function M.new(id, name, args, phase)
  return { id = id, name = name, args = args or {}, phase = phase, written = 0, output = "" }
end

---@param call pi.Call
---@param message { content: any, details?: table, isError?: boolean }
function M.finish(call, message)
  call.result = { content = message.content, details = message.details }
  call.phase = message.isError and "failed" or "done"
end

local function with_path(args, before)
  return before .. (args.path and " in " .. args.path or "")
end

--- What a call is about, by tool: one line each.
---@type table<string, fun(args: table): string>
local targets = {
  read = function(args)
    if not args.offset and not args.limit then
      return args.path or ""
    end
    local first = args.offset or 1
    return ("%s:%d%s"):format(
      args.path or "",
      first,
      args.limit and "-" .. (first + args.limit - 1) or ""
    )
  end,
  bash = function(args)
    return args.command or ""
  end,
  grep = function(args)
    return with_path(args, ("/%s/"):format(args.pattern or ""))
  end,
  find = function(args)
    return with_path(args, args.pattern or "")
  end,
  ls = function(args)
    return args.path or "."
  end,
}

---@param call pi.Call
---@return string
function M.target(call)
  local target = targets[call.name]
  local line
  if target then
    line = target(call.args)
  elseif type(call.args.path) == "string" then
    line = call.args.path
  elseif next(call.args) then
    line = vim.json.encode(call.args)
  else
    line = ""
  end
  return text.one_line(line, 160)
end

---@param call pi.Call
---@return [string, string][] virtual text
local function details(call)
  local parts = {}
  local function add(part, group)
    parts[#parts + 1] = { "  " .. part, group or "PiToolDetail" }
  end
  if call.phase == "writing" and call.written > 0 then
    add(text.bytes(call.written))
  elseif call.phase == "asking" then
    add("waits for your answer", "PiWarning")
  end
  local diff = call.result and call.result.details and call.result.details.diff
  if type(diff) == "string" then
    local added, removed = text.diff_counts(diff)
    add("+" .. added, "PiDiffAdd")
    parts[#parts + 1] = { " −" .. removed, "PiDiffDelete" }
  end
  if call.duration_ms and call.duration_ms >= 100 then
    add(text.duration(call.duration_ms))
  end
  return parts
end

local phase_groups = {
  done = "PiToolDone",
  failed = "PiToolFailed",
  asking = "PiBarAsking",
}

---@param call pi.Call
---@return [string, string]
local function sign(call)
  local icon = call.phase == "writing" and "waiting" or call.phase
  return { config.options.icons[icon], phase_groups[call.phase] or "PiToolRunning" }
end

---@class pi.Body
---@field lines string[]
---@field spans pi.Span[] rows count from the body's first line

---@param body pi.Body
---@param lines string[]
---@param groups? string|(string|false)[] one for all, or one for each
local function add_lines(body, lines, groups)
  for index, line in ipairs(lines) do
    local line_group = type(groups) == "table" and groups[index] or groups
    if type(line_group) == "string" and line ~= "" then
      body.spans[#body.spans + 1] =
        { row = #body.lines, col = 0, end_col = #line, group = line_group }
    end
    body.lines[#body.lines + 1] = line
  end
end

---@param call pi.Call
---@return pi.Body
local function body_of(call)
  local body = { lines = {}, spans = {} }
  local command = call.name == "bash" and call.args.command
  if type(command) == "string" and (command:find("\n") or #command > 60) then
    add_lines(body, text.lines(command), "PiCommand")
  end
  local result = call.result
  local diff = result and result.details and result.details.diff
  if type(diff) == "string" and diff ~= "" then
    local lines = text.lines(diff)
    add_lines(body, lines, text.diff_groups(lines))
  elseif call.name == "write" and type(call.args.content) == "string" then
    add_lines(body, text.lines(call.args.content), "PiToolOutput")
  end
  if result and (type(diff) ~= "string" or call.phase == "failed") then
    local group = call.phase == "failed" and "PiError" or "PiToolOutput"
    add_lines(body, text.lines(text.of_content(result.content)), group)
  elseif not result and call.output ~= "" then
    add_lines(body, text.lines(call.output), "PiToolOutput")
  end
  return body
end

---@param call pi.Call
---@return pi.Rendered
function M.render(call)
  local target = M.target(call)
  local head = target == "" and call.name or call.name .. " " .. target
  local body = body_of(call)
  local spans = { { row = 0, col = 0, end_col = #call.name, group = "PiTool" } }
  if target ~= "" then
    local group = call.name == "bash" and "PiCommand" or "PiToolTarget"
    spans[2] = { row = 0, col = #call.name + 1, end_col = #head, group = group }
  end
  for _, span in ipairs(body.spans) do
    span.row = span.row + 1
    spans[#spans + 1] = span
  end
  return {
    lines = vim.list_extend({ head }, body.lines),
    spans = spans,
    eol = details(call),
    sign = sign(call),
    foldable = true,
  }
end

return M
