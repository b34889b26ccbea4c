--- What is set up once, when the plugin is first used: highlights and autocommands.
local M = {}

local api = vim.api
local done = false

local function autocommands()
  local group = api.nvim_create_augroup("pi", {})
  local chats = require("pi.chats")
  api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufFilePost", "BufWritePost" }, {
    group = group,
    desc = "pi: let the server see this file",
    callback = function(args)
      for _, chat in ipairs(chats.all()) do
        chat.client:attach(args.buf)
      end
    end,
  })
  api.nvim_create_autocmd("VimLeavePre", {
    group = group,
    desc = "pi: keep the drafts",
    callback = function()
      for _, chat in ipairs(chats.all()) do
        require("pi.actions").keep_draft(chat)
        chat.client.stopping = true
      end
    end,
  })
  api.nvim_create_autocmd("VimResized", {
    group = group,
    callback = function()
      for _, chat in ipairs(chats.all()) do
        require("pi.winbar").update(chat)
      end
    end,
  })
end

--- Set up what all chats share.
function M.once()
  if done then
    return
  end
  done = true
  require("pi.highlights").setup()
  require("pi.editor").setup()
  autocommands()
end

return M
