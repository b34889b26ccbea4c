/** The messages of a conversation, as they stand in a session file (pi_lsp/messages.py). */

import type { JsonObject, ThinkingLevel } from "./words";

export interface TextBlock {
  type: "text";
  text: string;
}

export interface ImageBlock {
  type: "image";
  data: string;
  mimeType: string;
}

export interface ThinkingBlock {
  type: "thinking";
  thinking: string;
  thinkingSignature?: string;
  redacted?: boolean;
}

export interface ToolCallBlock {
  type: "toolCall";
  id: string;
  name: string;
  arguments: JsonObject;
}

export type UserBlock = TextBlock | ImageBlock;
export type AssistantBlock = TextBlock | ThinkingBlock | ToolCallBlock;

export interface Cost {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  total: number;
}

export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens: number;
  cost: Cost;
}

export interface UserMessage {
  role: "user";
  content: string | UserBlock[];
  timestamp: number;
}

export interface AssistantMessage {
  role: "assistant";
  content: AssistantBlock[];
  api: string;
  provider: string;
  model: string;
  usage: Usage;
  stopReason: "stop" | "length" | "toolUse" | "error" | "aborted";
  timestamp: number;
  errorMessage?: string;
  responseId?: string;
  thinkingLevel?: ThinkingLevel;
}

export interface ToolResultMessage {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: UserBlock[];
  details?: JsonObject;
  isError: boolean;
  timestamp: number;
}

export interface BashExecutionMessage {
  role: "bashExecution";
  command: string;
  output: string;
  exitCode: number | null;
  cancelled: boolean;
  truncated: boolean;
  fullOutputPath?: string;
  excludeFromContext?: boolean;
  timestamp: number;
}

export interface CustomMessage {
  role: "custom";
  customType: string;
  content: string | UserBlock[];
  display: boolean;
  details?: unknown;
  timestamp: number;
}

export type Message =
  UserMessage | AssistantMessage | ToolResultMessage | BashExecutionMessage | CustomMessage;

/** An entry of the session file; what it holds besides depends on its type. */
export interface Entry {
  type: string;
  id: string;
  parentId: string | null;
  timestamp: string;
  message?: Message;
  [member: string]: unknown;
}
