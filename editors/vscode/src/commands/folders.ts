/** Which folder the chat shows, in a window with several. */

import * as vscode from "vscode";
import type { App } from "../app";
import type { Commands } from "./command";

export function folderCommands(app: App): Commands {
  const { conversations } = app;
  return {
    "pi.pinFolder": () => {
      const current = conversations.currentOrThrow;
      const pinned = conversations.describe(current).pinned;
      return conversations.pin(pinned ? undefined : current.workspace);
    },
    "pi.selectFolder": async () => {
      const choices = conversations.all.map((conversation) => ({
        label: conversation.folder.name,
        description: conversation === conversations.current ? "shown now" : undefined,
        detail: conversation.folder.uri.fsPath,
        conversation,
      }));
      const choice = await vscode.window.showQuickPick(choices, {
        title: "Folder of the Chat",
        placeHolder: "The chat stays with this folder until it is unpinned",
      });
      if (choice) await conversations.pin(choice.conversation.workspace);
    },
  };
}
