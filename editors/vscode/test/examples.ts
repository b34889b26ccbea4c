/** Messages, entries and states for tests. */

import type { AssistantBlock, AssistantMessage, Entry, Message, State, UserMessage } from "../src/protocol";

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

export function user(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }], timestamp: 1 };
}

export function assistant(...content: AssistantBlock[]): AssistantMessage {
  return {
    role: "assistant",
    content,
    api: "anthropic-messages",
    provider: "anthropic",
    model: "some-model",
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: NO_COST },
    stopReason: "stop",
    timestamp: 1,
  };
}

export function text(value: string): AssistantBlock {
  return { type: "text", text: value };
}

export function call(id: string, name: string, args: Record<string, unknown> = {}): AssistantBlock {
  return { type: "toolCall", id, name, arguments: args };
}

export function result(toolCallId: string, toolName: string, value: string, isError = false): Message {
  return {
    role: "toolResult",
    toolCallId,
    toolName,
    content: [{ type: "text", text: value }],
    isError,
    timestamp: 1,
  };
}

export function entry(id: string, message: Message, parentId: string | null = null): Entry {
  return { type: "message", id, parentId, timestamp: "2026-01-01T00:00:00.000Z", message };
}

export function state(changes: Partial<State> = {}): State {
  return {
    seq: 0,
    sessionId: "session",
    file: "/folder/.pi/sessions/session.jsonl",
    phase: "idle",
    leafId: null,
    model: {
      provider: "anthropic",
      id: "some-model",
      name: "Some Model",
      contextWindow: 200_000,
      maxTokens: 8192,
      reasoning: true,
      thinkingLevels: ["off", "medium"],
      input: ["text"],
      cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
      available: true,
    },
    thinkingLevel: "medium",
    queues: { steer: [], followUp: [], nextTurn: [] },
    steeringMode: "one-at-a-time",
    followUpMode: "one-at-a-time",
    autoCompaction: true,
    approvalMode: "ask",
    context: { tokens: 1000, window: 200_000, percent: 0.5 },
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 },
    pendingApprovals: [],
    runningTools: [],
    canContinue: false,
    messageCount: 0,
    readOnly: false,
    trusted: true,
    warnings: [],
    ...changes,
  };
}
