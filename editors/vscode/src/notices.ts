/** Tells a person who looks elsewhere: a badge on the view, and by setting a notification. */

import * as vscode from "vscode";
import type { App } from "./app";
import type { Conversation } from "./conversation";
import { log } from "./log";
import { option } from "./settings";

type WhenFinished = "never" | "whenHidden" | "always";

export class Notices implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private finished = 0;
  private readonly told = new Set<string>();

  constructor(private readonly app: App) {
    this.subscriptions = [
      app.chat.onDidChangeVisibility((visible) => {
        if (visible) this.finished = 0;
        this.updateBadge();
      }),
      app.approvals.onDidChange(() => this.updateBadge()),
      app.conversations.onDidAdd((conversation) => this.watch(conversation)),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private watch(conversation: Conversation): void {
    conversation.onDidBegin(({ state }) => this.warn(state.warnings));
    conversation.onEvent(({ event }) => {
      if (event.type === "settled" && !event.aborted)
        this.runFinished(conversation, event.error ?? undefined);
      else if (event.type === "error") log.error(`${event.code}: ${event.message}`);
    });
  }

  private runFinished(conversation: Conversation, error: string | undefined): void {
    const hidden = !this.app.chat.visible || conversation !== this.app.conversations.current;
    if (hidden) this.finished += 1;
    this.updateBadge();
    const when = option<WhenFinished>("notifyWhenFinished", "whenHidden");
    if (when === "never" || (when === "whenHidden" && !hidden)) return;
    const where = this.app.conversations.all.length > 1 ? ` in ${conversation.folder.name}` : "";
    const message = error ? `pi stopped${where}: ${error}` : `pi is done${where}.`;
    const show = error ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
    void show(message, "Show").then((choice) => {
      if (!choice) return;
      this.app.conversations.show(conversation);
      void this.app.chat.open();
    });
  }

  /** Each warning of a session once; the chat shows them too. */
  private warn(warnings: readonly string[]): void {
    for (const warning of warnings) {
      if (this.told.has(warning)) continue;
      this.told.add(warning);
      log.warn(warning);
    }
  }

  private updateBadge(): void {
    const asked = this.app.chat.visible ? 0 : this.app.approvals.count;
    const value = asked + this.finished;
    const tooltip = asked > 0 ? "pi waits for your answer" : "pi is done";
    this.app.chat.setBadge(value > 0 ? { value, tooltip } : undefined);
  }
}
