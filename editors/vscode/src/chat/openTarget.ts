/** Opens what an answer or a tool call points to: a path with an optional line, or a link. */

import * as path from "node:path";
import * as os from "node:os";
import * as vscode from "vscode";

const WITH_LINE = /^(.*?)(?:[:#]L?(\d+)(?:[:,-]\D*(\d+))?)?$/;

/** Open a target; says so in a message when there is no such file. */
export async function openTarget(folder: vscode.WorkspaceFolder, target: string): Promise<void> {
  if (/^(https?|mailto):/i.test(target)) {
    await vscode.env.openExternal(vscode.Uri.parse(target, true));
    return;
  }
  const { file, line } = parseTarget(target);
  const uri = fileUri(folder, file);
  if (!(await exists(uri))) {
    void vscode.window.showWarningMessage(`There is no file ${file}.`);
    return;
  }
  const options: vscode.TextDocumentShowOptions = { preview: true };
  if (line !== undefined) {
    const position = new vscode.Position(Math.max(0, line - 1), 0);
    options.selection = new vscode.Range(position, position);
  }
  await vscode.commands.executeCommand("vscode.open", uri, options);
}

/** The file of a target, and its line from 1. */
export function parseTarget(target: string): { file: string; line?: number } {
  const match = WITH_LINE.exec(target.replace(/^file:\/\//, ""));
  const file = decoded(match?.[1] ?? target);
  return match?.[2] ? { file, line: Number(match[2]) } : { file };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A percent sign that is no escape belongs to the name.
  }
}

function fileUri(folder: vscode.WorkspaceFolder, file: string): vscode.Uri {
  if (file.startsWith("~/")) return vscode.Uri.file(path.join(os.homedir(), file.slice(2)));
  if (path.isAbsolute(file)) return vscode.Uri.file(file);
  return vscode.Uri.joinPath(folder.uri, file.replace(/^@/, ""));
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  return Promise.resolve(vscode.workspace.fs.stat(uri)).then(
    () => true,
    () => false,
  );
}
