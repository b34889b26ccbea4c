/** The tree view `Branches`: the conversation's turns and the branches that leave it. */

import * as vscode from "vscode";
import type { Conversation } from "../conversation";
import type { Conversations } from "../conversations";
import type { TreeFilter, TreeNode } from "../protocol";
import { type Item, layOut } from "./branchLayout";
import { RefreshingTree } from "./refreshing";

const SCHEME = "pi-branch";

const ICONS: Readonly<Record<string, string>> = {
  user: "comment",
  assistant: "sparkle",
  toolResult: "tools",
  bashExecution: "terminal",
  custom: "note",
  compaction: "fold",
  branch_summary: "git-branch",
};

/** Entries whose text is a summary are called by what they are. */
const SUMMARIES: Readonly<Record<string, string>> = {
  compaction: "Compacted",
  branch_summary: "Branch summary",
};

export class BranchesTree extends RefreshingTree<Item> implements vscode.FileDecorationProvider {
  private items: Item[] = [];
  private parents = new Map<Item, Item>();
  private currentId: string | undefined;
  private revealedId: string | undefined;
  private shownFilter: TreeFilter = "branches";

  constructor(conversations: Conversations) {
    super(
      "pi.branches",
      conversations,
      new Set(["message_end", "entry_appended", "leaf_changed", "settled"] as const),
      true,
    );
  }

  get filter(): TreeFilter {
    return this.shownFilter;
  }

  set filter(filter: TreeFilter) {
    this.shownFilter = filter;
    this.view.description = filter === "branches" ? undefined : FILTER_NAMES[filter];
    this.refresh();
  }

  getTreeItem(item: Item): vscode.TreeItem {
    const { node } = item;
    const title = SUMMARIES[node.type];
    const shown = new vscode.TreeItem(title ?? (node.text || "(empty)"), collapsible(item));
    const current = node.id === this.currentId;
    shown.id = `${node.id}:${item.startsBranch ? "branch" : "lane"}`;
    const notes = [node.label && `⚑ ${node.label}`, current && "current", title && node.text];
    shown.description = notes.filter(Boolean).join(" · ");
    shown.tooltip = new vscode.MarkdownString().appendText(tooltip(node));
    shown.iconPath = icon(item, current);
    shown.resourceUri = vscode.Uri.from({
      scheme: SCHEME,
      path: `/${node.onPath ? "on" : "off"}/${node.id}`,
    });
    shown.contextValue = node.role === "user" ? "userMessage" : "entry";
    shown.command = { command: "pi.branches.switch", title: "Switch Here", arguments: [item] };
    shown.accessibilityInformation = { label: spoken(item, current) };
    return shown;
  }

  getChildren(item?: Item): Item[] {
    return item ? item.below : this.items;
  }

  getParent(item: Item): Item | undefined {
    return this.parents.get(item);
  }

  /** Branches that were left are shown dimmed. */
  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    if (uri.scheme !== SCHEME || !uri.path.startsWith("/off/")) return undefined;
    return { color: new vscode.ThemeColor("disabledForeground") };
  }

  /** All items, as a search goes through them. */
  everything(): Item[] {
    const flat: Item[] = [];
    const pending = [...this.items].reverse();
    for (let item = pending.pop(); item; item = pending.pop()) {
      flat.push(item);
      pending.push(...[...item.below].reverse());
    }
    return flat;
  }

  protected override async load(conversation: Conversation): Promise<void> {
    const { nodes } = await conversation.request("pi/tree", { filter: this.filter });
    this.items = layOut(nodes);
    // The leaf itself may not be among what the filter shows.
    this.currentId = nodes.filter((node) => node.onPath).at(-1)?.id;
    this.parents = parentsOf(this.items);
    this.view.message =
      nodes.length === 0 ? "Each message you send appears here. Click one to go back to it." : undefined;
  }

  /** The place where the conversation stands comes into view when it has moved. */
  protected override async shown(): Promise<void> {
    if (this.currentId === this.revealedId || !this.view.visible) return;
    this.revealedId = this.currentId;
    const last = this.items.at(-1);
    if (last?.node.onPath) await this.view.reveal(last, { select: false, focus: false });
  }

  protected override forget(): void {
    this.items = [];
    this.parents = new Map();
  }
}

/** The filters of `pi/tree`, as they are called in the menu. */
export const FILTER_NAMES: Readonly<Record<TreeFilter, string>> = {
  branches: "turns and branch points",
  user: "your messages",
  labeled: "labelled entries",
  noTools: "messages without tool calls",
  default: "all messages",
  all: "every entry",
};

/** Where branches leave is open, so that they are seen; a branch itself opens on demand. */
function collapsible(item: Item): vscode.TreeItemCollapsibleState {
  const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  if (item.below.length === 0) return None;
  return item.startsBranch ? Collapsed : Expanded;
}

function icon(item: Item, current: boolean): vscode.ThemeIcon {
  if (current) return new vscode.ThemeIcon("circle-filled", new vscode.ThemeColor("charts.blue"));
  const { node } = item;
  const name = item.startsBranch ? "git-branch" : (ICONS[node.role ?? node.type] ?? "circle-outline");
  const color = node.onPath ? "charts.blue" : "disabledForeground";
  return new vscode.ThemeIcon(name, new vscode.ThemeColor(color));
}

function tooltip(node: TreeNode): string {
  const time = new Date(node.timestamp).toLocaleString();
  return [node.text, node.label && `Label: ${node.label}`, time].filter(Boolean).join("\n\n");
}

function spoken(item: Item, current: boolean): string {
  const { node } = item;
  const parts = [
    node.role === "user" ? "You" : (node.role ?? node.type),
    node.text,
    node.label && `label ${node.label}`,
    current ? "current" : node.onPath ? "on the active path" : "another branch",
  ];
  return parts.filter(Boolean).join(", ");
}

function parentsOf(items: readonly Item[]): Map<Item, Item> {
  const parents = new Map<Item, Item>();
  const pending = [...items];
  for (let item = pending.pop(); item; item = pending.pop()) {
    for (const below of item.below) {
      parents.set(below, item);
      pending.push(below);
    }
  }
  return parents;
}
