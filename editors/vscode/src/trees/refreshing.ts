/** A tree view's data that is asked for again when the conversation changes, if anybody looks. */

import * as vscode from "vscode";
import type { Conversation } from "../conversation";
import type { Conversations } from "../conversations";
import { inBackground } from "../log";
import type { Event } from "../protocol";

const DELAY_MS = 150;

export abstract class RefreshingTree<Item> implements vscode.TreeDataProvider<Item>, vscode.Disposable {
  private readonly dataChanged = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[] = [this.dataChanged];
  private attached: vscode.Disposable | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stale = true;

  readonly onDidChangeTreeData = this.dataChanged.event;
  readonly view: vscode.TreeView<Item>;

  protected constructor(
    id: string,
    protected readonly conversations: Conversations,
    private readonly refreshingEvents: ReadonlySet<Event["type"]>,
    showCollapseAll: boolean,
  ) {
    this.view = vscode.window.createTreeView(id, { treeDataProvider: this, showCollapseAll });
    this.subscriptions.push(
      this.view,
      this.view.onDidChangeVisibility(({ visible }) => {
        if (visible && this.stale) this.refresh();
      }),
      conversations.onDidChangeCurrent((conversation) => this.follow(conversation)),
    );
  }

  abstract getTreeItem(item: Item): vscode.TreeItem;
  abstract getChildren(item?: Item): Item[];

  /** Ask the server, and keep the answer. */
  protected abstract load(conversation: Conversation): Promise<void>;

  /** The new data is being shown. */
  protected shown(): Promise<void> {
    return Promise.resolve();
  }

  /** Nothing is known any more. */
  protected abstract forget(): void;

  /** Ask again, a moment later. */
  refresh(): void {
    this.stale = true;
    if (!this.view.visible) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => inBackground(this.loadNow()), DELAY_MS);
  }

  /** Ask again and wait for the answer. */
  async loadNow(): Promise<void> {
    const conversation = this.conversations.current;
    if (!conversation?.state) return;
    this.stale = false;
    await this.load(conversation);
    this.dataChanged.fire();
    await this.shown();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.attached?.dispose();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private follow(conversation: Conversation | undefined): void {
    this.attached?.dispose();
    this.forget();
    this.dataChanged.fire();
    if (!conversation) return;
    this.attached = vscode.Disposable.from(
      conversation.onDidBegin(() => this.refresh()),
      conversation.onEvent(({ event }) => {
        if (this.refreshingEvents.has(event.type)) this.refresh();
      }),
    );
    this.refresh();
  }
}
