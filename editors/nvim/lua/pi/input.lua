--- The input: the text that is being written, what goes with it, and which message it replaces.
local buffers = require("pi.buffers")

local api = vim.api

---@class pi.Editing an old message that the draft replaces when it is sent
---@field entry_id string
---@field text string what it said

---@class pi.Draft
---@field text string
---@field attachments pi.Attachment[]
---@field images { name: string, image: pi.ImageAttachment }[]
---@field editing? pi.Editing

---@class pi.Input
---@field buf integer
---@field attachments pi.Attachment[]
---@field images { name: string, image: pi.ImageAttachment }[]
---@field editing? pi.Editing
local Input = {}
Input.__index = Input

---@param root string
---@return pi.Input
function Input.new(root)
  local buf = buffers.create("input", root)
  pcall(vim.treesitter.start, buf, "markdown") -- plain text where Neovim has no parser
  return setmetatable({ buf = buf, attachments = {}, images = {} }, Input)
end

---@return string
function Input:text()
  return vim.trim(table.concat(api.nvim_buf_get_lines(self.buf, 0, -1, true), "\n"))
end

---@param text string
function Input:set_text(text)
  local lines = vim.split(text, "\n", { plain = true })
  api.nvim_buf_set_lines(self.buf, 0, -1, true, lines)
  for _, win in ipairs(vim.fn.win_findbuf(self.buf)) do
    api.nvim_win_set_cursor(win, { #lines, #lines[#lines] })
  end
end

--- Put texts that came back (queued ones that were not sent) before what is being written.
---@param items pi.QueueItem[]
function Input:give_back(items)
  if #items == 0 then
    return
  end
  local texts = {}
  for _, item in ipairs(items) do
    texts[#texts + 1] = item.text
    vim.list_extend(self.attachments, item.attachments or {})
    for _, image in ipairs(item.images or {}) do
      self.images[#self.images + 1] = { name = "picture", image = image }
    end
  end
  local own = self:text()
  if own ~= "" then
    texts[#texts + 1] = own
  end
  self:set_text(table.concat(texts, "\n\n"))
end

---@param attachment pi.Attachment
function Input:attach(attachment)
  for _, present in ipairs(self.attachments) do
    if vim.deep_equal(present, attachment) then
      return
    end
  end
  self.attachments[#self.attachments + 1] = attachment
end

--- How what goes with the message is named: `lua/pi/init.lua:3-9`.
---@return string[]
function Input:attachment_names()
  local names = {}
  for _, attachment in ipairs(self.attachments) do
    local name = vim.fn.fnamemodify(vim.uri_to_fname(attachment.uri), ":t")
    local range = attachment.range
    if range then
      local last = range["end"].line + (range["end"].character > 0 and 1 or 0)
      name = ("%s:%d-%d"):format(name, range.start.line + 1, math.max(last, range.start.line + 1))
    end
    names[#names + 1] = name
  end
  for _, image in ipairs(self.images) do
    names[#names + 1] = image.name
  end
  return names
end

--- The message as it goes on the wire; nil when there is nothing to send.
---@return pi.MessageParams?
function Input:message()
  local text = self:text()
  if text == "" and #self.attachments == 0 and #self.images == 0 then
    return nil
  end
  local message = { text = text }
  if #self.attachments > 0 then
    message.attachments = self.attachments
  end
  if #self.images > 0 then
    message.images = vim.tbl_map(function(image)
      return image.image
    end, self.images)
  end
  return message
end

---@return pi.Draft
function Input:draft()
  return {
    text = self:text(),
    attachments = self.attachments,
    images = self.images,
    editing = self.editing,
  }
end

---@param draft pi.Draft
function Input:restore(draft)
  self.attachments = draft.attachments or {}
  self.images = draft.images or {}
  self.editing = draft.editing
  self:set_text(draft.text or "")
end

--- Begin anew, with nothing written.
function Input:clear()
  self:restore({ text = "", attachments = {}, images = {} })
end

return Input
