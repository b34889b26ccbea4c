--- Whether a folder's own settings, context files and old sessions may be used.
local config = require("pi.config")
local drafts = require("pi.drafts")

local M = {}

local trust = "Trust it: its settings, AGENTS.md and old sessions are read"
local distrust = "Do not trust it"

---@param chat pi.Chat
---@param trusted boolean
local function set(chat, trusted)
  chat:request("pi/setTrust", { trusted = trusted }, function(result)
    chat.state.trusted = result.trusted
  end)
end

--- Ask now.
---@param chat pi.Chat
function M.ask(chat)
  vim.ui.select({ trust, distrust }, {
    prompt = ("Do you trust the folder %s?"):format(vim.fn.fnamemodify(chat.root, ":~")),
    kind = "pi.trust",
  }, function(choice)
    if choice then
      set(chat, choice == trust)
    end
  end)
end

--- Ask when this folder is not trusted and nobody was asked before.
---@param chat pi.Chat
function M.ask_once(chat)
  if not config.options.ask_trust or chat.state.trusted then
    return
  end
  local kept = drafts.load(chat.root)
  if not kept.asked_trust then
    kept.asked_trust = true
    drafts.save(chat.root, kept)
    M.ask(chat)
  end
end

return M
