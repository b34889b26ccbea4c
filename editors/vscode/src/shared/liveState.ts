/** Keeps a `State` of the wire current by the events that follow it. */

import type { Event, Phase, State } from "../protocol";

/** The events after which the server is asked for its state again, for what no event tells. */
export const REFRESHING_EVENTS: ReadonlySet<Event["type"]> = new Set([
  "settled",
  "compaction_end",
  "branch_summary_end",
  "session_info_changed",
]);

/** The state after an event; the given one is left as it is. */
export function after(state: State, event: Event): State {
  switch (event.type) {
    case "agent_start":
      return { ...state, phase: "turn", canContinue: false, recovered: null };
    case "settled":
      return { ...state, phase: "idle", retry: null, streaming: null, runningTools: [] };
    case "message_end":
      return { ...state, leafId: event.entryId, messageCount: state.messageCount + 1 };
    case "entry_appended":
      return { ...state, leafId: event.entry.id };
    case "leaf_changed":
      return { ...state, leafId: event.leafId };
    case "queue_update":
      return { ...state, queues: event.queues };
    case "session_changed":
      return event.state;
    case "session_info_changed":
      return { ...state, name: event.name };
    case "model_changed":
      return { ...state, model: event.model };
    case "thinking_level_changed":
      return { ...state, thinkingLevel: event.level as State["thinkingLevel"] };
    case "approval_mode_changed":
      return { ...state, approvalMode: event.mode as State["approvalMode"] };
    case "trust_changed":
      return { ...state, trusted: event.trusted };
    case "context_changed": {
      const { tokens, window, percent, cost } = event;
      return { ...state, context: { tokens, window, percent }, usage: { ...state.usage, cost } };
    }
    case "compaction_start":
      return { ...begun(state, "compaction"), compaction: { reason: event.reason } };
    case "compaction_end":
      return { ...ended(state, "compaction"), compaction: null };
    case "branch_summary_start":
      return begun(state, "branch_summary");
    case "branch_summary_end":
      return ended(state, "branch_summary");
    case "retry_start": {
      const { attempt, maxAttempts, delayMs, error } = event;
      return { ...state, retry: { attempt, maxAttempts, delayMs, error } };
    }
    case "retry_end":
      return { ...state, retry: null };
    case "approval_asked": {
      const others = state.pendingApprovals.filter((q) => q.toolCallId !== event.toolCallId);
      return { ...state, pendingApprovals: [...others, event] };
    }
    case "approval_answered":
      return {
        ...state,
        pendingApprovals: state.pendingApprovals.filter((q) => q.toolCallId !== event.toolCallId),
      };
    default:
      return state;
  }
}

/** An operation of its own, unless it happens inside a run. */
function begun(state: State, phase: Phase): State {
  return state.phase === "idle" ? { ...state, phase } : state;
}

function ended(state: State, phase: Phase): State {
  return state.phase === phase ? { ...state, phase: "idle" } : state;
}
