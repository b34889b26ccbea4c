/** What stands below the last message: what is going on, what went wrong, and Continue. */

import type { Event, State } from "../src/protocol";
import { duration, shortCount } from "../src/shared/format";
import { fill, h, icon, textButton } from "./dom";
import type { Host } from "./host";

const TICK_MS = 1000;
const AUTH_CODES = new Set(["auth", "no_model"]);

export class Tail {
  readonly element = h("div", { class: "tail" });
  private readonly activity = h("div", { class: "activity", role: "status", hidden: true });
  private readonly live = h("pre", { class: "tool-text output live", hidden: true });
  private readonly problem = h("div", { class: "problem", role: "alert", hidden: true });
  private readonly proceed = h("div", { class: "proceed", hidden: true });
  private state: State | undefined;
  private since = 0;
  private retryAt: number | undefined;
  private timer: ReturnType<typeof setInterval> | undefined;
  private command: string | undefined;

  constructor(private readonly host: Host) {
    this.element.append(this.live, this.activity, this.problem, this.proceed);
  }

  /** Draw by the state; call after each change of it. */
  update(state: State): void {
    const wasBusy = this.state !== undefined && this.state.phase !== "idle";
    const busy = state.phase !== "idle";
    if (busy && (!wasBusy || this.state?.sessionId !== state.sessionId)) this.since = Date.now();
    if (state.retry && state.retry.attempt !== this.state?.retry?.attempt) {
      this.retryAt = Date.now() + state.retry.delayMs;
    }
    this.state = state;
    this.drawActivity();
    this.drawProceed();
    this.keepTicking(busy || this.command !== undefined);
  }

  apply(event: Event): void {
    switch (event.type) {
      case "agent_start":
      case "compaction_start":
      case "session_changed":
        this.showProblem(undefined);
        break;
      case "error":
        this.showProblem(event.message, event.code);
        break;
      case "bash_update":
        this.live.hidden = false;
        this.live.append(event.delta);
        break;
      case "compaction_end":
      case "branch_summary_end":
        if (event.error) this.showProblem(event.error);
        break;
      default:
        break;
    }
  }

  /** A command of the person runs, or none does any more. */
  showCommand(command: string | undefined): void {
    this.command = command;
    if (command !== undefined) this.since = Date.now();
    else {
      this.live.hidden = true;
      this.live.replaceChildren();
    }
    this.drawActivity();
    this.keepTicking(command !== undefined || (this.state?.phase ?? "idle") !== "idle");
  }

  /** Say what went wrong, with the buttons that may help; nothing takes it away. */
  showProblem(message: string | undefined, code?: string): void {
    this.problem.hidden = message === undefined;
    if (message === undefined) return;
    const needsKey = code !== undefined && AUTH_CODES.has(code);
    fill(
      this.problem,
      icon("error"),
      h("div", { class: "problem-text" }, message),
      h(
        "div",
        { class: "actions" },
        needsKey && textButton("Set API Key", () => this.host.run("pi.setApiKey"), "primary"),
        needsKey && textButton("Try the Demo Model", () => this.host.run("pi.useDemoModel")),
        textButton("Show Logs", () => this.host.run("pi.showLogs"), "quiet"),
        textButton("Dismiss", () => this.showProblem(undefined), "quiet"),
      ),
    );
  }

  private keepTicking(wanted: boolean): void {
    if (wanted && this.timer === undefined) {
      this.timer = setInterval(() => this.drawActivity(), TICK_MS);
    } else if (!wanted) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
  }

  private drawActivity(): void {
    const text = this.activityText();
    this.activity.hidden = text === undefined;
    if (text === undefined) return;
    const elapsed = Date.now() - this.since;
    // Only the words are said to screen readers, not the seconds.
    const time = h(
      "span",
      { class: "time", attributes: { "aria-hidden": "true" } },
      elapsed >= 2000 ? duration(Math.floor(elapsed / 1000) * 1000).replace(".0", "") : "",
    );
    const words = this.activity.querySelector(".words");
    if (words?.textContent === text) this.activity.querySelector(".time")?.replaceWith(time);
    else
      fill(
        this.activity,
        icon("loading", "codicon-modifier-spin"),
        h("span", { class: "words" }, text),
        time,
      );
  }

  private activityText(): string | undefined {
    if (this.command !== undefined) return `Running ${this.command}`;
    const { state } = this;
    if (!state || state.phase === "idle") return undefined;
    if (state.pendingApprovals.length > 0) return "Waiting for your answer";
    if (state.compaction) return `Compacting ${tokens(state)}`;
    if (state.phase === "branch_summary") return "Summarizing the branch that is left";
    if (state.phase === "bash") return "Running a command";
    if (state.retry) return retryText(state.retry, this.retryAt);
    return "Working";
  }

  private drawProceed(): void {
    const shown = this.state?.phase === "idle" && this.state.canContinue;
    this.proceed.hidden = !shown;
    if (!shown || this.proceed.childElementCount > 0) return;
    this.proceed.append(
      textButton("Continue", () => this.host.run("pi.continue"), "secondary"),
      h("span", { class: "quiet" }, "go on without a new message"),
    );
  }
}

function tokens({ context }: State): string {
  return context.tokens === null ? "the conversation" : `${shortCount(context.tokens)} tokens`;
}

function retryText(retry: NonNullable<State["retry"]>, at: number | undefined): string {
  const seconds = Math.max(0, Math.ceil(((at ?? Date.now()) - Date.now()) / 1000));
  const when = seconds > 0 ? `trying again in ${seconds} s` : "trying again";
  return `${retry.error} — ${when} (${retry.attempt} of ${retry.maxAttempts})`;
}
