/** What requests are answered with (pi_lsp/server/protocol/results.py). */

import type { Entry } from "./messages";
import type { ContextState, ModelInfo } from "./state";
import type { JsonObject, QueueItem, Queues } from "./words";

export interface PromptResult {
  disposition: "started" | "queued";
  sessionId: string;
  queues: Queues;
}

export interface ContinueResult {
  disposition: "started";
}

export interface QueuedResult {
  item: QueueItem;
  queues: Queues;
}

export interface UnqueueResult {
  removed: boolean;
  queues: Queues;
}

export interface AbortResult {
  aborted: boolean;
  steer: QueueItem[];
  followUp: QueueItem[];
}

/** A message of the model's context, and the entry that it comes from. */
export interface ContextEntry {
  entryId: string;
  message: JsonObject;
}

export interface MessagesResult {
  messages: ContextEntry[];
  leafId: string | null;
}

export interface EntriesResult {
  entries: Entry[];
  leafId: string | null;
  more: boolean;
}

export interface TreeNode {
  id: string;
  parentId: string | null;
  type: string;
  role?: string | null;
  text: string;
  timestamp: string;
  label?: string | null;
  onPath: boolean;
}

export interface TreeResult {
  nodes: TreeNode[];
  leafId: string | null;
}

export interface NavigateResult {
  leafId: string | null;
  editorText?: string | null;
  summaryEntryId?: string | null;
}

export interface ForkResult {
  sessionId: string;
  file: string;
  editorText?: string | null;
}

export interface CompactResult {
  entryId: string;
  summary: string;
  firstKeptEntryId: string | null;
  tokensBefore: number;
  estimatedTokensAfter: number;
}

export interface SessionInfo {
  sessionId: string;
  file: string;
  name?: string | null;
  created: string;
  modified: string;
  messageCount: number;
  firstMessage: string;
  parentSession?: string | null;
  current: boolean;
  locked: boolean;
  readOnly: boolean;
}

export interface SessionsResult {
  sessions: SessionInfo[];
}

export interface ExportResult {
  path: string;
}

export interface ModelsResult {
  models: ModelInfo[];
}

export interface ModelResult {
  model: ModelInfo;
}

export interface LevelResult {
  level: string;
}

export interface QueueModesResult {
  steering: string;
  followUp: string;
}

export interface AutoCompactionResult {
  enabled: boolean;
}

export interface ApprovalModeResult {
  mode: string;
}

export interface BashResult {
  output: string;
  exitCode: number | null;
  cancelled: boolean;
  truncated: boolean;
  fullOutputPath?: string | null;
}

export interface HealthCheck {
  name: string;
  status: "ok" | "warn" | "error";
  message: string;
  hint?: string | null;
}

export interface HealthResult {
  checks: HealthCheck[];
  version: string;
  log: string | null;
}

export interface StatsResult {
  userMessages: number;
  assistantMessages: number;
  toolCalls: number;
  toolResults: number;
  tokens: { input: number; output: number; cacheRead: number; cacheWrite: number; total?: number };
  cost: number;
  context: ContextState;
}
