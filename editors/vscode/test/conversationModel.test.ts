import { beforeEach, describe, expect, it } from "vitest";
import { ConversationModel } from "../webview/conversationModel";
import { assistant, call, entry, result, state, text, user } from "./examples";

describe("the conversation as it is told", () => {
  let model: ConversationModel;

  beforeEach(() => {
    model = new ConversationModel();
    model.reset(state(), []);
  });

  function shown(): string[] {
    return model.items.map((item) => `${item.kind} ${item.entryId ?? "open"}`);
  }

  it("shows a user message from its start, and knows its entry at its end", () => {
    model.apply({ type: "message_start", message: user("hello") });
    expect(shown()).toEqual(["user open"]);
    const key = model.items[0]?.key;
    model.apply({ type: "message_end", message: user("hello"), entryId: "a1" });
    expect(shown()).toEqual(["user a1"]);
    expect(model.items[0]?.key).toBe(key);
  });

  it("puts the pieces of an answer together, block by block", () => {
    model.apply({ type: "message_start", message: assistant() });
    model.apply({ type: "message_update", contentIndex: 0, kind: "thinking", delta: "hm" });
    model.apply({ type: "message_update", contentIndex: 1, kind: "text", delta: "Hel" });
    model.apply({ type: "message_update", contentIndex: 1, kind: "text", delta: "lo" });
    expect(model.open?.message.content).toEqual([{ type: "thinking", thinking: "hm" }, text("Hello")]);
    expect(model.open?.streaming).toBe(true);
  });

  it("follows a tool call from its first piece to its result", () => {
    model.apply({ type: "message_start", message: assistant() });
    model.apply({
      type: "message_update",
      contentIndex: 0,
      kind: "toolCall",
      delta: '{"comm',
      toolCallId: "c1",
      toolName: "bash",
    });
    expect(model.tools.get("c1")).toMatchObject({ name: "bash", status: "preparing" });
    const message = assistant(call("c1", "bash", { command: "ls" }));
    model.apply({ type: "message_end", message, entryId: "a1" });
    expect(model.tools.get("c1")?.args).toEqual({ command: "ls" });
    model.apply({
      type: "tool_execution_start",
      toolCallId: "c1",
      toolName: "bash",
      args: { command: "ls" },
    });
    model.apply({ type: "tool_execution_update", toolCallId: "c1", delta: "a\n" });
    expect(model.tools.get("c1")).toMatchObject({ status: "running", output: "a\n" });
    model.apply({
      type: "tool_execution_end",
      toolCallId: "c1",
      result: { content: [{ type: "text", text: "a\nb" }] },
      isError: true,
      durationMs: 5,
    });
    expect(model.tools.get("c1")).toMatchObject({ status: "failed", durationMs: 5 });
    expect(shown()).toEqual(["assistant a1"]);
  });

  it("drops what streamed of an attempt that failed", () => {
    model.apply({ type: "message_start", message: assistant() });
    model.apply({ type: "message_update", contentIndex: 0, kind: "text", delta: "half" });
    model.apply({ type: "retry_start", attempt: 1, maxAttempts: 3, delayMs: 2000, error: "overloaded" });
    expect(shown()).toEqual([]);
  });

  it("drops an open answer when the context overflowed, but not for another compaction", () => {
    model.apply({ type: "message_start", message: assistant() });
    model.apply({ type: "compaction_start", reason: "threshold" });
    expect(shown()).toEqual(["assistant open"]);
    model.apply({ type: "compaction_start", reason: "overflow" });
    expect(shown()).toEqual([]);
  });

  it("shows an entry once, however often it is told", () => {
    model.reset(state(), [entry("a1", user("hello"))]);
    model.apply({ type: "message_start", message: user("hello") });
    model.apply({ type: "message_end", message: user("hello"), entryId: "a1" });
    expect(shown()).toEqual(["user a1"]);
  });

  it("joins calls and results that come in different pages", () => {
    model.reset(state(), [entry("a3", result("c1", "read", "text of the file"))]);
    expect(model.firstEntryId).toBe("a3");
    model.prepend([entry("a1", user("read it")), entry("a2", assistant(call("c1", "read", { path: "x" })))]);
    expect(shown()).toEqual(["user a1", "assistant a2"]);
    expect(model.tools.get("c1")).toMatchObject({ status: "done", args: { path: "x" } });
    expect(model.firstEntryId).toBe("a1");
  });

  it("is drawn in the middle of a run", () => {
    const streaming = { message: assistant(text("I be")) };
    const runningTools = [
      { toolCallId: "c1", toolName: "bash", args: { command: "make" }, partial: "cc a.c\n" },
    ];
    model.reset(state({ phase: "turn", streaming, runningTools }), [entry("a1", user("go"))]);
    model.apply({ type: "message_update", contentIndex: 0, kind: "text", delta: "gin" });
    expect(model.open?.message.content).toEqual([text("I begin")]);
    expect(streaming.message.content).toEqual([text("I be")]);
    model.apply({ type: "tool_execution_update", toolCallId: "c1", delta: "cc b.c\n" });
    expect(model.tools.get("c1")?.output).toBe("cc a.c\ncc b.c\n");
  });

  it("shows summaries, and no bookkeeping", () => {
    const base = { parentId: null, timestamp: "2026-01-01T00:00:00.000Z" };
    model.apply({ type: "entry_appended", entry: { ...base, type: "model_change", id: "m1" } });
    model.apply({
      type: "entry_appended",
      entry: { ...base, type: "compaction", id: "k1", summary: "## Goal", tokensBefore: 9000 },
    });
    expect(shown()).toEqual(["summary k1"]);
  });

  it("does not stumble over an entry of an unknown kind or shape", () => {
    const odd = { type: "message", id: "x", parentId: null, timestamp: "" };
    model.reset(state(), [odd, { ...odd, id: "y", type: "future" }]);
    expect(shown()).toEqual([]);
  });
});
