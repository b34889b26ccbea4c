--- The chat's windows: transcript, queue and input, together at one side of the editor. Which
--- windows there are is read from the editor each time; nothing is remembered here.
local config = require("pi.config")

local api = vim.api

local M = {}

-- The queue's window grows to this many lines, then it scrolls.
local queue_limit = 6

---@param buf integer
---@return integer? window in the current tab page
function M.window(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if api.nvim_win_get_tabpage(win) == api.nvim_get_current_tabpage() then
      return win
    end
  end
end

---@param chat pi.Chat
---@return boolean
function M.visible(chat)
  return M.window(chat.transcript.buf) ~= nil
end

---@param size number
---@param whole integer
---@return integer
local function part(size, whole)
  return math.max(1, math.floor(size < 1 and size * whole or size))
end

---@param win integer
---@param options table<string, any>
local function set_options(win, options)
  for name, value in pairs(options) do
    api.nvim_set_option_value(name, value, { win = win, scope = "local" })
  end
end

local plain = {
  number = false,
  relativenumber = false,
  foldcolumn = "0",
  statuscolumn = "",
  colorcolumn = "",
  cursorline = false,
  list = false,
  spell = false,
  wrap = true,
  linebreak = true,
  winfixbuf = true,
}

local function options(more)
  return vim.tbl_extend("force", plain, more)
end

---@param root string
---@return string
local function statusline_name(root)
  return (vim.fs.basename(root):gsub("%%", "%%%%"))
end

---@param chat pi.Chat
---@return integer transcript window
local function open_transcript(chat)
  local layout = config.options.layout
  local beside = layout.position == "right" or layout.position == "left"
  local split = ({ right = "right", left = "left", top = "above", bottom = "below" })[layout.position]
  local win = api.nvim_open_win(chat.transcript.buf, false, {
    split = split,
    win = -1,
    width = beside and part(layout.width, vim.o.columns) or nil,
    height = not beside and part(layout.height, vim.o.lines) or nil,
  })
  set_options(
    win,
    options({
      signcolumn = "yes:1",
      breakindent = true,
      conceallevel = 2,
      concealcursor = "nvc",
      foldmethod = "manual",
      foldtext = "v:lua.require'pi.transcript.canvas'.foldtext()",
      foldenable = true,
      foldminlines = 0,
      winfixwidth = beside,
      winhighlight = "Folded:Normal",
      statusline = " pi · " .. statusline_name(chat.root),
      fillchars = "fold: ,eob: ",
      scrolloff = 0,
    })
  )
  chat.transcript.canvas:fold_window(win)
  api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(chat.transcript.buf), 0 })
  return win
end

---@param chat pi.Chat
---@param above integer transcript window
---@return integer
local function open_input(chat, above)
  local win = api.nvim_open_win(chat.input.buf, false, {
    split = "below",
    win = above,
    height = part(config.options.layout.input_height, vim.o.lines),
  })
  set_options(
    win,
    options({
      signcolumn = "yes:1",
      winfixheight = true,
      statusline = " ask",
      fillchars = "eob: ",
      scrolloff = 0,
    })
  )
  return win
end

--- Show the chat in this tab page. With `enter`, the cursor goes to the input.
---@param chat pi.Chat
---@param enter boolean
function M.open(chat, enter)
  local transcript = M.window(chat.transcript.buf) or open_transcript(chat)
  local input = M.window(chat.input.buf) or open_input(chat, transcript)
  M.show_queue(chat)
  if enter then
    api.nvim_set_current_win(input)
  end
end

--- Show the queue's window with as many lines as there are, or none.
---@param chat pi.Chat
function M.show_queue(chat)
  local win = M.window(chat.queue.buf)
  local count = chat.queue:count()
  local input = M.window(chat.input.buf)
  if count == 0 or not input then
    if win then
      api.nvim_win_close(win, true)
    end
    return
  end
  local height = math.min(count, queue_limit)
  if win then
    api.nvim_win_set_height(win, height)
    return
  end
  win = api.nvim_open_win(chat.queue.buf, false, { split = "above", win = input, height = height })
  set_options(
    win,
    options({
      signcolumn = "yes:1",
      wrap = false,
      statusline = " waiting",
      winfixheight = true,
      fillchars = "eob: ",
      winbar = "",
    })
  )
  api.nvim_win_set_height(win, height)
end

--- Hide the chat in this tab page. Nothing is lost or decided by that.
---@param chat pi.Chat
function M.close(chat)
  for _, buf in ipairs({ chat.queue.buf, chat.input.buf, chat.transcript.buf }) do
    local win = M.window(buf)
    local alone = #api.nvim_tabpage_list_wins(0) == 1
    if win and alone then
      vim.wo[win].winfixbuf = false
      vim.cmd("enew")
    elseif win then
      api.nvim_win_close(win, true)
    end
  end
end

---@param win integer
---@return boolean
local function shows_file(win)
  return vim.bo[api.nvim_win_get_buf(win)].buftype == ""
    and api.nvim_win_get_config(win).relative == ""
end

--- A window of this tab page for a file: the previous one, any that shows a file, or a new one.
---@return integer
function M.file_window()
  local previous = vim.fn.win_getid(vim.fn.winnr("#"))
  if previous ~= 0 and shows_file(previous) then
    return previous
  end
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    if shows_file(win) then
      return win
    end
  end
  local opposite = config.options.layout.position == "left" and "right" or "left"
  local empty = api.nvim_create_buf(true, false)
  return api.nvim_open_win(empty, false, { split = opposite, win = -1 })
end

return M
