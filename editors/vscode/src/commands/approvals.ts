/** Commands that answer the oldest question that waits. */

import * as vscode from "vscode";
import type { App } from "../app";
import type { Decision } from "../protocol";
import type { Commands } from "./command";

export function approvalCommands(app: App): Commands {
  const answer = (decision: Decision, reason?: string): void => {
    const question = app.approvals.first;
    if (!question) throw new Error("Nothing waits for an answer.");
    app.approvals.answer(question.toolCallId, { decision, reason });
  };
  return {
    "pi.approval.show": () => app.chat.open("approval"),
    "pi.approval.allow": () => answer("allow"),
    "pi.approval.allowSession": () => answer("allowSession"),
    "pi.approval.allowAlways": () => answer("allowAlways"),
    "pi.approval.deny": async () => {
      const reason = await vscode.window.showInputBox({
        title: `Deny: ${app.approvals.first?.title ?? ""}`,
        prompt: "The agent is told why (may be left empty).",
      });
      if (reason !== undefined) answer("deny", reason || undefined);
    },
  };
}
