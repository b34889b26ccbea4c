/** Files of a folder by a few letters of their path, for mentions. */

import * as vscode from "vscode";
import { attachmentOf } from "../attachments";
import type { NamedAttachment } from "../shared/webviewMessages";
import { bestMatches } from "../shared/matching";

const MAX_FILES = 20_000;
const MAX_RESULTS = 12;
const FRESH_MS = 10_000;

export class FileSearch {
  private files: { folder: string; time: number; uris: Promise<vscode.Uri[]> } | undefined;

  /** The best matches; with an empty query the open editors' files. */
  async find(folder: vscode.WorkspaceFolder, query: string): Promise<NamedAttachment[]> {
    const open = openFiles(folder);
    if (query === "" && open.length > 0) return open.slice(0, MAX_RESULTS).map((uri) => attachmentOf(uri));
    const all = new Map([...open, ...(await this.list(folder))].map((uri) => [uri.toString(), uri]));
    const named = [...all.values()].map((uri) => attachmentOf(uri));
    return bestMatches(named, query, (attachment) => attachment.label).slice(0, MAX_RESULTS);
  }

  private list(folder: vscode.WorkspaceFolder): Promise<vscode.Uri[]> {
    const key = folder.uri.toString();
    if (this.files?.folder !== key || Date.now() - this.files.time > FRESH_MS) {
      const pattern = new vscode.RelativePattern(folder, "**/*");
      const uris = Promise.resolve(vscode.workspace.findFiles(pattern, undefined, MAX_FILES));
      this.files = { folder: key, time: Date.now(), uris };
    }
    return this.files.uris;
  }
}

function openFiles(folder: vscode.WorkspaceFolder): vscode.Uri[] {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .map((tab) => tab.input)
    .filter((input): input is vscode.TabInputText => input instanceof vscode.TabInputText)
    .map((input) => input.uri)
    .filter((uri) => vscode.workspace.getWorkspaceFolder(uri)?.uri.toString() === folder.uri.toString());
}
