---@meta
--- The wire's types (docs/protocol.md), as far as the plugin reads them. Times are milliseconds,
--- percentages run from 0 to 100, costs are US dollars.

---@alias pi.Phase "idle"|"turn"|"compaction"|"branch_summary"|"bash"
---@alias pi.WhenBusy "steer"|"followUp"
---@alias pi.ApprovalMode "ask"|"edits"|"auto"|"readonly"
---@alias pi.QueueMode "one-at-a-time"|"all"
---@alias pi.Decision "allow"|"allowSession"|"allowAlways"|"deny"

---@class pi.ImageAttachment
---@field data string base64
---@field mimeType string

---@class pi.Attachment
---@field uri string
---@field range? lsp.Range

---@class pi.MessageParams
---@field text string
---@field images? pi.ImageAttachment[]
---@field attachments? pi.Attachment[]

---@class pi.QueueItem : pi.MessageParams
---@field id string

---@class pi.Queues
---@field steer pi.QueueItem[]
---@field followUp pi.QueueItem[]
---@field nextTurn pi.QueueItem[]

---@class pi.Model
---@field provider string
---@field id string
---@field name string
---@field contextWindow integer tokens
---@field maxTokens integer
---@field reasoning boolean
---@field thinkingLevels string[]
---@field available boolean

---@class pi.ContextUse
---@field tokens? integer
---@field window integer tokens
---@field percent? number

---@class pi.RunningTool
---@field toolCallId string
---@field toolName string
---@field args table
---@field partial string

---@class pi.ApproveParams
---@field toolCallId string
---@field toolName string
---@field args table
---@field title string
---@field diff? string unified
---@field beforeUri? string
---@field afterUri? string
---@field path? string
---@field outsideWorkspace boolean

---@class pi.ApproveReply
---@field decision pi.Decision
---@field reason? string

---@class pi.State
---@field seq integer
---@field sessionId string
---@field file string
---@field name? string
---@field phase pi.Phase
---@field leafId? string
---@field model pi.Model
---@field thinkingLevel string
---@field queues pi.Queues
---@field recovered? { steer: pi.QueueItem[], followUp: pi.QueueItem[] }
---@field steeringMode pi.QueueMode
---@field followUpMode pi.QueueMode
---@field autoCompaction boolean
---@field approvalMode pi.ApprovalMode
---@field context pi.ContextUse
---@field usage { input: integer, output: integer, cacheRead: integer, cacheWrite: integer, cost: number }
---@field pendingApprovals pi.ApproveParams[]
---@field runningTools pi.RunningTool[]
---@field streaming? { message: pi.Message }
---@field retry? { attempt: integer, maxAttempts: integer, delayMs: integer, error: string }
---@field compaction? { reason: string }
---@field canContinue boolean
---@field messageCount integer
---@field readOnly boolean
---@field trusted boolean
---@field warnings string[]

---@class pi.ContentBlock
---@field type "text"|"image"|"thinking"|"toolCall"
---@field text? string
---@field thinking? string
---@field redacted? boolean
---@field id? string
---@field name? string
---@field arguments? table
---@field mimeType? string

---@class pi.Message
---@field role "user"|"assistant"|"toolResult"|"bashExecution"|"custom"|"system"
---@field content string|pi.ContentBlock[]
---@field stopReason? "stop"|"length"|"toolUse"|"error"|"aborted"
---@field errorMessage? string
---@field toolCallId? string
---@field toolName? string
---@field details? table
---@field isError? boolean
---@field command? string
---@field output? string
---@field exitCode? integer
---@field cancelled? boolean
---@field truncated? boolean
---@field fullOutputPath? string
---@field excludeFromContext? boolean
---@field customType? string
---@field display? boolean

---@class pi.Entry
---@field type string
---@field id string
---@field parentId? string
---@field timestamp string
---@field message? pi.Message
---@field summary? string
---@field tokensBefore? integer
---@field provider? string
---@field modelId? string
---@field content? string|pi.ContentBlock[]
---@field customType? string
---@field display? boolean

---@class pi.TreeNode
---@field id string
---@field parentId? string
---@field type string
---@field role? string
---@field text string one line
---@field timestamp string
---@field label? string
---@field onPath boolean

---@class pi.SessionInfo
---@field sessionId string
---@field file string
---@field name? string
---@field created string
---@field modified string
---@field messageCount integer
---@field firstMessage? string
---@field current boolean
---@field locked boolean
---@field readOnly boolean

---@class pi.Event
---@field type string
---@field [string] any the members that docs/protocol.md lists for this type

---@class pi.EventParams
---@field workspace string
---@field sessionId string
---@field seq integer
---@field event pi.Event

---@class pi.Error
---@field code integer
---@field message string
---@field data? { code: string }

---@class pi.HealthCheck
---@field name string
---@field status "ok"|"warn"|"error"
---@field message string
---@field hint? string
