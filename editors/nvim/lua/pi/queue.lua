--- The messages that wait, in a small window over the input: one line each, and each can be taken
--- back.
local buffers = require("pi.buffers")
local config = require("pi.config")
local state = require("pi.state")
local text = require("pi.text")

local api = vim.api
local ns = api.nvim_create_namespace("pi.queue")

---@class pi.Queue
---@field buf integer
---@field items { kind: string, item: pi.QueueItem }[]
local Queue = {}
Queue.__index = Queue

local kinds = { steer = "steer", followUp = "follow up", nextTurn = "next prompt" }

---@param root string
---@return pi.Queue
function Queue.new(root)
  local buf = buffers.create("queue", root)
  return setmetatable({ buf = buf, items = {} }, Queue)
end

---@return integer
function Queue:count()
  return #self.items
end

--- Draw what waits.
---@param queues? pi.Queues
function Queue:show(queues)
  self.items = state.queued(queues)
  local lines = {}
  for index, queued in ipairs(self.items) do
    lines[index] = ("%-11s %s"):format(kinds[queued.kind], text.one_line(queued.item.text, 200))
  end
  buffers.set_lines(self.buf, lines)
  api.nvim_buf_clear_namespace(self.buf, ns, 0, -1)
  for index = 1, #lines do
    api.nvim_buf_set_extmark(self.buf, ns, index - 1, 0, {
      end_col = 11,
      hl_group = "PiQueueKind",
      sign_text = config.options.icons.waiting,
      sign_hl_group = "PiToolRunning",
    })
  end
end

--- The item under the cursor.
---@return pi.QueueItem?
function Queue:at_cursor()
  local queued = self.items[api.nvim_win_get_cursor(0)[1]]
  return queued and queued.item
end

return Queue
