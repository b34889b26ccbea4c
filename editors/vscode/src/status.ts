/** The status bar item, the language status, and the context keys that menus and keys depend on. */

import * as vscode from "vscode";
import type { App } from "./app";
import type { State } from "./protocol";
import { dollars, shortCount, shortName } from "./shared/format";

const WARN_PERCENT = 80;

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("pi.status", vscode.StatusBarAlignment.Right, 90);
  private readonly language = vscode.languages.createLanguageStatusItem("pi.language", { scheme: "file" });
  private readonly subscriptions: vscode.Disposable[];
  private attached: vscode.Disposable | undefined;

  constructor(private readonly app: App) {
    this.item.name = "pi";
    this.item.command = "pi.openChat";
    this.language.name = "pi";
    this.language.command = { command: "pi.selectModel", title: "Select Model" };
    this.subscriptions = [
      this.item,
      this.language,
      app.server.onDidChangeStatus(() => this.update()),
      app.approvals.onDidChange(() => this.update()),
      app.conversations.onDidChangeCurrent(() => this.follow()),
    ];
    this.follow();
  }

  dispose(): void {
    this.attached?.dispose();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private follow(): void {
    this.attached?.dispose();
    this.attached = this.app.conversations.current?.onDidChangeState(() => this.update());
    this.update();
  }

  private update(): void {
    const { server, conversations, approvals } = this.app;
    const state = server.status.kind === "running" ? conversations.current?.state : undefined;
    const asking = approvals.count > 0;
    setContext("pi.running", state !== undefined && state.phase !== "idle");
    setContext("pi.approvalPending", asking);
    setContext("pi.canContinue", state?.canContinue ?? false);
    setContext("pi.severalFolders", conversations.all.length > 1);
    this.item.backgroundColor = asking ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    if (state) this.showState(state, asking);
    else this.showServer();
    this.item.show();
  }

  private showState(state: State, asking: boolean): void {
    const { percent, tokens, window } = state.context;
    const busy = state.phase !== "idle";
    const icon = asking ? "$(question)" : busy ? "$(loading~spin)" : "$(sparkle)";
    this.item.text = `${icon} ${shortName(state.model.name)}`;
    const used = percent === null ? "unknown" : `${Math.round(percent)} % of ${shortCount(window)} tokens`;
    const lines = [
      `**pi** — ${asking ? "waits for your answer" : busy ? "is working" : "is ready"}`,
      `Model: ${state.model.name}, thinking ${state.thinkingLevel}`,
      `Context: ${used} · ${dollars(state.usage.cost ?? 0)}`,
    ];
    this.item.tooltip = new vscode.MarkdownString(lines.join("\n\n"));
    this.item.accessibilityInformation = { label: `pi, ${state.model.name}${busy ? ", working" : ""}` };
    this.language.text = shortName(state.model.name);
    this.language.detail = `pi · ${used}`;
    this.language.busy = busy;
    const nearlyFull = tokens !== null && (percent ?? 0) >= WARN_PERCENT;
    this.language.severity = nearlyFull
      ? vscode.LanguageStatusSeverity.Warning
      : vscode.LanguageStatusSeverity.Information;
  }

  private showServer(): void {
    const { kind } = this.app.server.status;
    const working = kind === "starting" || kind === "installing";
    const broken = kind === "missing" || kind === "failed";
    this.item.text = broken ? "$(warning) pi" : working ? "$(loading~spin) pi" : "$(sparkle) pi";
    this.item.tooltip = broken
      ? "The pi server does not run. Open the chat to see what to do."
      : "Open the pi chat";
    this.language.text = "pi";
    this.language.detail = broken ? "server does not run" : kind;
    this.language.busy = working;
    this.language.severity = broken
      ? vscode.LanguageStatusSeverity.Warning
      : vscode.LanguageStatusSeverity.Information;
  }
}

const known = new Map<string, unknown>();

/** Set a context key when it changed. */
function setContext(key: string, value: unknown): void {
  if (known.get(key) === value) return;
  known.set(key, value);
  void vscode.commands.executeCommand("setContext", key, value);
}
