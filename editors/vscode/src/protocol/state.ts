/** All that a client needs to draw itself (pi_lsp/agent/state.py, and what the server adds). */

import type { ApprovalQuestion } from "./events";
import type { AssistantMessage } from "./messages";
import type { CompactionReason, JsonObject, QueueItem, QueueMode, Queues } from "./words";
import type { ApprovalMode, Phase, ThinkingLevel } from "./words";

export interface ModelPrices {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

export interface ModelInfo {
  provider: string;
  id: string;
  name: string;
  contextWindow: number;
  maxTokens: number;
  reasoning: boolean;
  thinkingLevels: ThinkingLevel[];
  input: string[];
  cost: ModelPrices;
  available: boolean;
}

/** Tokens used of a window; `percent` runs from 0 to 100. */
export interface ContextState {
  tokens: number | null;
  window: number;
  percent: number | null;
}

export interface UsageTotals {
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
  cost?: number;
}

export interface RecoveredQueues {
  steer: QueueItem[];
  followUp: QueueItem[];
}

export interface RetryState {
  attempt: number;
  maxAttempts: number;
  delayMs: number;
  error: string;
}

export interface CompactionState {
  reason: CompactionReason;
}

export interface RunningTool {
  toolCallId: string;
  toolName: string;
  args: JsonObject;
  partial: string;
}

export interface AgentState {
  sessionId: string;
  file: string;
  name?: string | null;
  phase: Phase;
  leafId: string | null;
  model: ModelInfo;
  thinkingLevel: ThinkingLevel;
  queues: Queues;
  recovered?: RecoveredQueues | null;
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  autoCompaction: boolean;
  approvalMode: ApprovalMode;
  context: ContextState;
  usage: UsageTotals;
  runningTools: RunningTool[];
  streaming?: { message: AssistantMessage } | null;
  retry?: RetryState | null;
  compaction?: CompactionState | null;
  canContinue: boolean;
  messageCount: number;
  readOnly: boolean;
}

/** The answer to `pi/state`. */
export interface State extends AgentState {
  seq: number;
  pendingApprovals: ApprovalQuestion[];
  trusted: boolean;
  warnings: string[];
}

/** The answer to `pi/stats`. */
export interface Statistics {
  userMessages: number;
  assistantMessages: number;
  toolCalls: number;
  toolResults: number;
  tokens: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
  cost: number;
  context: ContextState;
}
