/** Shows what an edit changed, in the editor; the focus stays in the chat. */

import * as vscode from "vscode";

const SCHEME = "pi-diff";
const LOOK: vscode.TextDocumentShowOptions = { preview: true, preserveFocus: true };

export interface ShownEdit {
  title: string;
  unified: string;
  beforeUri?: string | null;
  afterUri?: string | null;
}

export class Diffs implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  /** Both sides in the diff view; when they are not kept any more, the unified diff as a text. */
  async show(edit: ShownEdit): Promise<void> {
    if (edit.beforeUri && edit.afterUri) {
      const [before, after] = [vscode.Uri.parse(edit.beforeUri), vscode.Uri.parse(edit.afterUri)];
      await vscode.commands.executeCommand("vscode.diff", before, after, edit.title, LOOK);
      return;
    }
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${edit.title}.diff` });
    this.texts.set(uri.toString(), edit.unified);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), LOOK);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  dispose(): void {
    this.registration.dispose();
  }
}
