/** The chat's view: shows the current conversation in a webview, and tells it what happens. */

import * as vscode from "vscode";
import type { Beginning, Conversation } from "../conversation";
import type { Conversations } from "../conversations";
import type { Drafts } from "../drafts";
import type { ApiKeys } from "../keys";
import { inBackground } from "../log";
import { option } from "../settings";
import type { PiServer } from "../server/server";
import type { State } from "../protocol";
import type { ToExtension, ToWebview } from "../shared/webviewMessages";
import { chatPage } from "./html";
import { asDraft } from "./queuedTexts";

export const CHAT_VIEW = "pi.chat";

export interface ChatParts {
  server: PiServer;
  conversations: Conversations;
  drafts: Drafts;
  keys: ApiKeys;
}

/** Takes what the webview says. */
export type Receiver = (message: Exclude<ToExtension, { type: "ready" }>) => void;

export class ChatView implements vscode.WebviewViewProvider, vscode.Disposable {
  private view: vscode.WebviewView | undefined;
  private ready = false;
  private shown: Conversation | undefined;
  private attached: vscode.Disposable | undefined;
  /** The sessions whose lost queues were given back since the server started. */
  private readonly recovered = new Set<string>();
  /** What is to be said as soon as the conversation is drawn. */
  private waiting: ToWebview[] = [];
  private receiver: Receiver = () => undefined;
  private readonly visibility = new vscode.EventEmitter<boolean>();
  private readonly subscriptions: vscode.Disposable[];

  readonly onDidChangeVisibility = this.visibility.event;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly parts: ChatParts,
  ) {
    const { server, conversations, keys } = parts;
    this.subscriptions = [
      server.onDidChangeStatus((status) => {
        if (status.kind === "starting") this.recovered.clear();
        this.post({ type: "server", status });
      }),
      conversations.onDidChangeCurrent(() => this.follow()),
      keys.onDidChange(() => inBackground(this.tellKey())),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("pi.chat")) this.postOptions();
      }),
    ];
  }

  /** Who takes what the webview says; set once, before the view opens. */
  onMessage(receiver: Receiver): void {
    this.receiver = receiver;
  }

  get visible(): boolean {
    return this.view?.visible ?? false;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    this.ready = false;
    view.webview.options = {
      enableScripts: true,
      localResourceRoots: [vscode.Uri.joinPath(this.extension, "out")],
    };
    view.webview.onDidReceiveMessage((message: ToExtension) => {
      if (message.type === "ready") this.begin();
      else this.receiver(message);
    });
    view.onDidChangeVisibility(() => this.visibility.fire(view.visible));
    view.onDidDispose(() => {
      this.view = undefined;
      this.ready = false;
      this.visibility.fire(false);
    });
    view.webview.html = chatPage(view.webview, this.extension);
    this.visibility.fire(view.visible);
    this.parts.server.start();
  }

  /** Open the chat and put the cursor into it. */
  async open(target: "composer" | "approval" = "composer"): Promise<void> {
    await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`);
    this.say({ type: "focus", target });
  }

  /** Tell the webview something now, or as soon as it has drawn the conversation. */
  say(message: ToWebview): void {
    if (this.ready && this.shown?.state) this.post(message);
    else this.waiting.push(message);
  }

  setBadge(badge: vscode.ViewBadge | undefined): void {
    if (this.view) this.view.badge = badge;
  }

  setDescription(description: string | undefined): void {
    if (this.view) this.view.description = description;
  }

  dispose(): void {
    this.attached?.dispose();
    vscode.Disposable.from(...this.subscriptions, this.visibility).dispose();
  }

  private post(message: ToWebview): void {
    if (this.ready) void this.view?.webview.postMessage(message);
  }

  private begin(): void {
    this.ready = true;
    this.postOptions();
    this.post({ type: "server", status: this.parts.server.status });
    this.shown = undefined;
    this.follow();
  }

  private follow(): void {
    const conversation = this.parts.conversations.current;
    if (!conversation) return;
    if (conversation === this.shown) {
      this.post({ type: "folder", folder: this.parts.conversations.describe(conversation) });
    } else {
      inBackground(this.attach(conversation));
    }
  }

  private async attach(conversation: Conversation): Promise<void> {
    this.attached?.dispose();
    this.shown = conversation;
    await this.parts.drafts.load(conversation.workspace);
    if (this.shown !== conversation) return;
    this.attached = vscode.Disposable.from(
      conversation.onDidBegin((beginning) => this.draw(conversation, beginning)),
      conversation.onEvent((params) => this.post({ type: "event", params })),
      conversation.onDidRefresh((state) => this.post({ type: "state", state })),
    );
    if (this.ready && this.parts.server.status.kind === "running") await conversation.load();
  }

  private draw(conversation: Conversation, beginning: Beginning): void {
    const folder = this.parts.conversations.describe(conversation);
    const draft = this.parts.drafts.get(conversation.workspace);
    this.post({ type: "snapshot", folder, draft, ...beginning });
    this.giveRecovered(conversation.workspace, beginning.state);
    for (const message of this.waiting.splice(0)) this.post(message);
    inBackground(this.tellKey());
  }

  /** What was queued when the server died goes to the composer, unless it stands there already. */
  private giveRecovered(folder: string, { recovered, sessionId }: State): void {
    if (!recovered || this.recovered.has(sessionId)) return;
    this.recovered.add(sessionId);
    const { text } = this.parts.drafts.get(folder);
    const lost = [...recovered.steer, ...recovered.followUp].filter((item) => !text.includes(item.text));
    const message = asDraft(lost);
    if (message) this.post(message);
  }

  /** Whether a real model can be asked: the server knows keys that the extension does not. */
  private async tellKey(): Promise<void> {
    if (!this.shown || this.parts.server.status.kind !== "running") return;
    const { models } = await this.shown.request("pi/models", {});
    const hasKey = models.some((model) => model.available && model.provider !== "demo");
    this.post({ type: "key", hasKey });
  }

  private postOptions(): void {
    const thinkingExpanded = option("chat.expandThinking", false);
    this.post({ type: "options", options: { thinkingExpanded } });
  }
}
