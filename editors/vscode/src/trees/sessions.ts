/** The tree view `Sessions`: the folder's conversations, last used first. */

import * as vscode from "vscode";
import type { Conversation } from "../conversation";
import type { Conversations } from "../conversations";
import type { SessionInfo } from "../protocol";
import { counted, timeAgo } from "../shared/format";
import { RefreshingTree } from "./refreshing";

export class SessionsTree extends RefreshingTree<SessionInfo> {
  private sessions: SessionInfo[] = [];

  constructor(conversations: Conversations) {
    super(
      "pi.sessions",
      conversations,
      new Set(["settled", "session_changed", "session_info_changed"] as const),
      false,
    );
  }

  getTreeItem(session: SessionInfo): vscode.TreeItem {
    const item = new vscode.TreeItem(sessionTitle(session));
    item.id = session.sessionId;
    item.description = sessionDescription(session);
    item.tooltip = new vscode.MarkdownString().appendText(tooltip(session));
    item.iconPath = icon(session);
    item.contextValue = session.current ? "currentSession" : "session";
    item.command = { command: "pi.sessions.switch", title: "Switch to Session", arguments: [session] };
    item.accessibilityInformation = {
      label: [sessionTitle(session), session.current && "current", item.description]
        .filter(Boolean)
        .join(", "),
    };
    return item;
  }

  getChildren(session?: SessionInfo): SessionInfo[] {
    return session ? [] : this.sessions;
  }

  protected override async load(conversation: Conversation): Promise<void> {
    const { sessions } = await conversation.request("pi/sessions", {});
    this.sessions = sessions;
    this.view.message = sessions.length === 0 ? "No conversations in this folder yet." : undefined;
  }

  protected override forget(): void {
    this.sessions = [];
  }
}

/** The name, else what was asked first. */
export function sessionTitle(session: SessionInfo): string {
  return session.name || session.firstMessage || "New session";
}

/** How much is in it, when it was used, and what stands in its way. */
export function sessionDescription(session: SessionInfo): string {
  const parts = [
    session.locked && !session.current && "in use elsewhere",
    session.readOnly && "read-only",
    timeAgo(new Date(session.modified)),
    counted(session.messageCount, "message"),
  ];
  return parts.filter(Boolean).join(" · ");
}

function icon(session: SessionInfo): vscode.ThemeIcon {
  if (session.current) return new vscode.ThemeIcon("circle-filled", new vscode.ThemeColor("charts.blue"));
  if (session.locked) return new vscode.ThemeIcon("lock");
  return new vscode.ThemeIcon(session.parentSession ? "repo-forked" : "comment-discussion");
}

function tooltip(session: SessionInfo): string {
  const times = `Begun ${new Date(session.created).toLocaleString()}, last used ${new Date(session.modified).toLocaleString()}`;
  return [sessionTitle(session), session.name && session.firstMessage, times, session.file]
    .filter(Boolean)
    .join("\n\n");
}
