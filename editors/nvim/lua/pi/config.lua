--- The options: one table of defaults, and what `require("pi").setup()` puts over it.
local M = {}

---@alias pi.Keys table<string, string|string[]|false> action → keys; false leaves it without one

---@class pi.Layout
---@field position "right"|"left"|"bottom"|"top" side of the editor where the chat opens
---@field width number columns, or a part of the editor when below 1
---@field height number lines of a chat at the top or bottom, or a part of the editor when below 1
---@field input_height integer lines

---@class pi.Options
---@field cmd? string[] how to start the server; found by itself when nil
---@field settings table settings of the server (docs/settings.md), by its own names
---@field attach_on_open boolean start the server with the first file, not with the chat
---@field layout pi.Layout
---@field page integer entries that are drawn at once; older ones come on demand
---@field notify_on_end "hidden"|"always"|"never" when to tell that a run has ended
---@field notify_on_approval boolean tell that a question waits, when the chat is hidden
---@field ask_trust boolean ask once per folder whether it may be trusted
---@field icons table<string, string>
---@field keys { input: pi.Keys, transcript: pi.Keys, queue: pi.Keys, approval: pi.Keys, tree: pi.Keys }
M.defaults = {
  cmd = nil,
  settings = {},
  attach_on_open = false,
  layout = {
    position = "right",
    width = 0.42,
    height = 0.4,
    input_height = 5,
  },
  page = 120,
  notify_on_end = "hidden",
  notify_on_approval = true,
  ask_trust = true,
  icons = {
    user = "▌",
    done = "✓",
    failed = "✗",
    running = "●",
    waiting = "○",
    asking = "?",
    thinking = "∙",
    summary = "≡",
    notice = "!",
    hint = "→",
    command = "$",
  },
  keys = {
    -- prefix `i:` or `n:` limits a key to insert or normal mode
    input = {
      send = { "n:<CR>", "<C-s>" },
      follow_up = "<M-CR>",
      stop = "<C-c>",
      approve = "n:ga",
      hide = "n:q",
      help = "n:g?",
    },
    transcript = {
      open = "<CR>",
      open_path = "gf",
      edit = "e",
      diff = "D",
      fork = "F",
      write = { "i", "a", "o" },
      next_message = "]]",
      previous_message = "[[",
      stop = "<C-c>",
      approve = "ga",
      hide = "q",
      help = "g?",
    },
    queue = {
      take_back = { "<CR>", "dd" },
      write = { "i", "a" },
      stop = "<C-c>",
      approve = "ga",
      hide = "q",
      help = "g?",
    },
    approval = {
      allow = "a",
      allow_session = "s",
      allow_always = "A",
      deny = "d",
      diff = "o",
      later = { "q", "<Esc>" },
    },
    tree = {
      switch = "<CR>",
      switch_with_summary = "s",
      switch_with_instructions = "S",
      fork = "f",
      label = "m",
      copy = "Y",
      filter = "<Tab>",
      previous_filter = "<S-Tab>",
      refresh = "R",
      close = "q",
      help = "g?",
    },
  },
}

---@type pi.Options
M.options = vim.deepcopy(M.defaults)

--- A choice of values for an option, checked by `vim.validate`.
---@param ... string
local function one_of(...)
  local allowed = { ... }
  return function(value)
    return vim.tbl_contains(allowed, value)
  end,
    "one of " .. table.concat(allowed, ", ")
end

---@param options pi.Options
local function check(options)
  local positions, position_names = one_of("right", "left", "bottom", "top")
  local ends, end_names = one_of("hidden", "always", "never")
  vim.validate("cmd", options.cmd, "table", true)
  vim.validate("settings", options.settings, "table")
  vim.validate("layout.position", options.layout.position, positions, position_names)
  vim.validate("layout.width", options.layout.width, "number")
  vim.validate("layout.height", options.layout.height, "number")
  vim.validate("layout.input_height", options.layout.input_height, "number")
  vim.validate("page", options.page, "number")
  vim.validate("notify_on_end", options.notify_on_end, ends, end_names)
  vim.validate("keys", options.keys, "table")
end

--- Put options over the defaults. A bad one raises an error that names it and changes nothing.
---@param options? table a partial pi.Options
function M.set(options)
  local merged = vim.tbl_deep_extend("force", vim.deepcopy(M.defaults), options or {})
  check(merged)
  M.options = merged
end

return M
