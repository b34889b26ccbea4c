-- Defines the command and the maps; everything else is loaded when one of them is first used.
if vim.g.loaded_pi then
  return
end
vim.g.loaded_pi = true

vim.api.nvim_create_user_command("Pi", function(command)
  require("pi.commands").run(command)
end, {
  nargs = "*",
  range = true,
  bang = true,
  desc = "The coding agent pi: toggle the chat, or run a subcommand",
  complete = function(lead, line)
    return require("pi.commands").complete(lead, line)
  end,
})

local maps = {
  toggle = { "n", "<Cmd>Pi<CR>", "Show or hide the chat" },
  ask = { "n", "<Cmd>Pi ask<CR>", "Write to pi" },
  ["ask-selection"] = { "x", ":Pi ask<CR>", "Ask about the selection" },
  stop = { "n", "<Cmd>Pi stop<CR>", "Stop the run" },
  continue = { "n", "<Cmd>Pi continue<CR>", "Go on from the end of the conversation" },
  approve = { "n", "<Cmd>Pi approve<CR>", "Go to the question that waits" },
  tree = { "n", "<Cmd>Pi tree<CR>", "Show the branches" },
  sessions = { "n", "<Cmd>Pi sessions<CR>", "Choose a session" },
  model = { "n", "<Cmd>Pi model<CR>", "Choose the model" },
}

for name, map in pairs(maps) do
  vim.keymap.set(map[1], ("<Plug>(pi-%s)"):format(name), map[2], { silent = true, desc = map[3] })
end
