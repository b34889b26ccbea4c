--- The highlight groups: all begin with `Pi` and are linked to standard ones, so that they follow
--- the colour scheme and can be set by the person.
local M = {}

M.links = {
  PiUser = "CursorLine",
  PiUserSign = "Function",
  PiAttachment = "Special",
  PiThinking = "Comment",
  PiTool = "Function",
  PiToolTarget = "Directory",
  PiToolDetail = "Comment",
  PiToolDone = "DiagnosticOk",
  PiToolFailed = "DiagnosticError",
  PiToolRunning = "DiagnosticInfo",
  PiToolOutput = "Comment",
  PiCommand = "String",
  PiDiffAdd = "Added",
  PiDiffDelete = "Removed",
  PiDiffHunk = "Identifier",
  PiNotice = "DiagnosticInfo",
  PiWarning = "DiagnosticWarn",
  PiError = "DiagnosticError",
  PiSummary = "Title",
  PiRule = "NonText",
  PiHint = "Comment",
  PiKey = "Special",
  PiBar = "WinBar",
  PiBarName = "Title",
  PiBarDetail = "Comment",
  PiBarBusy = "DiagnosticInfo",
  PiBarAsking = "DiagnosticWarn",
  PiQueueKind = "Type",
  PiQueueText = "Normal",
  PiApprovalTitle = "Title",
  PiTreeActive = "Normal",
  PiTreeOther = "Comment",
  PiTreeMark = "DiagnosticOk",
  PiTreeLine = "NonText",
  PiTreeLabel = "Label",
  PiTreeRole = "Function",
}

--- Set the links that nobody has set otherwise; again whenever the colour scheme changes.
function M.set()
  for name, target in pairs(M.links) do
    vim.api.nvim_set_hl(0, name, { link = target, default = true })
  end
end

function M.setup()
  M.set()
  vim.api.nvim_create_autocmd("ColorScheme", {
    group = vim.api.nvim_create_augroup("pi.highlights", {}),
    callback = M.set,
  })
end

return M
