--- One server for one folder: started over vim.lsp, attached to the folder's open files, started
--- again when it ends without being asked to.
local config = require("pi.config")
local editor = require("pi.editor")
local notify = require("pi.notify")
local roots = require("pi.roots")
local server = require("pi.server")

local api = vim.api

-- A server that ends this often in this time is not started again by itself. Milliseconds.
local restart_limit, restart_window = 3, 3 * 60 * 1000

-- Levels of `window/showMessage` by their numbers in LSP.
local message_levels = {
  vim.log.levels.ERROR,
  vim.log.levels.WARN,
  vim.log.levels.INFO,
  vim.log.levels.DEBUG,
}

---@class pi.ClientCallbacks
---@field on_ready fun() the server has answered the handshake
---@field on_event fun(params: pi.EventParams)
---@field on_approve fun(params: pi.ApproveParams, answer: fun(reply: pi.ApproveReply))
---@field on_exit fun(reason: string, restarting: boolean) it ended without being asked to
---@field on_missing fun(message: string) it was not found or could not be started

---@class pi.Client
---@field root string
---@field id? integer of the vim.lsp client
---@field ready boolean
---@field callbacks pi.ClientCallbacks
---@field stopping boolean
---@field ends integer[] when it ended, ms
---@field waiting fun()[] requests that wait for the handshake
local Client = {}
Client.__index = Client

---@param root string
---@param callbacks pi.ClientCallbacks
---@return pi.Client
function Client.new(root, callbacks)
  return setmetatable({
    root = root,
    callbacks = callbacks,
    ready = false,
    stopping = false,
    ends = {},
    waiting = {},
  }, Client)
end

---@return vim.lsp.Client?
function Client:lsp()
  return self.id and vim.lsp.get_client_by_id(self.id)
end

---@return table<string, function>
function Client:_handlers()
  return {
    ["pi/event"] = function(_, params)
      self.callbacks.on_event(params)
    end,
    ["pi/approve"] = function(_, params)
      -- The handler runs in a coroutine of vim.lsp's; the answer comes when the person gives it.
      local thread = coroutine.running()
      local answered = false
      self.callbacks.on_approve(params, function(reply)
        if not answered then
          answered = true
          coroutine.resume(thread, reply)
        end
      end)
      return coroutine.yield()
    end,
    ["window/showMessage"] = function(_, params)
      notify.aside(params.message, message_levels[params.type])
    end,
    ["pi/diagnostics"] = editor.diagnostics,
    ["pi/save"] = editor.save,
    ["workspace/applyEdit"] = editor.apply_edit,
  }
end

---@return table
local function capabilities()
  return vim.tbl_deep_extend("force", vim.lsp.protocol.make_client_capabilities(), {
    -- Neovim leaves this out; without it an edit does not say which version it is for.
    workspace = { workspaceEdit = { documentChanges = true } },
    experimental = { pi = { approval = true, diagnostics = true, save = true } },
  })
end

--- Run the server. How it ended is told by us, with what to do, and not by vim.lsp as well.
---@param cmd string[]
---@param dispatchers vim.lsp.rpc.Dispatchers
---@return vim.lsp.rpc.PublicClient
function Client:_spawn(cmd, dispatchers)
  local quiet = vim.tbl_extend("force", dispatchers, {
    on_exit = function(code, signal)
      dispatchers.on_exit(0, 0)
      vim.schedule(function()
        self:_on_exit(code, signal)
      end)
    end,
  })
  return vim.lsp.rpc.start(cmd, quiet, { cwd = self.root })
end

--- Start the server unless it runs. False when it cannot be started; the callback says why.
---@return boolean
function Client:start()
  if self:lsp() then
    return true
  end
  local search = server.find()
  if not search.cmd then
    self.callbacks.on_missing(server.missing(search))
    return false
  end
  self.stopping, self.ready = false, false
  local settings = config.options.settings
  self.id = vim.lsp.start({
    name = "pi",
    cmd = function(dispatchers)
      return self:_spawn(search.cmd, dispatchers)
    end,
    root_dir = self.root,
    workspace_folders = { { uri = vim.uri_from_fname(self.root), name = self.root } },
    init_options = next(settings) and settings or vim.empty_dict(),
    capabilities = capabilities(),
    handlers = self:_handlers(),
    -- An edit of the agent's counts as made when the server hears of the change.
    flags = { debounce_text_changes = 0 },
    on_init = vim.schedule_wrap(function()
      self:_on_init()
    end),
  }, {
    attach = false,
    silent = true,
    reuse_client = function(client, new)
      return client.name == "pi" and client.root_dir == new.root_dir and not client:is_stopped()
    end,
  })
  if not self.id then
    self.callbacks.on_missing(
      ("The pi server could not be started: `%s`."):format(table.concat(search.cmd, " "))
    )
  end
  return self.id ~= nil
end

function Client:_on_init()
  if not self:lsp() then
    return
  end
  self.ready = true
  for _, buf in ipairs(api.nvim_list_bufs()) do
    self:attach(buf)
  end
  local waiting = self.waiting
  self.waiting = {}
  self.callbacks.on_ready()
  for _, send in ipairs(waiting) do
    send()
  end
end

--- Let the server see a buffer, if it is a file of this folder.
---@param buf integer
function Client:attach(buf)
  if
    self.ready
    and roots.is_file(buf)
    and roots.contains(self.root, api.nvim_buf_get_name(buf))
  then
    vim.lsp.buf_attach_client(buf, self.id)
  end
end

---@param code integer
---@param signal integer
function Client:_on_exit(code, signal)
  self.id, self.ready = nil, false
  if self.stopping or vim.v.exiting ~= vim.NIL then
    return
  end
  local now = vim.uv.now()
  self.ends = vim.tbl_filter(function(time)
    return now - time < restart_window
  end, self.ends)
  self.ends[#self.ends + 1] = now
  local restarting = #self.ends < restart_limit
  local reason = signal ~= 0 and ("signal %d"):format(signal) or ("exit code %d"):format(code)
  self.callbacks.on_exit(reason, restarting)
  if restarting then
    self:start()
  end
end

--- Send a request; it waits when the server is just starting. The callback is not called when the
--- request was cancelled (an abort of what it started) or the server ended before.
---@param method string
---@param params? table
---@param callback fun(err?: pi.Error, result?: any)
function Client:request(method, params, callback)
  local function send()
    local lsp = self:lsp()
    if lsp then
      local body = params and next(params) and params or vim.empty_dict()
      lsp:request(method, body, function(err, result)
        callback(err, result)
      end)
    end
  end
  if self.ready then
    send()
  elseif self:start() then
    self.waiting[#self.waiting + 1] = send
  end
end

--- End the server.
function Client:stop()
  self.stopping = true
  self.waiting = {}
  local lsp = self:lsp()
  if lsp then
    lsp:stop()
  end
end

--- Tell the server that the options' settings have changed.
function Client:settings_changed()
  local lsp = self:lsp()
  if lsp then
    local settings = config.options.settings
    lsp:notify("workspace/didChangeConfiguration", {
      settings = next(settings) and settings or vim.empty_dict(),
    })
  end
end

return Client
