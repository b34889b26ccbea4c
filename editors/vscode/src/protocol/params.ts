/** What the extension sends: the params of every request (pi_lsp/server/protocol/params.py). */

import type {
  ApprovalMode,
  Attachment,
  ExportFormat,
  ImageAttachment,
  QueueMode,
  ThinkingLevel,
  TreeFilter,
} from "./words";

export interface Params {
  workspace?: string | null;
}

export interface MessageParams extends Params {
  text: string;
  images?: ImageAttachment[] | null;
  attachments?: Attachment[] | null;
}

export interface PromptParams extends MessageParams {
  whenBusy?: "steer" | "followUp" | null;
  at?: string | null;
}

export interface UnqueueParams extends Params {
  id: string;
}

export interface MessagesParams extends Params {
  leafId?: string | null;
}

export interface EntriesParams extends Params {
  since?: string | null;
  before?: string | null;
  limit?: number | null;
  branch?: boolean | null;
}

export interface TreeParams extends Params {
  filter?: TreeFilter | null;
}

export interface NavigateParams extends Params {
  entryId: string | null;
  summarize?: boolean | null;
  instructions?: string | null;
  label?: string | null;
}

export interface LabelParams extends Params {
  entryId: string;
  label: string | null;
}

export interface ForkParams extends Params {
  entryId: string;
  position?: "before" | "at" | null;
}

export interface CompactParams extends Params {
  instructions?: string | null;
}

export interface NewSessionParams extends Params {
  name?: string | null;
}

export interface SessionParams extends Params {
  sessionId: string;
}

export interface RenameSessionParams extends Params {
  name: string;
}

export interface ExportParams extends Params {
  format: ExportFormat;
  path?: string | null;
}

export interface SetModelParams extends Params {
  provider: string;
  modelId: string;
}

export interface SetThinkingLevelParams extends Params {
  level: ThinkingLevel;
}

export interface SetQueueModeParams extends Params {
  steering?: QueueMode | null;
  followUp?: QueueMode | null;
}

export interface SetAutoCompactionParams extends Params {
  enabled: boolean;
}

export interface SetApprovalModeParams extends Params {
  mode: ApprovalMode;
}

export interface SetApiKeyParams extends Params {
  provider: string;
  key: string;
}

export interface SetTrustParams extends Params {
  trusted: boolean;
}

export interface BashParams extends Params {
  command: string;
  excludeFromContext?: boolean | null;
}
