/** The parts of the extension that its commands and views work with. */

import type * as vscode from "vscode";
import type { Approvals } from "./approvals";
import type { ChatView } from "./chat/view";
import type { Conversations } from "./conversations";
import type { Drafts } from "./drafts";
import type { ApiKeys } from "./keys";
import type { PiServer } from "./server/server";

export interface App {
  context: vscode.ExtensionContext;
  server: PiServer;
  conversations: Conversations;
  approvals: Approvals;
  chat: ChatView;
  keys: ApiKeys;
  drafts: Drafts;
}
