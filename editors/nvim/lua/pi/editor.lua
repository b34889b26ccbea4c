--- What the server may ask of the editor: to edit, to save, and for the findings of the other
--- servers. Each is a handler of vim.lsp's shape.
local roots = require("pi.roots")

local api = vim.api

local M = {}

-- How long findings are waited for after a change. Milliseconds.
local diagnostics_wait = 1500

---@param uri string
---@return integer? buffer, when the document is open
local function open_buffer(uri)
  local buf = vim.fn.bufnr(vim.uri_to_fname(uri))
  return buf ~= -1 and api.nvim_buf_is_loaded(buf) and buf or nil
end

--- Begin a new undo step in a buffer: setting 'undolevels', even to its own value, does that.
---@param buf integer
local function break_undo(buf)
  vim.bo[buf].undolevels = vim.bo[buf].undolevels
end

---@param change lsp.TextDocumentEdit
---@return string? why it cannot be made
local function refusal(change)
  local document = change.textDocument
  if not document then
    return "only changes of text are made here, no files are created, renamed or deleted"
  end
  local buf = open_buffer(document.uri)
  if not buf then
    return ("%s is not open in the editor"):format(vim.uri_to_fname(document.uri))
  end
  if not vim.bo[buf].modifiable then
    return ("%s cannot be modified in the editor"):format(vim.uri_to_fname(document.uri))
  end
  local version = vim.lsp.util.buf_versions[buf]
  if type(document.version) == "number" and version and document.version ~= version then
    return ("%s has changed in the editor meanwhile"):format(vim.uri_to_fname(document.uri))
  end
end

--- `workspace/applyEdit`: all of it, or nothing with the reason; one undo step in each buffer.
---@param params lsp.ApplyWorkspaceEditParams
---@param context { client_id: integer }
function M.apply_edit(_, params, context)
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  local changes = params.edit.documentChanges
  if not changes then
    return { applied = false, failureReason = "the edit does not say which versions it is for" }
  end
  for index, change in ipairs(changes) do
    local reason = refusal(change)
    if reason then
      return { applied = false, failureReason = reason, failedChange = index - 1 }
    end
  end
  for _, change in ipairs(changes) do
    local buf = open_buffer(change.textDocument.uri) --[[@as integer]]
    break_undo(buf)
    vim.lsp.util.apply_text_edits(change.edits, buf, client.offset_encoding)
    break_undo(buf)
  end
  return { applied = true }
end

--- `pi/save`: write these documents, with the person's own autocommands (formatters) at work.
---@param params { uris: string[] }
function M.save(_, params)
  local saved = {}
  for _, uri in ipairs(params.uris or {}) do
    local buf = open_buffer(uri)
    if buf then
      local ok, problem = pcall(api.nvim_buf_call, buf, function()
        vim.cmd("silent lockmarks write")
      end)
      if ok then
        saved[#saved + 1] = uri
      else
        require("pi.notify").aside(tostring(problem), vim.log.levels.WARN)
      end
    end
  end
  return { saved = saved }
end

---@param bufs integer[]
---@param own_client integer
---@return integer[] those that another server may still be looking at
local function unsettled(bufs, own_client)
  return vim.tbl_filter(function(buf)
    for _, client in ipairs(vim.lsp.get_clients({ bufnr = buf })) do
      if client.id ~= own_client and M.seen_ticks[buf] ~= api.nvim_buf_get_changedtick(buf) then
        return true
      end
    end
    return false
  end, bufs)
end

--- The change of each buffer that its findings were last told for.
---@type table<integer, integer>
M.seen_ticks = {}

--- Keep `seen_ticks`; called once.
function M.setup()
  local group = api.nvim_create_augroup("pi.editor", {})
  api.nvim_create_autocmd("DiagnosticChanged", {
    group = group,
    callback = function(args)
      M.seen_ticks[args.buf] = api.nvim_buf_get_changedtick(args.buf)
    end,
  })
  api.nvim_create_autocmd("BufWipeout", {
    group = group,
    callback = function(args)
      M.seen_ticks[args.buf] = nil
    end,
  })
end

---@param buf integer
---@param row integer
---@param col integer bytes
---@param encoding string
---@return lsp.Position
local function position(buf, row, col, encoding)
  local line = api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
  local character = vim.str_utfindex(line, encoding, math.min(col, #line), false)
  return { line = row, character = character }
end

---@param buf integer
---@param encoding string
---@return table
local function findings(buf, encoding)
  local items = vim.tbl_map(function(item)
    return {
      range = {
        start = position(buf, item.lnum, item.col, encoding),
        ["end"] = position(buf, item.end_lnum or item.lnum, item.end_col or item.col, encoding),
      },
      severity = item.severity,
      message = item.message,
      source = item.source,
      code = item.code,
    }
  end, vim.diagnostic.get(buf))
  return {
    uri = vim.uri_from_bufnr(buf),
    version = vim.lsp.util.buf_versions[buf],
    items = items,
  }
end

---@param uris? string[]
---@return integer[]
local function buffers_of(uris)
  if not uris then
    return vim.tbl_filter(function(buf)
      return api.nvim_buf_is_loaded(buf) and #vim.diagnostic.get(buf) > 0
    end, api.nvim_list_bufs())
  end
  local bufs = {}
  for _, uri in ipairs(uris) do
    bufs[#bufs + 1] = open_buffer(uri)
  end
  return bufs
end

--- `pi/diagnostics`: what all of the editor's servers found; waits a moment for those that are
--- still looking at a change.
---@param params? { uris?: string[] }
---@param context { client_id: integer }
function M.diagnostics(_, params, context)
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  local bufs = buffers_of(params and params.uris)
  local thread = coroutine.running()
  local stop = vim.uv.now() + diagnostics_wait
  while #unsettled(bufs, context.client_id) > 0 and vim.uv.now() < stop do
    vim.defer_fn(function()
      coroutine.resume(thread)
    end, 50)
    coroutine.yield()
  end
  return {
    diagnostics = vim.tbl_map(function(buf)
      return findings(buf, client.offset_encoding)
    end, bufs),
  }
end

--- Read a buffer's file again, if it has changed. A file that was made after its buffer would make
--- `checktime` ask; such a buffer is empty.
---@param buf integer
local function reread(buf)
  local is_empty = api.nvim_buf_line_count(buf) == 1
    and api.nvim_buf_get_lines(buf, 0, 1, true)[1] == ""
  if is_empty and vim.fn.getfsize(api.nvim_buf_get_name(buf)) > 0 then
    api.nvim_buf_call(buf, function()
      vim.cmd("silent edit")
    end)
  else
    vim.cmd(("silent checktime %d"):format(buf))
  end
end

--- Read files again that the agent (or a command of its) wrote and that are open without changes.
---@param root string
function M.refresh(root)
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if
      roots.is_file(buf)
      and not vim.bo[buf].modified
      and roots.contains(root, api.nvim_buf_get_name(buf))
    then
      reread(buf)
    end
  end
end

return M
