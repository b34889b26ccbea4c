--- All chats: one per folder.
local roots = require("pi.roots")

local api = vim.api

local M = {}

---@type table<string, pi.Chat>
local by_root = {}

---@type string? the folder whose chat was used last
local last_root

---@param root string
---@return pi.Chat?
function M.get(root)
  return by_root[root]
end

---@return pi.Chat[]
function M.all()
  return vim.tbl_values(by_root)
end

--- The chat of a folder, made when there is none. Its server is not started by that.
---@param root string
---@return pi.Chat
function M.of(root)
  last_root = root
  if not by_root[root] then
    require("pi.setup").once()
    local chat = require("pi.chat").new(root)
    by_root[root] = chat
    require("pi.keys").set(chat)
  end
  return by_root[root]
end

--- The chat that a command given here is for: that of the chat's own buffer, of the file's folder,
--- or, in a buffer of another kind, the one that was used last.
---@return pi.Chat
function M.current()
  local buf = api.nvim_get_current_buf()
  local own = vim.b[buf].pi_root
  if own then
    return M.of(own)
  elseif not roots.is_file(buf) and last_root and by_root[last_root] then
    return by_root[last_root]
  end
  return M.of(roots.of(buf))
end

--- The chat of the current buffer's folder, if it has been opened.
---@return pi.Chat?
function M.present()
  local buf = api.nvim_get_current_buf()
  return by_root[vim.b[buf].pi_root or roots.of(buf)] or (last_root and by_root[last_root])
end

return M
