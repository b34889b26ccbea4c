/** What the server tells while the agent works (pi_lsp/agent/events.py). */

import type { Entry, Message, UserBlock } from "./messages";
import type { ContextState, ModelInfo, State } from "./state";
import type { CompactionReason, JsonObject, Queues } from "./words";

export interface AgentStart {
  type: "agent_start";
}

export interface TurnStart {
  type: "turn_start";
}

export interface SavePoint {
  type: "save_point";
}

export interface MessageStart {
  type: "message_start";
  message: Message;
}

export interface MessageUpdate {
  type: "message_update";
  contentIndex: number;
  kind: "text" | "thinking" | "toolCall";
  delta: string;
  toolCallId?: string | null;
  toolName?: string | null;
}

export interface MessageEnd {
  type: "message_end";
  message: Message;
  entryId: string;
}

export interface ToolExecutionStart {
  type: "tool_execution_start";
  toolCallId: string;
  toolName: string;
  args: JsonObject;
}

export interface ToolExecutionUpdate {
  type: "tool_execution_update";
  toolCallId: string;
  delta: string;
}

export interface ToolExecutionEnd {
  type: "tool_execution_end";
  toolCallId: string;
  result: { content: UserBlock[]; details?: JsonObject };
  isError: boolean;
  durationMs: number;
}

export interface TurnEnd {
  type: "turn_end";
  entryId: string | null;
  toolResultIds: string[];
}

export interface AgentEnd {
  type: "agent_end";
  entryIds: string[];
}

export interface Settled {
  type: "settled";
  aborted: boolean;
  error?: string | null;
  nextTurnCount: number;
}

export interface QueueUpdate {
  type: "queue_update";
  queues: Queues;
}

export interface EntryAppended {
  type: "entry_appended";
  entry: Entry;
}

export interface LeafChanged {
  type: "leaf_changed";
  leafId: string | null;
}

export interface SessionChanged {
  type: "session_changed";
  state: State;
}

export interface SessionInfoChanged {
  type: "session_info_changed";
  name: string | null;
}

export interface ModelChanged {
  type: "model_changed";
  model: ModelInfo;
}

export interface ThinkingLevelChanged {
  type: "thinking_level_changed";
  level: string;
}

export interface ApprovalModeChanged {
  type: "approval_mode_changed";
  mode: string;
}

export interface TrustChanged {
  type: "trust_changed";
  trusted: boolean;
}

export interface ContextChanged extends ContextState {
  type: "context_changed";
  cost: number;
}

export interface CompactionStart {
  type: "compaction_start";
  reason: CompactionReason;
}

export interface CompactionEnd {
  type: "compaction_end";
  reason: CompactionReason;
  result?: JsonObject | null;
  aborted: boolean;
  error?: string | null;
}

export interface BranchSummaryStart {
  type: "branch_summary_start";
}

export interface BranchSummaryEnd {
  type: "branch_summary_end";
  aborted: boolean;
  error?: string | null;
}

export interface RetryStart {
  type: "retry_start";
  attempt: number;
  maxAttempts: number;
  delayMs: number;
  error: string;
}

export interface RetryEnd {
  type: "retry_end";
  success: boolean;
}

export interface ApprovalQuestion {
  toolCallId: string;
  toolName: string;
  args: JsonObject;
  title: string;
  diff?: string | null;
  beforeUri?: string | null;
  afterUri?: string | null;
  path?: string | null;
  outsideWorkspace?: boolean;
}

export interface ApprovalAsked extends ApprovalQuestion {
  type: "approval_asked";
}

export interface ApprovalAnswered {
  type: "approval_answered";
  toolCallId: string;
  decision: string;
}

export interface BashUpdate {
  type: "bash_update";
  delta: string;
}

export interface ErrorEvent {
  type: "error";
  code: string;
  message: string;
}

export type Event =
  | AgentStart
  | TurnStart
  | SavePoint
  | MessageStart
  | MessageUpdate
  | MessageEnd
  | ToolExecutionStart
  | ToolExecutionUpdate
  | ToolExecutionEnd
  | TurnEnd
  | AgentEnd
  | Settled
  | QueueUpdate
  | EntryAppended
  | LeafChanged
  | SessionChanged
  | SessionInfoChanged
  | ModelChanged
  | ThinkingLevelChanged
  | ApprovalModeChanged
  | TrustChanged
  | ContextChanged
  | CompactionStart
  | CompactionEnd
  | BranchSummaryStart
  | BranchSummaryEnd
  | RetryStart
  | RetryEnd
  | ApprovalAsked
  | ApprovalAnswered
  | BashUpdate
  | ErrorEvent;

export interface EventParams {
  workspace: string;
  sessionId: string;
  seq: number;
  event: Event;
}
