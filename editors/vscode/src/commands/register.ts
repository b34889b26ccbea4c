/** Registers all commands; what a command throws is shown as a sentence. */

import * as vscode from "vscode";
import type { App } from "../app";
import { sentence, showError } from "../log";
import { PiError } from "../server/errors";
import type { BranchesTree } from "../trees/branches";
import type { SessionsTree } from "../trees/sessions";
import { approvalCommands } from "./approvals";
import { askingCommands } from "./asking";
import { branchCommands } from "./branches";
import { type Commands, tell } from "./command";
import { folderCommands } from "./folders";
import { modelCommands } from "./models";
import { serverCommands } from "./server";
import { sessionCommands } from "./sessions";

/** Refusals that say all there is to say: the log would add nothing. */
const EXPECTED = new Set([
  "busy",
  "invalid_state",
  "nothing_to_compact",
  "session_locked",
  "not_running",
  "read_only",
]);

export interface Trees {
  branches: BranchesTree;
  sessions: SessionsTree;
}

export function registerCommands(app: App, trees: Trees): vscode.Disposable {
  const commands: Commands = {
    ...askingCommands(app),
    ...approvalCommands(app),
    ...branchCommands(app, trees.branches),
    ...sessionCommands(app, trees.sessions),
    ...modelCommands(app),
    ...folderCommands(app),
    ...serverCommands(app),
  };
  const registered = Object.entries(commands).map(([id, run]) =>
    vscode.commands.registerCommand(id, async (...args: unknown[]) => {
      try {
        await run(...args);
      } catch (error) {
        if (error instanceof PiError && EXPECTED.has(error.code)) tell(error.message);
        else showError(sentence(error));
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}
