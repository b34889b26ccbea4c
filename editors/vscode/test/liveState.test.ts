import { describe, expect, it } from "vitest";
import { after } from "../src/shared/liveState";
import { state, user } from "./examples";

const question = { toolCallId: "c1", toolName: "bash", args: { command: "ls" }, title: "Run ls" };

describe("the state after events", () => {
  it("goes through a run", () => {
    const running = after(state({ canContinue: true }), { type: "agent_start" });
    expect(running).toMatchObject({ phase: "turn", canContinue: false });
    const told = after(running, { type: "message_end", message: user("hi"), entryId: "a1" });
    expect(told).toMatchObject({ leafId: "a1", messageCount: 1 });
    expect(after(told, { type: "settled", aborted: false, nextTurnCount: 0 }).phase).toBe("idle");
  });

  it("leaves a run's phase alone when it compacts by itself", () => {
    const running = after(state(), { type: "agent_start" });
    const compacting = after(running, { type: "compaction_start", reason: "threshold" });
    expect(compacting).toMatchObject({ phase: "turn", compaction: { reason: "threshold" } });
    const done = after(compacting, { type: "compaction_end", reason: "threshold", aborted: false });
    expect(done).toMatchObject({ phase: "turn", compaction: null });
  });

  it("is busy while the person compacts", () => {
    const compacting = after(state(), { type: "compaction_start", reason: "manual" });
    expect(compacting.phase).toBe("compaction");
    expect(after(compacting, { type: "compaction_end", reason: "manual", aborted: true }).phase).toBe("idle");
  });

  it("keeps each question once, until it is answered", () => {
    const asked = after(state(), { type: "approval_asked", ...question });
    const again = after(asked, { type: "approval_asked", ...question });
    expect(again.pendingApprovals).toHaveLength(1);
    const answered = after(again, { type: "approval_answered", toolCallId: "c1", decision: "allow" });
    expect(answered.pendingApprovals).toEqual([]);
  });

  it("is the same object when nothing of it changed", () => {
    const before = state();
    expect(after(before, { type: "message_update", contentIndex: 0, kind: "text", delta: "x" })).toBe(before);
  });
});
