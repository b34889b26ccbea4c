/** The conversations of all folders of the window, and which of them the chat shows. */

import * as vscode from "vscode";
import { Conversation } from "./conversation";
import { inBackground } from "./log";
import type { PiServer } from "./server/server";
import type { ShownFolder } from "./shared/webviewMessages";

const PINNED = "pi.pinnedFolder";

export class Conversations implements vscode.Disposable {
  private readonly byFolder = new Map<string, Conversation>();
  private readonly currentChanged = new vscode.EventEmitter<Conversation | undefined>();
  private readonly added = new vscode.EventEmitter<Conversation>();
  private readonly subscriptions: vscode.Disposable[];
  private shown: Conversation | undefined;

  readonly onDidChangeCurrent = this.currentChanged.event;
  readonly onDidAdd = this.added.event;

  constructor(
    private readonly server: PiServer,
    private readonly memento: vscode.Memento,
  ) {
    this.subscriptions = [
      server.onEvent((params) => this.find(params.workspace)?.accept(params)),
      server.onDidChangeStatus((status) => {
        if (status.kind === "running") this.loadAll();
        else for (const conversation of this.byFolder.values()) conversation.forget();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders((change) => {
        for (const folder of change.removed) this.remove(folder);
        this.addFolders();
        this.choose();
      }),
      vscode.window.onDidChangeActiveTextEditor(() => this.choose()),
    ];
  }

  /** Take the folders of the window; call once, when listeners are in place. */
  open(): void {
    this.addFolders();
    this.choose();
  }

  /** The conversation that the chat shows; none in a window without a folder. */
  get current(): Conversation | undefined {
    return this.shown;
  }

  /** @throws Error with a sentence when the window has no folder. */
  get currentOrThrow(): Conversation {
    if (!this.shown) throw new Error("pi works in a folder: open one first.");
    return this.shown;
  }

  get all(): Conversation[] {
    return [...this.byFolder.values()];
  }

  describe(conversation: Conversation): ShownFolder {
    return {
      uri: conversation.workspace,
      name: conversation.folder.name,
      pinned: this.pinned === conversation.workspace,
      several: this.byFolder.size > 1,
    };
  }

  /** Stay with a folder, or follow the active editor again. */
  async pin(workspace: string | undefined): Promise<void> {
    await this.memento.update(PINNED, workspace);
    this.choose();
    this.currentChanged.fire(this.shown);
  }

  /** Show a folder's conversation now. */
  show(conversation: Conversation): void {
    if (conversation === this.shown) return;
    this.shown = conversation;
    this.currentChanged.fire(conversation);
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, ...this.byFolder.values()).dispose();
    this.currentChanged.dispose();
    this.added.dispose();
  }

  private get pinned(): string | undefined {
    const workspace = this.memento.get<string>(PINNED);
    return workspace !== undefined && this.byFolder.has(workspace) ? workspace : undefined;
  }

  private find(workspace: string): Conversation | undefined {
    return this.byFolder.get(workspace);
  }

  private addFolders(): void {
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      const key = folder.uri.toString();
      if (this.byFolder.has(key)) continue;
      const conversation = new Conversation(folder, this.server);
      this.byFolder.set(key, conversation);
      this.added.fire(conversation);
      if (this.server.status.kind === "running") inBackground(conversation.load());
    }
  }

  private remove(folder: vscode.WorkspaceFolder): void {
    const key = folder.uri.toString();
    this.byFolder.get(key)?.dispose();
    this.byFolder.delete(key);
  }

  private loadAll(): void {
    for (const conversation of this.byFolder.values()) inBackground(conversation.load());
  }

  /** The pinned folder, else the active editor's, else the one shown before, else the first. */
  private choose(): void {
    const chosen = this.chosen();
    if (chosen === this.shown) return;
    this.shown = chosen;
    this.currentChanged.fire(chosen);
  }

  private chosen(): Conversation | undefined {
    if (this.pinned !== undefined) return this.find(this.pinned);
    const file = vscode.window.activeTextEditor?.document.uri;
    const folder = file && vscode.workspace.getWorkspaceFolder(file);
    const followed = folder && this.find(folder.uri.toString());
    if (followed) return followed;
    const stillThere = this.shown && this.byFolder.has(this.shown.workspace);
    return stillThere ? this.shown : this.byFolder.values().next().value;
  }
}
