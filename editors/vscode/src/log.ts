/** The output channel `pi`, and messages that lead to it. */

import * as vscode from "vscode";
import { PiError } from "./server/errors";

export const log: vscode.LogOutputChannel = vscode.window.createOutputChannel("pi", { log: true });

/** Show what went wrong, with a way to the log. */
export function showError(message: string): void {
  log.error(message);
  void vscode.window.showErrorMessage(message, "Show Logs").then((choice) => {
    if (choice) log.show();
  });
}

/** Run something in the background; what it throws is logged, and shown when it is news. */
export function inBackground(work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    // That the server is away for a moment shows where the person looks.
    if (error instanceof PiError && error.code === "not_running") log.info(error.message);
    else showError(sentence(error));
  });
}

/** The sentence of an error, whatever was thrown. */
export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
