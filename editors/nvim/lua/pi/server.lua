--- Finds the server: what the options name, else `pi-lsp` on the PATH, else a Python that has the
--- package.
local config = require("pi.config")

local M = {}

--- A Python answers within this, or is not asked further. Milliseconds.
local python_timeout = 5000

---@param python string
---@return boolean
local function has_package(python)
  if vim.fn.executable(python) == 0 then
    return false
  end
  local probe = "import importlib.util, sys; sys.exit(importlib.util.find_spec('pi_lsp') is None)"
  local ok, process = pcall(vim.system, { python, "-c", probe }, {})
  return ok and process:wait(python_timeout).code == 0
end

---@class pi.ServerSearch
---@field cmd? string[] how to start it; nil when it was not found
---@field looked string[] where it was looked for, in order

--- Look for the server. Takes up to some seconds when only a Python can have it.
---@return pi.ServerSearch
function M.find()
  local own = config.options.cmd
  if own then
    if vim.fn.executable(own[1]) == 1 then
      return { cmd = own, looked = {} }
    end
    return { looked = { ("option cmd: `%s` is not executable"):format(own[1]) } }
  end
  if vim.fn.executable("pi-lsp") == 1 then
    return { cmd = { "pi-lsp" }, looked = {} }
  end
  local looked = { "`pi-lsp` on the PATH" }
  for _, python in ipairs({ "python3", "python" }) do
    if has_package(python) then
      return { cmd = { python, "-m", "pi_lsp" }, looked = looked }
    end
    looked[#looked + 1] = ("the package pi_lsp in `%s`"):format(python)
  end
  return { looked = looked }
end

--- What to say when it was not found.
---@param search pi.ServerSearch
---@return string
function M.missing(search)
  return (
    "The pi server was not found. Looked for: %s. `pip install pi-lsp` installs it, or set "
    .. "`cmd` in require('pi').setup(). `:checkhealth pi` tells more."
  ):format(table.concat(search.looked, "; "))
end

return M
