--- `:checkhealth pi`
local M = {}

local reports = {
  ok = vim.health.ok,
  warn = vim.health.warn,
  error = vim.health.error,
}

-- The server answers within this, or is said not to. Milliseconds.
local answer_timeout = 10000

local function check_neovim()
  local version = tostring(vim.version())
  if vim.fn.has("nvim-0.11") == 1 then
    vim.health.ok("Neovim " .. version)
  else
    vim.health.error(("Neovim %s is too old"):format(version), "Use Neovim 0.11 or newer.")
  end
  if pcall(vim.treesitter.language.add, "markdown") then
    vim.health.ok("treesitter has Markdown")
  else
    vim.health.warn("treesitter has no parser for Markdown", "Answers are shown without colours.")
  end
end

---@return string[]? cmd
local function check_server()
  local server = require("pi.server")
  local search = server.find()
  if not search.cmd then
    vim.health.error("The server was not found.", {
      "Looked for: " .. table.concat(search.looked, "; "),
      "`pip install pi-lsp` installs it; or set `cmd` in require('pi').setup().",
    })
    return
  end
  local command = table.concat(search.cmd, " ")
  local version = vim.list_extend({}, search.cmd)
  version[#version + 1] = "--version"
  local ok, process = pcall(vim.system, version, { text = true })
  local result = ok and process:wait(answer_timeout) or { code = -1 }
  if result.code == 0 then
    vim.health.ok(("%s (`%s`)"):format(vim.trim(result.stdout), command))
    return search.cmd
  end
  vim.health.error(("`%s --version` failed"):format(command), result.stderr)
end

---@param check pi.HealthCheck
local function report(check)
  local advice = { check.hint }
  if check.name == "key" and check.status ~= "ok" then
    advice[#advice + 1] = "`:Pi key` takes one for as long as the server runs."
  end
  local message = ("%s: %s"):format(check.name, check.message)
  local tell = reports[check.status] or vim.health.info
  if #advice > 0 then
    tell(message, advice)
  else
    tell(message)
  end
end

---@param chat pi.Chat
local function check_session(chat)
  local answer, problem
  chat:request("pi/health", nil, function(result)
    answer = result
  end, function(err)
    problem = err.message
  end)
  local answered = vim.wait(answer_timeout, function()
    return answer ~= nil or problem ~= nil
  end, 20)
  if problem or not answered then
    vim.health.error(problem or "The server did not answer.", "`:Pi log` may tell why.")
    return
  end
  for _, check in ipairs(answer.checks) do
    report(check)
  end
  if answer.log then
    vim.health.info("log of the server: " .. answer.log)
  end
  vim.health.info("log of Neovim's client: " .. vim.lsp.log.get_filename())
end

function M.check()
  vim.health.start("pi: Neovim")
  check_neovim()
  vim.health.start("pi: server")
  if not check_server() then
    return
  end
  local chat = require("pi.chats").current()
  vim.health.start("pi: " .. vim.fn.fnamemodify(chat.root, ":~"))
  check_session(chat)
end

return M
