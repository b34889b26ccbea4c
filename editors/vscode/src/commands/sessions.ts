/** Commands of the tree view `Sessions`, and the same from the palette. */

import * as vscode from "vscode";
import type { App } from "../app";
import type { ExportFormat, SessionInfo } from "../protocol";
import { sessionDescription, type SessionsTree, sessionTitle } from "../trees/sessions";
import type { Commands } from "./command";

export function sessionCommands(app: App, tree: SessionsTree): Commands {
  return {
    "pi.newSession": async () => {
      await app.server.started();
      await app.conversations.currentOrThrow.request("pi/newSession", {});
      await app.chat.open();
    },
    "pi.switchSession": async () => {
      await app.server.started();
      const session = await pick(app, "Switch to Session", (candidate) => !candidate.current);
      if (session) await switchTo(app, session);
    },
    "pi.sessions.switch": (session: SessionInfo) =>
      session.current ? app.chat.open() : switchTo(app, session),
    "pi.renameSession": () => rename(app),
    "pi.deleteSession": (session?: SessionInfo) => remove(app, tree, session),
    "pi.exportSession": () => exportSession(app),
    "pi.sessions.refresh": () => tree.loadNow(),
    "pi.sessions.copyPath": (session: SessionInfo) => vscode.env.clipboard.writeText(session.file),
    "pi.sessions.openFile": (session: SessionInfo) =>
      vscode.commands.executeCommand("vscode.open", vscode.Uri.file(session.file)),
  };
}

async function switchTo(app: App, session: SessionInfo): Promise<void> {
  await app.conversations.currentOrThrow.request("pi/switchSession", { sessionId: session.sessionId });
  await app.chat.open();
}

async function pick(
  app: App,
  title: string,
  suits: (session: SessionInfo) => boolean,
): Promise<SessionInfo | undefined> {
  const { sessions } = await app.conversations.currentOrThrow.request("pi/sessions", {});
  const choices = sessions.filter(suits).map((session) => ({
    label: sessionTitle(session),
    description: sessionDescription(session),
    session,
  }));
  if (choices.length === 0) throw new Error("There are no other sessions in this folder.");
  const choice = await vscode.window.showQuickPick(choices, { title, matchOnDescription: true });
  return choice?.session;
}

async function rename(app: App): Promise<void> {
  const conversation = app.conversations.currentOrThrow;
  const name = await vscode.window.showInputBox({
    title: "Rename Session",
    prompt: "An empty name shows the first message instead.",
    value: conversation.state?.name ?? "",
  });
  if (name !== undefined) await conversation.request("pi/renameSession", { name });
}

async function remove(app: App, tree: SessionsTree, given?: SessionInfo): Promise<void> {
  const session = given ?? (await pick(app, "Delete Session", (candidate) => !candidate.current));
  if (!session) return;
  const question = `Delete the session “${sessionTitle(session)}”?`;
  const detail = "Its file goes to the trash where there is one.";
  const choice = await vscode.window.showWarningMessage(question, { modal: true, detail }, "Delete");
  if (choice !== "Delete") return;
  await app.conversations.currentOrThrow.request("pi/deleteSession", { sessionId: session.sessionId });
  await tree.loadNow();
}

const FORMATS: { label: string; description: string; format: ExportFormat; extension: string }[] = [
  { label: "Markdown", description: "to read and to paste", format: "markdown", extension: "md" },
  { label: "HTML", description: "one page without scripts", format: "html", extension: "html" },
  { label: "JSONL", description: "the session file itself", format: "jsonl", extension: "jsonl" },
];

async function exportSession(app: App): Promise<void> {
  const conversation = app.conversations.currentOrThrow;
  const choice = await vscode.window.showQuickPick(FORMATS, { title: "Export Session" });
  if (!choice) return;
  const name = (conversation.state?.name || "conversation").replace(/[^\p{L}\p{N}_-]+/gu, "-");
  const target = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(conversation.folder.uri, `${name}.${choice.extension}`),
    filters: { [choice.label]: [choice.extension] },
  });
  if (!target) return;
  const { path } = await conversation.request("pi/export", { format: choice.format, path: target.fsPath });
  const open = await vscode.window.showInformationMessage(`Exported to ${path}`, "Open");
  if (open) await vscode.commands.executeCommand("vscode.open", vscode.Uri.file(path));
}
