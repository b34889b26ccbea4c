/** All that a client needs to draw itself: the answer to `pi/state`. */

import type { ApprovalQuestion } from "./events";
import type { AssistantMessage } from "./messages";
import type {
  ApprovalMode,
  CompactionReason,
  JsonObject,
  Phase,
  QueueItem,
  QueueMode,
  Queues,
  ThinkingLevel,
} from "./words";

export interface Model {
  provider: string;
  id: string;
  name: string;
  contextWindow: number;
  maxTokens: number;
  reasoning: boolean;
  thinkingLevels: ThinkingLevel[];
  input: string[];
  cost: JsonObject;
  available: boolean;
}

/** Tokens used of a window; `percent` runs from 0 to 100. */
export interface ContextUse {
  tokens: number | null;
  window: number;
  percent: number | null;
}

export interface RunningTool {
  toolCallId: string;
  toolName: string;
  args: JsonObject;
  partial: string;
}

/** All that a client needs to draw itself, in the middle of a run too. */
export interface State {
  seq: number;
  sessionId: string;
  file: string;
  name?: string | null;
  phase: Phase;
  leafId: string | null;
  model: Model;
  thinkingLevel: ThinkingLevel;
  queues: Queues;
  recovered?: { steer: QueueItem[]; followUp: QueueItem[] } | null;
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  autoCompaction: boolean;
  approvalMode: ApprovalMode;
  context: ContextUse;
  usage: { input: number; output: number; cacheRead: number; cacheWrite: number; cost: number };
  pendingApprovals: ApprovalQuestion[];
  runningTools: RunningTool[];
  streaming?: { message: AssistantMessage } | null;
  retry?: { attempt: number; maxAttempts: number; delayMs: number; error: string } | null;
  compaction?: { reason: CompactionReason } | null;
  canContinue: boolean;
  messageCount: number;
  readOnly: boolean;
  trusted: boolean;
  warnings: string[];
}
