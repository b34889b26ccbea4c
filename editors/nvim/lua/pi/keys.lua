--- The keys in the chat's own buffers, and what moves by itself in them.
local actions = require("pi.actions")
local approval = require("pi.approval")
local buffers = require("pi.buffers")
local notify = require("pi.notify")
local paths = require("pi.paths")

local api = vim.api

local M = {}

--- Map the keys of one of the chat's buffers: what it has of its own, and what all have.
---@param chat pi.Chat
---@param buf integer
---@param part "input"|"transcript"|"queue"
---@param own table<string, [fun(), string]>
---@param modes? string[]
local function map(chat, buf, part, own, modes)
  local common = {
    write = {
      function()
        actions.write(chat)
      end,
      "write to pi",
    },
    stop = {
      function()
        actions.stop(chat)
      end,
      "stop; queued texts come back",
    },
    approve = {
      function()
        approval.focus(chat)
      end,
      "go to the question that waits",
    },
    hide = {
      function()
        actions.hide(chat)
      end,
      "hide the chat",
    },
    help = {
      function()
        buffers.show_keys(buf)
      end,
      "show these keys",
    },
  }
  buffers.map(buf, part, vim.tbl_extend("error", common, own), modes)
end

---@param chat pi.Chat
local function input_keys(chat)
  map(chat, chat.input.buf, "input", {
    send = {
      function()
        actions.send(chat)
      end,
      "send; steers a run that is going on",
    },
    follow_up = {
      function()
        actions.send(chat, "followUp")
      end,
      "send as a follow-up, for when the run is done",
    },
  }, { "n", "i" })
end

---@param chat pi.Chat
---@return pi.Block?
local function block_at_cursor(chat)
  return chat.transcript:block_at(api.nvim_win_get_cursor(0)[1] - 1)
end

--- Open what is under the cursor: older messages, a question, a path, or a fold.
---@param chat pi.Chat
local function open(chat)
  local row = api.nvim_win_get_cursor(0)[1]
  if row == 1 then
    chat:load_older()
    return
  end
  local block = block_at_cursor(chat)
  if block and block.call and block.call.phase == "asking" then
    approval.focus(chat)
  elseif vim.fn.foldlevel(row) > 0 and (vim.fn.foldclosed(row) ~= -1 or M.is_head(chat, row)) then
    vim.cmd("normal! za")
  else
    paths.open_at_cursor(chat.root)
  end
end

--- Whether a row (from 1) is the first of a block.
---@param chat pi.Chat
---@param row integer
---@return boolean
function M.is_head(chat, row)
  local block = chat.transcript:block_at(row - 1)
  return block ~= nil and chat.transcript.canvas:rows(block) + block.lead == row - 1
end

---@param chat pi.Chat
local function show_diff(chat)
  local block = block_at_cursor(chat)
  local details = block and block.call and block.call.result and block.call.result.details
  if details and type(details.diff) == "string" then
    require("pi.diff").show(chat, { diff = details.diff, path = block.call.args.path })
  elseif block and block.call and block.call.phase == "asking" then
    approval.show_diff(chat, block.call_id)
  else
    notify.say("put the cursor on an edit to see it as a diff", vim.log.levels.WARN)
  end
end

---@param chat pi.Chat
local function transcript_keys(chat)
  map(chat, chat.transcript.buf, "transcript", {
    open = {
      function()
        open(chat)
      end,
      "open or close a tool call; open a path",
    },
    open_path = {
      function()
        paths.open_at_cursor(chat.root)
      end,
      "open the path under the cursor",
    },
    edit = {
      function()
        actions.edit(chat, block_at_cursor(chat))
      end,
      "edit this message of yours and send it anew",
    },
    diff = {
      function()
        show_diff(chat)
      end,
      "show this edit as a diff",
    },
    fork = {
      function()
        local block = block_at_cursor(chat)
        if block and block.entry_id then
          actions.fork(chat, block.entry_id)
        end
      end,
      "fork a new session from here",
    },
    next_message = {
      function()
        actions.jump_message(chat, true)
      end,
      "next message of yours",
    },
    previous_message = {
      function()
        actions.jump_message(chat, false)
      end,
      "previous message of yours",
    },
  })
end

---@param chat pi.Chat
local function queue_keys(chat)
  map(chat, chat.queue.buf, "queue", {
    take_back = {
      function()
        local item = chat.queue:at_cursor()
        if item then
          actions.take_back(chat, item)
        end
      end,
      "take this message back into the input",
    },
  })
end

--- Older messages come when the top is reached.
---@param chat pi.Chat
local function load_on_scroll(chat)
  api.nvim_create_autocmd({ "WinScrolled", "CursorMoved" }, {
    buffer = chat.transcript.buf,
    desc = "pi: draw older messages",
    callback = function()
      local win = api.nvim_get_current_win()
      if api.nvim_win_get_buf(win) == chat.transcript.buf and vim.fn.line("w0", win) == 1 then
        chat:load_older()
      end
    end,
  })
end

--- Closing one of the chat's windows closes the others.
---@param chat pi.Chat
local function close_together(chat)
  local layout = require("pi.layout")
  api.nvim_create_autocmd("WinClosed", {
    group = api.nvim_create_augroup("pi.windows." .. chat.transcript.buf, {}),
    desc = "pi: the chat's windows close together",
    callback = function(args)
      local buf = vim.fn.winbufnr(tonumber(args.match))
      if buf == chat.transcript.buf or buf == chat.input.buf then
        vim.schedule(function()
          local transcript = layout.window(chat.transcript.buf)
          local input = layout.window(chat.input.buf)
          if (transcript == nil) ~= (input == nil) then
            actions.hide(chat)
          end
        end)
      end
    end,
  })
end

---@param chat pi.Chat
function M.set(chat)
  input_keys(chat)
  transcript_keys(chat)
  queue_keys(chat)
  load_on_scroll(chat)
  close_together(chat)
end

return M
