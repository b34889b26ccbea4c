--- The branches of a session as a buffer: go to one, summarise what is left, fork, label.
local actions = require("pi.actions")
local buffers = require("pi.buffers")
local layout = require("pi.layout")
local lines = require("pi.tree.lines")
local notify = require("pi.notify")

local api = vim.api
local ns = api.nvim_create_namespace("pi.tree")

local M = {}

local filters = { "branches", "default", "noTools", "user", "labeled", "all" }

---@class pi.Tree
---@field chat pi.Chat
---@field buf integer
---@field filter integer index into the filters
---@field lines pi.TreeLine[]

---@type table<integer, pi.Tree> by buffer
local trees = {}

---@param tree pi.Tree
---@return integer?
local function window(tree)
  return layout.window(tree.buf)
end

---------------------------------------------------------------------------------------------------
-- drawing: only the rows on the screen are coloured

---@param buf integer
---@param row integer
---@param line pi.TreeLine
local function colour(buf, row, line)
  local active = line.node.onPath
  local function mark(from, to, group)
    if to > from then
      api.nvim_buf_set_extmark(buf, ns, row, from, {
        end_col = to,
        hl_group = group,
        ephemeral = true,
      })
    end
  end
  mark(0, line.mark_col, "PiTreeLine")
  mark(line.mark_col, line.role_col, active and "PiTreeMark" or "PiTreeOther")
  mark(line.role_col, line.text_col, active and "PiTreeRole" or "PiTreeOther")
  mark(line.text_col, line.label_col, active and "PiTreeActive" or "PiTreeOther")
  mark(line.label_col, #line.text, "PiTreeLabel")
end

api.nvim_set_decoration_provider(ns, {
  on_win = function(_, _, buf)
    return trees[buf] ~= nil
  end,
  on_line = function(_, _, buf, row)
    local line = trees[buf].lines[row + 1]
    if line then
      colour(buf, row, line)
    end
  end,
})

---@param tree pi.Tree
local function draw_bar(tree)
  local win = window(tree)
  if win then
    local bar = (" %%#PiBarName#branches%%*  %%#PiHint#%s · %d · <Tab> filters · g? keys%%*"):format(
      filters[tree.filter],
      #tree.lines
    )
    api.nvim_set_option_value("winbar", bar, { win = win, scope = "local" })
  end
end

---@param tree pi.Tree
---@return pi.TreeLine?
local function at_cursor(tree)
  local win = window(tree)
  return win and tree.lines[api.nvim_win_get_cursor(win)[1]]
end

---@param tree pi.Tree
---@param entry_id? string
local function go_to(tree, entry_id)
  local win = window(tree)
  if not win then
    return
  end
  local target
  for row, line in ipairs(tree.lines) do
    if line.node.id == entry_id then
      target = row
      break
    elseif line.node.onPath then
      target = row -- the nearest shown ancestor, when the leaf itself is not shown
    end
  end
  api.nvim_win_set_cursor(win, { target or 1, 0 })
end

--- Ask for the tree and draw it.
---@param tree pi.Tree
---@param keep? string the entry to stay on; the leaf when nil
local function refresh(tree, keep)
  tree.chat:request("pi/tree", { filter = filters[tree.filter] }, function(result)
    if not api.nvim_buf_is_valid(tree.buf) then
      return
    end
    tree.lines = lines.build(result.nodes, result.leafId)
    local texts = vim.tbl_map(function(line)
      return line.text
    end, tree.lines)
    buffers.set_lines(tree.buf, #texts > 0 and texts or { "Nothing here yet." })
    draw_bar(tree)
    go_to(tree, keep or result.leafId)
  end)
end

---------------------------------------------------------------------------------------------------
-- what can be done

---@param tree pi.Tree
---@param step integer
local function change_filter(tree, step)
  tree.filter = (tree.filter - 1 + step) % #filters + 1
  local line = at_cursor(tree)
  refresh(tree, line and line.node.id)
end

---@param tree pi.Tree
---@param params? { summarize?: boolean, instructions?: string }
local function switch(tree, params)
  local line = at_cursor(tree)
  if not line then
    return
  end
  actions.navigate(tree.chat, line.node.id, params, function()
    refresh(tree)
  end)
end

---@param tree pi.Tree
local function switch_with_instructions(tree)
  vim.ui.input({ prompt = "What should the summary look at? " }, function(instructions)
    if instructions then
      switch(tree, {
        summarize = true,
        instructions = instructions ~= "" and instructions or nil,
      })
    end
  end)
end

---@param tree pi.Tree
local function set_label(tree)
  local line = at_cursor(tree)
  if not line then
    return
  end
  local node = line.node
  vim.ui.input({ prompt = "Label (empty takes it away): ", default = node.label }, function(label)
    if label then
      local params = { entryId = node.id, label = label ~= "" and label or vim.NIL }
      tree.chat:request("pi/label", params, function()
        refresh(tree, node.id)
      end)
    end
  end)
end

---@param tree pi.Tree
local function fork(tree)
  local line = at_cursor(tree)
  if line then
    M.close(tree)
    actions.fork(tree.chat, line.node.id)
  end
end

---@param tree pi.Tree
local function copy(tree)
  local line = at_cursor(tree)
  if line then
    vim.fn.setreg(vim.v.register, line.node.text)
    notify.say("copied")
  end
end

---@param tree pi.Tree
local function map_keys(tree)
  local function with(action, ...)
    local arguments = { ... }
    return function()
      action(tree, unpack(arguments))
    end
  end
  buffers.map(tree.buf, "tree", {
    switch = { with(switch), "go there; files on disk stay as they are" },
    switch_with_summary = {
      with(switch, { summarize = true }),
      "go there with a summary of what is left",
    },
    switch_with_instructions = {
      with(switch_with_instructions),
      "the same, saying what the summary should look at",
    },
    fork = { with(fork), "fork a new session from here" },
    label = { with(set_label), "label it" },
    copy = { with(copy), "copy its text" },
    filter = { with(change_filter, 1), "next filter" },
    previous_filter = { with(change_filter, -1), "previous filter" },
    refresh = { with(refresh), "draw again" },
    close = { with(M.close), "close" },
    help = {
      function()
        buffers.show_keys(tree.buf)
      end,
      "show these keys",
    },
  })
end

---------------------------------------------------------------------------------------------------
-- the window

---@param tree pi.Tree
function M.close(tree)
  local win = window(tree)
  if win and #api.nvim_tabpage_list_wins(0) > 1 then
    api.nvim_win_close(win, true)
  end
end

---@param chat pi.Chat
---@return pi.Tree
local function tree_of(chat)
  for _, tree in pairs(trees) do
    if tree.chat == chat and api.nvim_buf_is_valid(tree.buf) then
      return tree
    end
  end
  local buf = buffers.create("tree", chat.root)
  local tree = { chat = chat, buf = buf, filter = 1, lines = {} }
  trees[buf] = tree
  map_keys(tree)
  return tree
end

---@param tree pi.Tree
local function open_window(tree)
  local transcript = layout.window(tree.chat.transcript.buf)
  local whole = transcript and api.nvim_win_get_height(transcript) or vim.o.lines
  local win = api.nvim_open_win(tree.buf, true, {
    split = transcript and "above" or "below",
    win = transcript or -1,
    height = math.max(5, math.floor(whole / 2)),
  })
  for name, value in pairs({
    number = false,
    relativenumber = false,
    signcolumn = "no",
    wrap = false,
    list = false,
    spell = false,
    cursorline = true,
    winfixbuf = true,
    statusline = " branches",
    fillchars = "eob: ",
  }) do
    api.nvim_set_option_value(name, value, { win = win, scope = "local" })
  end
end

--- Show the branches and go there.
---@param chat pi.Chat
function M.open(chat)
  chat:start()
  local tree = tree_of(chat)
  local win = window(tree)
  if win then
    api.nvim_set_current_win(win)
  else
    open_window(tree)
  end
  draw_bar(tree)
  refresh(tree)
end

return M
