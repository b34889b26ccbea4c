--- Small things about text that several parts need. Nothing here touches a buffer.
local M = {}

--- The lines of a piece of what a program or a model wrote: no escape codes, no carriage returns;
--- a line that was overwritten shows its last state, as a terminal would.
---@param text string
---@return string[] the last one is open: more of it may come
function M.lines_open(text)
  local clean = text:gsub("\27%[[%d;?]*%a", ""):gsub("\27%][^\7]*\7", ""):gsub("\r\n", "\n")
  local lines = vim.split(clean, "\n", { plain = true })
  for index, line in ipairs(lines) do
    if line:find("\r", 1, true) then
      lines[index] = line:match("([^\r]*)\r*$")
    end
  end
  return lines
end

--- The lines of a whole text; one line break at its end makes no line.
---@param text string
---@return string[]
function M.lines(text)
  local lines = M.lines_open(text)
  if #lines > 1 and lines[#lines] == "" then
    lines[#lines] = nil
  end
  return lines
end

--- The first line of a text, cut to so many characters; `…` says that there is more.
---@param text string
---@param limit integer characters
---@return string
function M.one_line(text, limit)
  local line = text:match("^%s*([^\r\n]*)") or ""
  local cut = vim.trim(text):find("\n", 1, true) ~= nil
  if vim.fn.strchars(line) > limit then
    line = vim.fn.strcharpart(line, 0, limit)
    cut = true
  end
  return cut and vim.trim(line) .. " …" or line
end

--- All text of a message's content; a picture is named.
---@param content string|pi.ContentBlock[]|nil
---@return string
function M.of_content(content)
  if type(content) ~= "table" then
    return content or ""
  end
  local parts = {}
  for _, block in ipairs(content) do
    if block.type == "text" then
      parts[#parts + 1] = block.text
    elseif block.type == "image" then
      parts[#parts + 1] = ("[picture, %s]"):format(block.mimeType or "unknown kind")
    end
  end
  return table.concat(parts, "\n")
end

---@param ms integer
---@return string
function M.duration(ms)
  if ms < 1000 then
    return ("%d ms"):format(ms)
  elseif ms < 60000 then
    return ("%.1f s"):format(ms / 1000)
  end
  return ("%d min %d s"):format(math.floor(ms / 60000), math.floor(ms / 1000) % 60)
end

---@param count integer
---@return string
function M.bytes(count)
  return count < 1000 and ("%d B"):format(count) or ("%.1f kB"):format(count / 1000)
end

--- Tokens as people say them: `950`, `12.3k`, `200k`, `1M`.
---@param count integer
---@return string
function M.tokens(count)
  if count < 1000 then
    return tostring(count)
  elseif count < 1000000 then
    return (("%.1fk"):format(count / 1000):gsub("%.0k", "k"))
  end
  return (("%.1fM"):format(count / 1000000):gsub("%.0M", "M"))
end

--- The highlight group of each line of a unified diff; `false` for context.
---@param lines string[]
---@return (string|false)[]
function M.diff_groups(lines)
  local by_sign = { ["+"] = "PiDiffAdd", ["-"] = "PiDiffDelete", ["@"] = "PiDiffHunk" }
  local groups, in_hunk = {}, false
  for index, line in ipairs(lines) do
    in_hunk = in_hunk or line:sub(1, 2) == "@@"
    groups[index] = in_hunk and by_sign[line:sub(1, 1)] or (not in_hunk and "PiToolDetail")
  end
  return groups
end

---@param diff string unified
---@return integer added
---@return integer removed
function M.diff_counts(diff)
  local count = { PiDiffAdd = 0, PiDiffDelete = 0 }
  for _, group in ipairs(M.diff_groups(vim.split(diff, "\n", { plain = true }))) do
    if count[group] then
      count[group] = count[group] + 1
    end
  end
  return count.PiDiffAdd, count.PiDiffDelete
end

---@param count integer
---@param singular string
---@return string
function M.count(count, singular)
  return ("%d %s%s"):format(count, singular, count == 1 and "" or "s")
end

return M
