/** Does what the chat's webview asks for. */

import * as vscode from "vscode";
import type { App } from "../app";
import { takeFiles } from "../attachments";
import { inBackground, sentence, showError } from "../log";
import { PiError } from "../server/errors";
import {
  type RequestError,
  type ToExtension,
  WEBVIEW_COMMANDS,
  WEBVIEW_METHODS,
  type WebviewCommand,
  type WebviewMethod,
} from "../shared/webviewMessages";
import type { Diffs } from "./diffs";
import { FileSearch } from "./fileSearch";
import { openTarget } from "./openTarget";
import type { Receiver } from "./view";

type Request = Extract<ToExtension, { type: "request" }>;

/** A receiver for the chat of an app. */
export function chatReceiver(app: App, diffs: Diffs): Receiver {
  const files = new FileSearch();
  return (message) => {
    switch (message.type) {
      case "request":
        inBackground(answerRequest(app, message));
        break;
      case "findFiles":
        inBackground(answerFiles(app, files, message));
        break;
      case "command":
        inBackground(runCommand(message.command, message.argument));
        break;
      case "approve":
        app.approvals.answer(message.toolCallId, { decision: message.decision, reason: message.reason });
        break;
      case "open":
        inBackground(openTarget(app.conversations.currentOrThrow.folder, message.target));
        break;
      case "openDiff":
        inBackground(diffs.show(message));
        break;
      case "copy":
        inBackground(Promise.resolve(vscode.env.clipboard.writeText(message.text)));
        break;
      case "insert":
        inBackground(insertAtCursor(message.text));
        break;
      case "draft":
        app.drafts.set(message.folder, message.draft);
        break;
      case "attachUris":
        inBackground(attach(app, message.uris));
        break;
      case "focusChanged":
        void vscode.commands.executeCommand("setContext", "pi.chatFocused", message.focused);
        break;
      case "notice":
        void vscode.window.showWarningMessage(message.message);
        break;
    }
  };
}

async function answerRequest(app: App, { id, method, params }: Request): Promise<void> {
  if (!isOneOf(WEBVIEW_METHODS, method)) return;
  try {
    const result = await app.conversations.currentOrThrow.request<WebviewMethod>(method, params);
    app.chat.say({ type: "response", id, result });
  } catch (error) {
    app.chat.say({ type: "response", id, error: asRequestError(error) });
  }
}

async function answerFiles(
  app: App,
  files: FileSearch,
  { id, query }: Extract<ToExtension, { type: "findFiles" }>,
): Promise<void> {
  const result = await files.find(app.conversations.currentOrThrow.folder, query);
  app.chat.say({ type: "response", id, result });
}

function asRequestError(error: unknown): RequestError {
  const code = error instanceof PiError ? error.code : "internal";
  return { code, message: sentence(error) };
}

async function runCommand(command: WebviewCommand, argument: unknown): Promise<void> {
  if (isOneOf(WEBVIEW_COMMANDS, command)) await vscode.commands.executeCommand(command, argument);
}

async function insertAtCursor(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
  if (!editor) {
    void vscode.window.showInformationMessage("Open a file first: the code goes to its cursor.");
    return;
  }
  const done = await editor.edit((edit) => {
    for (const selection of editor.selections) edit.replace(selection, text);
  });
  if (!done) showError("The editor did not take the text.");
}

async function attach(app: App, uris: readonly string[]): Promise<void> {
  const { attachments, images } = await takeFiles(uris.map((uri) => vscode.Uri.parse(uri, true)));
  app.chat.say({ type: "attach", attachments, images });
}

function isOneOf<T extends string>(allowed: readonly T[], value: string): value is T {
  return (allowed as readonly string[]).includes(value);
}
