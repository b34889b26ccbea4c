--- An edit as a real diff: two buffers side by side in a tab page of their own. Closing it decides
--- nothing.
local api = vim.api

local M = {}

---@class pi.Change
---@field diff? string unified; what is shown when there are no documents to ask for
---@field beforeUri? string
---@field afterUri? string
---@field path? string

--- Both sides of a unified diff, as far as it shows them. A line of dots stands between hunks.
---@param diff string
---@return string[] before
---@return string[] after
function M.sides(diff)
  local before, after = {}, {}
  local hunks = 0
  for _, line in ipairs(vim.split(diff, "\n", { plain = true })) do
    local sign, rest = line:sub(1, 1), line:sub(2)
    if line:sub(1, 2) == "@@" then
      if hunks > 0 then
        before[#before + 1], after[#after + 1] = "⋯", "⋯"
      end
      hunks = hunks + 1
    elseif hunks > 0 and sign == "-" then
      before[#before + 1] = rest
    elseif hunks > 0 and sign == "+" then
      after[#after + 1] = rest
    elseif hunks > 0 and sign == " " then
      before[#before + 1], after[#after + 1] = rest, rest
    end
  end
  return before, after
end

---@param lines string[]
---@param title string
---@param path? string
---@return integer
local function side_buffer(lines, title, path)
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "wipe"
  api.nvim_buf_set_lines(buf, 0, -1, true, lines)
  pcall(api.nvim_buf_set_name, buf, ("pi://diff/%d/%s/%s"):format(buf, title, path or ""))
  local filetype = path and vim.filetype.match({ filename = path, contents = lines })
  if filetype then
    vim.bo[buf].filetype = filetype
  end
  vim.bo[buf].modifiable = false
  return buf
end

---@param before string[]
---@param after string[]
---@param path? string
local function show_sides(before, after, path)
  local left = side_buffer(before, "before", path)
  local right = side_buffer(after, "after", path)
  vim.cmd.tabnew()
  vim.bo.bufhidden = "wipe"
  local tab = api.nvim_get_current_tabpage()
  api.nvim_win_set_buf(0, left)
  vim.cmd.diffthis()
  local win = api.nvim_open_win(right, true, { split = "right", win = 0 })
  api.nvim_win_call(win, vim.cmd.diffthis)
  for _, buf in ipairs({ left, right }) do
    vim.keymap.set("n", "q", function()
      if #api.nvim_list_tabpages() > 1 then
        vim.cmd.tabclose(api.nvim_tabpage_get_number(tab))
      end
    end, { buffer = buf, nowait = true, desc = "pi: close the diff" })
  end
end

---@param text string
---@return string[]
local function lines_of(text)
  return vim.split((text:gsub("\r\n", "\n"):gsub("\n$", "")), "\n", { plain = true })
end

--- Show an edit. The documents behind its URIs are asked for; without them the diff's own lines
--- are shown.
---@param chat pi.Chat
---@param change pi.Change
function M.show(chat, change)
  if not (change.beforeUri and change.afterUri) then
    local before, after = M.sides(change.diff or "")
    show_sides(before, after, change.path)
    return
  end
  local texts = {}
  local function receive(which)
    return function(result)
      texts[which] = lines_of(result.text)
      if texts.before and texts.after then
        show_sides(texts.before, texts.after, change.path)
      end
    end
  end
  local method = "workspace/textDocumentContent"
  chat:request(method, { uri = change.beforeUri }, receive("before"))
  chat:request(method, { uri = change.afterUri }, receive("after"))
end

return M
