--- Which folder a buffer belongs to: the nearest one with `.pi` or `.git`, else the working
--- directory.
local M = {}

--- `~/.pi` is where pi keeps its settings, not the mark of a project.
---@param name string
---@param path string
---@return boolean
local function is_mark(name, path)
  if name == ".git" then
    return true
  end
  return name == ".pi" and vim.fs.normalize(path) ~= vim.fs.normalize(vim.env.HOME or "~")
end

---@param buf integer
---@return boolean
function M.is_file(buf)
  return vim.api.nvim_buf_is_loaded(buf)
    and vim.bo[buf].buftype == ""
    and vim.api.nvim_buf_get_name(buf) ~= ""
end

---@param buf? integer
---@return string
function M.of(buf)
  buf = buf or vim.api.nvim_get_current_buf()
  local source = M.is_file(buf) and vim.api.nvim_buf_get_name(buf) or assert(vim.uv.cwd())
  local folder = vim.fs.root(source, is_mark) or assert(vim.uv.cwd())
  return vim.uv.fs_realpath(folder) or vim.fs.normalize(folder)
end

--- Whether a file lies in a folder.
---@param path string
---@param root string
---@return boolean
function M.contains(root, path)
  local real = vim.uv.fs_realpath(path) or path
  return vim.startswith(vim.fs.normalize(real) .. "/", vim.fs.normalize(root) .. "/")
end

return M
