/** Commands that ask the agent, and that hand it things. */

import * as vscode from "vscode";
import type { App } from "../app";
import { attachmentOf, selectionOf, takeFiles } from "../attachments";
import { asDraft } from "../chat/queuedTexts";
import type { Attachment } from "../protocol";
import { revealChat } from "../server/client";
import type { NamedAttachment } from "../shared/webviewMessages";
import { type Commands, tell } from "./command";

export function askingCommands(app: App): Commands {
  return {
    "pi.openChat": () => app.chat.open(),
    "pi.ask": (text?: string) => ask(app, text),
    "pi.askAboutSelection": () => askAboutSelection(app),
    "pi.addSelection": () => addSelection(app),
    "pi.addFile": (file?: vscode.Uri, files?: vscode.Uri[]) =>
      addFiles(app, files ?? (file ? [file] : activeFile())),
    "pi.addToNextPrompt": () => addToNextPrompt(app),
    "pi.attach": () => attach(app),
    "pi.stop": () => stop(app),
    "pi.continue": () => app.conversations.currentOrThrow.request("pi/continue", {}),
    "pi.runShellCommand": () => runShellCommand(app),
    "pi.compact": () => compact(app),
  };
}

async function ask(app: App, given?: string): Promise<void> {
  const conversation = app.conversations.currentOrThrow;
  const text = given ?? (await input("Ask pi", "What should be done in this folder?"));
  if (!text) return;
  await app.server.started();
  await conversation.request("pi/prompt", { text, whenBusy: "steer" });
  await revealChat();
}

async function askAboutSelection(app: App): Promise<void> {
  const editor = editorOrThrow();
  showFolderOf(app, editor.document.uri);
  app.chat.say({ type: "attach", attachments: [selectionOf(editor)] });
  await app.chat.open();
}

function addSelection(app: App): void {
  app.chat.say({ type: "attach", attachments: [selectionOf(editorOrThrow())] });
}

async function addFiles(app: App, files: readonly vscode.Uri[]): Promise<void> {
  const { attachments, images } = await takeFiles(files);
  app.chat.say({ type: "attach", attachments, images });
  await app.chat.open();
}

async function addToNextPrompt(app: App): Promise<void> {
  const conversation = app.conversations.currentOrThrow;
  const text = await input("Add to the Next Prompt", "What should the agent be told with your next message?");
  if (!text) return;
  await app.server.started();
  await conversation.request("pi/nextTurn", { text, attachments: selectedAttachment() });
  tell("It goes out with your next message.");
}

/** The paperclip of the composer. */
async function attach(app: App): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const choices: (vscode.QuickPickItem & { take: () => Promise<NamedAttachment[]> })[] = [];
  if (editor && !editor.selection.isEmpty) {
    const selection = selectionOf(editor);
    choices.push({
      label: "$(selection) Selection",
      description: selection.label,
      take: () => Promise.resolve([selection]),
    });
  }
  if (editor) {
    const file = attachmentOf(editor.document.uri);
    choices.push({
      label: "$(file) Current File",
      description: file.label,
      take: () => Promise.resolve([file]),
    });
  }
  choices.push({ label: "$(folder-opened) Files and Pictures…", take: () => pickFiles(app) });
  const choice =
    choices.length === 1 ? choices[0] : await vscode.window.showQuickPick(choices, { title: "Attach" });
  const attachments = (await choice?.take()) ?? [];
  if (attachments.length > 0) app.chat.say({ type: "attach", attachments });
  await app.chat.open();
}

async function pickFiles(app: App): Promise<NamedAttachment[]> {
  const defaultUri = app.conversations.currentOrThrow.folder.uri;
  const files = await vscode.window.showOpenDialog({ canSelectMany: true, defaultUri, openLabel: "Attach" });
  const { attachments, images } = await takeFiles(files ?? []);
  if (images.length > 0) app.chat.say({ type: "attach", attachments: [], images });
  return attachments;
}

/** Stop what runs; what was queued goes back to the composer. */
async function stop(app: App): Promise<void> {
  const { steer, followUp } = await app.conversations.currentOrThrow.request("pi/abort", {});
  const message = asDraft([...steer, ...followUp]);
  if (message) app.chat.say(message);
}

async function runShellCommand(app: App): Promise<void> {
  const conversation = app.conversations.currentOrThrow;
  const command = await input(
    "Run a Shell Command",
    "The command and what it prints go into the conversation.",
  );
  if (!command) return;
  await revealChat();
  await conversation.request("pi/bash", { command });
  await conversation.refreshState();
}

async function compact(app: App): Promise<void> {
  const conversation = app.conversations.currentOrThrow;
  const instructions = await vscode.window.showInputBox({
    title: "Compact the Conversation",
    prompt: "Older messages are replaced by a summary in what the model is sent. The file keeps them all.",
    placeHolder: "What the summary should pay attention to (may be left empty)",
  });
  if (instructions === undefined) return;
  await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: "pi: compacting…", cancellable: true },
    (_progress, token) =>
      conversation
        .request("pi/compact", instructions ? { instructions } : {}, token)
        .catch((error: unknown) => {
          if (!token.isCancellationRequested) throw error;
        }),
  );
}

function selectedAttachment(): Attachment[] | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.selection.isEmpty) return undefined;
  const { uri, range } = selectionOf(editor);
  return [{ uri, range }];
}

function showFolderOf(app: App, file: vscode.Uri): void {
  const folder = vscode.workspace.getWorkspaceFolder(file)?.uri.toString();
  const conversation = app.conversations.all.find(({ workspace }) => workspace === folder);
  if (conversation) app.conversations.show(conversation);
}

function editorOrThrow(): vscode.TextEditor {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !["file", "untitled"].includes(editor.document.uri.scheme))
    throw new Error("Open a file first.");
  return editor;
}

function activeFile(): vscode.Uri[] {
  return [editorOrThrow().document.uri];
}

function input(title: string, prompt: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({ title, prompt });
}
