/** The wire's own words, and the shapes that messages, requests and events share. */

export type JsonObject = Record<string, unknown>;

export type Phase = "idle" | "turn" | "compaction" | "branch_summary" | "bash";
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
export type QueueMode = "one-at-a-time" | "all";
export type ApprovalMode = "ask" | "edits" | "auto" | "readonly";
export type TreeFilter = "default" | "noTools" | "user" | "labeled" | "branches" | "all";
export type ExportFormat = "html" | "markdown" | "jsonl";
export type Decision = "allow" | "allowSession" | "allowAlways" | "deny";
export type CompactionReason = "manual" | "threshold" | "overflow";

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export interface ImageAttachment {
  data: string;
  mimeType: string;
}

export interface Attachment {
  uri: string;
  range?: Range | null;
}

export interface QueueItem {
  id: string;
  text: string;
  images?: ImageAttachment[] | null;
  attachments?: Attachment[] | null;
}

export interface Queues {
  steer?: QueueItem[];
  followUp?: QueueItem[];
  nextTurn?: QueueItem[];
}
