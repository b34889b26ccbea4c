/** What all commands share. */

import * as vscode from "vscode";
import { inBackground } from "../log";

/** Commands by their id. What they are given depends on the menu that they are called from. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Commands = Record<string, (...args: any[]) => unknown>;

/** Show a message that needs no answer, without waiting until it is gone. */
export function tell(message: string): void {
  inBackground(Promise.resolve(vscode.window.showInformationMessage(message)));
}
