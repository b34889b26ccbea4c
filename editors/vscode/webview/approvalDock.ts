/**
 * The questions that wait for an answer, right above the composer: what will happen, and four
 * buttons with their keys. Nothing here takes the focus, and hiding the chat answers nothing.
 */

import type { ApprovalQuestion, Decision, State } from "../src/protocol";
import { drawDiff, parseDiff } from "./diff";
import { fill, h, icon, iconButton, textButton } from "./dom";
import type { Host } from "./host";
import { toolLook } from "./items/toolText";

interface Choice {
  decision: Decision;
  label: string;
  key: string;
  title: string;
}

const CHOICES: readonly Choice[] = [
  { decision: "allow", label: "Allow", key: "a", title: "Allow this once" },
  { decision: "allowSession", label: "This Session", key: "s", title: "Allow it for this session" },
  {
    decision: "allowAlways",
    label: "Always",
    key: "A",
    title: "Always allow exactly this; kept in your own settings",
  },
];

export class ApprovalDock {
  readonly element = h("section", {
    class: "approvals",
    hidden: true,
    attributes: { "aria-label": "Questions" },
  });
  private shown: ApprovalQuestion | undefined;
  private readonly sides = new Map<string, { beforeUri: string; afterUri: string }>();

  constructor(
    private readonly host: Host,
    private readonly announce: (text: string) => void,
    private readonly focusComposer: () => void,
  ) {
    this.element.addEventListener("keydown", (event) => this.keyDown(event));
  }

  /** Where the two sides of an edit can be seen that was asked about. */
  diffOf(toolCallId: string): { beforeUri: string; afterUri: string } | undefined {
    return this.sides.get(toolCallId);
  }

  update({ pendingApprovals }: State): void {
    for (const { toolCallId, beforeUri, afterUri } of pendingApprovals) {
      if (beforeUri && afterUri) this.sides.set(toolCallId, { beforeUri, afterUri });
    }
    const [first] = pendingApprovals;
    const more = pendingApprovals.length - 1;
    if (first?.toolCallId !== this.shown?.toolCallId) this.show(first);
    const count = this.element.querySelector(".waiting");
    if (count) count.textContent = more > 0 ? `${more} more` : "";
  }

  /** Put the focus on the first button. */
  focus(): void {
    this.element.querySelector<HTMLElement>("button.primary")?.focus();
  }

  private show(question: ApprovalQuestion | undefined): void {
    const hadFocus = this.element.contains(document.activeElement);
    this.shown = question;
    this.element.hidden = question === undefined;
    if (question === undefined) {
      this.element.replaceChildren();
      if (hadFocus) this.focusComposer();
      return;
    }
    fill(this.element, this.head(question), this.subject(question), this.buttons());
    this.announce(`pi asks: ${question.title}`);
    if (hadFocus) this.focus();
  }

  private head(question: ApprovalQuestion): HTMLElement {
    const look = toolLook(question.toolName, question.args);
    return h(
      "div",
      { class: "approval-head" },
      icon(look.icon),
      h("span", { class: "title" }, question.title),
      h("span", { class: "waiting quiet" }),
      question.beforeUri &&
        question.afterUri &&
        textButton("Open Diff", () => this.openDiff(question), "quiet"),
      question.outsideWorkspace &&
        h("span", { class: "tag failed", title: "It is not in this folder" }, "outside the folder"),
    );
  }

  private subject(question: ApprovalQuestion): HTMLElement | false {
    const { args, diff } = question;
    if (diff) return drawDiff(parseDiff(diff));
    const text = typeof args.command === "string" ? args.command : otherArguments(args);
    return (
      text !== "" &&
      h(
        "pre",
        { class: "tool-text command", tabIndex: 0, attributes: { "aria-label": "What will run" } },
        text,
      )
    );
  }

  private buttons(): HTMLElement {
    const buttons = CHOICES.map((choice, index) => {
      const button = textButton(
        choice.label,
        () => this.answer(choice.decision),
        index === 0 ? "primary" : "secondary",
      );
      button.title = choice.title;
      button.append(keyHint(choice.key));
      return button;
    });
    const deny = textButton("Deny…", () => this.askWhy(), "secondary");
    deny.title = "Say no, and why if you like";
    deny.append(keyHint("d"));
    return h("div", { class: "choices" }, ...buttons, deny);
  }

  private openDiff({ title, diff, beforeUri, afterUri }: ApprovalQuestion): void {
    this.host.send({ type: "openDiff", title, unified: diff ?? "", beforeUri, afterUri });
  }

  private answer(decision: Decision, reason?: string): void {
    if (!this.shown) return;
    this.host.send({ type: "approve", toolCallId: this.shown.toolCallId, decision, reason });
  }

  private askWhy(): void {
    const field = h("input", { class: "why", attributes: { "aria-label": "Why not? The agent is told." } });
    field.placeholder = "Why not? The agent is told (may be left empty)";
    const row = h(
      "div",
      { class: "actions why-row" },
      field,
      textButton("Deny", () => this.answer("deny", field.value.trim() || undefined), "primary"),
      iconButton("close", "Back to the question", () => this.show(this.shown)),
    );
    field.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      if (event.key === "Enter") this.answer("deny", field.value.trim() || undefined);
      else if (event.key === "Escape") {
        event.stopPropagation();
        this.show(this.shown);
        this.focus();
      }
    });
    this.element.querySelector(".choices")?.replaceWith(row);
    field.focus();
  }

  private keyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target instanceof HTMLInputElement) return;
    const choice = CHOICES.find(({ key }) => key === event.key);
    if (choice) this.answer(choice.decision);
    else if (event.key === "d") this.askWhy();
    else return;
    event.preventDefault();
  }
}

function keyHint(key: string): HTMLElement {
  return h("kbd", { attributes: { "aria-hidden": "true" } }, key);
}

/** The arguments of a tool that is neither a command nor an edit, without its path. */
function otherArguments({ path: _path, ...others }: Record<string, unknown>): string {
  return Object.keys(others).length > 0 ? JSON.stringify(others, null, 2) : "";
}
