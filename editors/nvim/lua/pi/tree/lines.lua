--- The tree as lines of text. The active path keeps to the left margin; what branches off it is
--- drawn before it, one step further in. Nothing here draws.
local M = {}

---@class pi.TreeLine
---@field node pi.TreeNode
---@field text string
---@field mark_col integer bytes, where the mark begins
---@field role_col integer
---@field text_col integer
---@field label_col integer

local role_names = { user = "you", assistant = "pi", toolResult = "tool", bashExecution = "run" }
local type_names = {
  compaction = "compacted",
  branch_summary = "summary",
  custom_message = "custom",
}
local role_width = 9
local no_parent = {}

---@param nodes pi.TreeNode[]
---@return table<any, pi.TreeNode[]> children by the parent's id, in file order
local function children_of(nodes)
  local known, children = {}, {}
  for _, node in ipairs(nodes) do
    known[node.id] = true
  end
  for _, node in ipairs(nodes) do
    local parent = node.parentId and known[node.parentId] and node.parentId or no_parent
    children[parent] = children[parent] or {}
    table.insert(children[parent], node)
  end
  return children
end

--- Which child goes on in its parent's column: the one on the active path, else the newest.
---@param siblings pi.TreeNode[]
---@return pi.TreeNode
local function trunk_of(siblings)
  for _, node in ipairs(siblings) do
    if node.onPath then
      return node
    end
  end
  return siblings[#siblings]
end

---@param node pi.TreeNode
---@param prefix string
---@param leaf_id? string
---@return pi.TreeLine
local function line_of(node, prefix, leaf_id)
  local mark = node.id == leaf_id and "◉" or node.onPath and "●" or "○"
  local role = type_names[node.type] or role_names[node.role or ""] or node.role or node.type
  local head = ("%s%s "):format(prefix, mark)
  local body = ("%s%-" .. role_width .. "s "):format(head, role)
  local text = body .. node.text:gsub("\n", " ")
  local line = node.label and ("%s  [%s]"):format(text, node.label) or text
  return {
    node = node,
    text = line,
    mark_col = #prefix,
    role_col = #head,
    text_col = #body,
    label_col = #text,
  }
end

--- Draw a tree.
---@param nodes pi.TreeNode[] flat, in file order
---@param leaf_id? string
---@return pi.TreeLine[]
function M.build(nodes, leaf_id)
  local children = children_of(nodes)
  local lines = {}
  -- Entries are [node, prefix of its first line, prefix of what follows]; the last one is next.
  local stack = {}
  local function push(siblings, prefix)
    local trunk = trunk_of(siblings)
    stack[#stack + 1] = { trunk, prefix, prefix }
    for index = #siblings, 1, -1 do
      if siblings[index] ~= trunk then
        stack[#stack + 1] = { siblings[index], prefix .. "├─", prefix .. "│ " }
      end
    end
  end
  if children[no_parent] then
    push(children[no_parent], "")
  end
  while #stack > 0 do
    local node, first, rest = unpack(table.remove(stack))
    lines[#lines + 1] = line_of(node, first, leaf_id)
    if children[node.id] then
      push(children[node.id], rest)
    end
  end
  return lines
end

return M
