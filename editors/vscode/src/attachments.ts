/** Files and selections as attachments of a message. */

import * as path from "node:path";
import * as vscode from "vscode";
import type { ImageAttachment, Range } from "./protocol";
import type { NamedAttachment } from "./shared/webviewMessages";

const PICTURES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

/** A file as an attachment, or the lines of a selection in it. */
export function attachmentOf(uri: vscode.Uri, selection?: vscode.Range): NamedAttachment {
  const name = vscode.workspace.asRelativePath(uri);
  if (!selection || selection.isEmpty) return { uri: uri.toString(), label: name };
  const first = selection.start.line + 1;
  // A selection that ends at the start of a line does not look as if it held that line.
  const last = Math.max(first, selection.end.character === 0 ? selection.end.line : selection.end.line + 1);
  const lines = first === last ? String(first) : `${first}-${last}`;
  return { uri: uri.toString(), range: rangeOf(selection), label: `${name}:${lines}` };
}

/** The selection of an editor; the whole line where nothing is selected. */
export function selectionOf(editor: vscode.TextEditor): NamedAttachment {
  const { document, selection } = editor;
  const range = selection.isEmpty ? document.lineAt(selection.active.line).range : selection;
  return attachmentOf(document.uri, range);
}

/** Files as they were picked or dropped: pictures become images, all else attachments. */
export async function takeFiles(
  uris: readonly vscode.Uri[],
): Promise<{ attachments: NamedAttachment[]; images: ImageAttachment[] }> {
  const attachments: NamedAttachment[] = [];
  const images: ImageAttachment[] = [];
  for (const uri of uris) {
    const mimeType = PICTURES[path.extname(uri.path).toLowerCase()];
    if (mimeType) {
      const bytes = await vscode.workspace.fs.readFile(uri);
      images.push({ data: Buffer.from(bytes).toString("base64"), mimeType });
    } else {
      attachments.push(attachmentOf(uri));
    }
  }
  return { attachments, images };
}

function rangeOf({ start, end }: vscode.Range): Range {
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
}
