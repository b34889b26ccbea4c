--- What outlives Neovim: each folder's draft, and whether the person was asked to trust it. Kept in
--- one small file per folder under stdpath("state"), readable by its owner only.
local M = {}

---@class pi.Kept
---@field draft? pi.Draft
---@field asked_trust? boolean

---@param root string
---@return string
local function path_of(root)
  return vim.fs.joinpath(vim.fn.stdpath("state"), "pi", vim.fn.sha256(root):sub(1, 16) .. ".json")
end

---@param root string
---@return pi.Kept
function M.load(root)
  local file = io.open(path_of(root), "r")
  if not file then
    return {}
  end
  local content = file:read("*a")
  file:close()
  local ok, kept = pcall(vim.json.decode, content, { luanil = { object = true, array = true } })
  return ok and type(kept) == "table" and kept or {}
end

---@param root string
---@param kept pi.Kept
function M.save(root, kept)
  local path = path_of(root)
  vim.fn.mkdir(vim.fs.dirname(path), "p", tonumber("700", 8))
  local descriptor = vim.uv.fs_open(path, "w", tonumber("600", 8))
  if descriptor then
    vim.uv.fs_write(descriptor, vim.json.encode(kept))
    vim.uv.fs_close(descriptor)
  end
end

return M
