/** The questions that wait for an answer: asked by the server, answered by a person. */

import * as vscode from "vscode";
import type { ApprovalQuestion, ApproveAnswer, Decision, EventParams } from "./protocol";

interface Waiting {
  question: ApprovalQuestion;
  answer: (answer: ApproveAnswer) => void;
}

const CHOICES: Readonly<Record<string, Decision>> = {
  Allow: "allow",
  "Allow for This Session": "allowSession",
  "Always Allow": "allowAlways",
  Deny: "deny",
};
const SHOW = "Show";

export class Approvals {
  private readonly waiting = new Map<string, Waiting>();
  private readonly changed = new vscode.EventEmitter<void>();

  readonly onDidChange = this.changed.event;

  /**
   * Ask a person.
   *
   * @param isChatVisible the chat shows the question as a card; without it a notification does.
   */
  constructor(
    private readonly isChatVisible: () => boolean,
    private readonly showChat: () => void,
  ) {}

  /** The oldest question that waits. */
  get first(): ApprovalQuestion | undefined {
    const next = this.waiting.values().next();
    return next.done ? undefined : next.value.question;
  }

  get count(): number {
    return this.waiting.size;
  }

  /** Wait for the answer to a question; a cancelled one is answered with no. */
  ask(question: ApprovalQuestion, token: vscode.CancellationToken): Promise<ApproveAnswer> {
    const answered = new Promise<ApproveAnswer>((resolve) => {
      this.waiting.set(question.toolCallId, { question, answer: resolve });
    });
    token.onCancellationRequested(() => this.answer(question.toolCallId, { decision: "deny" }));
    this.changed.fire();
    if (!this.isChatVisible()) this.notify(question);
    return answered;
  }

  /** Answer a question; one that waits no more is left alone. */
  answer(toolCallId: string, answer: ApproveAnswer): void {
    const waiting = this.waiting.get(toolCallId);
    if (!waiting) return;
    this.waiting.delete(toolCallId);
    waiting.answer(answer);
    this.changed.fire();
  }

  /** Somebody else answered, or the run was stopped. */
  accept({ event }: EventParams): void {
    if (event.type === "approval_answered") this.answer(event.toolCallId, { decision: "deny" });
  }

  /** The server is gone, and its questions with it. */
  clear(): void {
    for (const toolCallId of [...this.waiting.keys()]) this.answer(toolCallId, { decision: "deny" });
  }

  private notify(question: ApprovalQuestion): void {
    const asked = vscode.window.showWarningMessage(
      `pi asks: ${question.title}`,
      SHOW,
      ...Object.keys(CHOICES),
    );
    void asked.then((choice) => {
      if (choice === SHOW) this.showChat();
      else if (choice) this.answer(question.toolCallId, { decision: CHOICES[choice] ?? "deny" });
    });
  }
}
