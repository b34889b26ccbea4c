/** The extension: wires its parts together, and takes them apart. */

import * as vscode from "vscode";
import type { App } from "./app";
import { Approvals } from "./approvals";
import { Diffs } from "./chat/diffs";
import { chatReceiver } from "./chat/receiver";
import { CHAT_VIEW, ChatView } from "./chat/view";
import { registerCommands } from "./commands/register";
import { Conversations } from "./conversations";
import { Drafts } from "./drafts";
import { ApiKeys } from "./keys";
import { log } from "./log";
import { Notices } from "./notices";
import { PiServer } from "./server/server";
import { Status } from "./status";
import { BranchesTree } from "./trees/branches";
import { SessionsTree } from "./trees/sessions";

let app: App | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const keys = new ApiKeys(context.secrets);
  const approvals: Approvals = new Approvals(
    () => chat.visible,
    () => void chat.open("approval"),
  );
  const server = new PiServer(context, keys, (question, token) => approvals.ask(question, token));
  const conversations = new Conversations(server, context.workspaceState);
  const drafts = new Drafts(context.storageUri);
  const chat: ChatView = new ChatView(context.extensionUri, { server, conversations, drafts, keys });
  app = { context, server, conversations, approvals, chat, keys, drafts };
  const diffs = new Diffs();
  chat.onMessage(chatReceiver(app, diffs));

  const trees = { branches: new BranchesTree(conversations), sessions: new SessionsTree(conversations) };
  context.subscriptions.push(
    log,
    server,
    conversations,
    drafts,
    chat,
    diffs,
    trees.branches,
    trees.sessions,
    new Status(app),
    new Notices(app),
    registerCommands(app, trees),
    vscode.window.registerFileDecorationProvider(trees.branches),
    vscode.window.registerWebviewViewProvider(CHAT_VIEW, chat, {
      webviewOptions: { retainContextWhenHidden: true },
    }),
    server.onEvent((params) => approvals.accept(params)),
    server.onDidChangeStatus(({ kind }) => {
      if (kind !== "running") approvals.clear();
    }),
  );
  conversations.open();
  // A tree view that is open, or a code action, needs the server as much as the chat does.
  server.start();
}

export async function deactivate(): Promise<void> {
  await app?.drafts.flush();
  await app?.server.stop();
  app = undefined;
}
