/** Messages that were queued and did not go out, as a text for the composer. */

import * as vscode from "vscode";
import { attachmentOf } from "../attachments";
import type { Attachment, QueueItem } from "../protocol";
import type { NamedAttachment, ToWebview } from "../shared/webviewMessages";

/** What the composer is told; undefined when nothing was queued. */
export function asDraft(items: readonly QueueItem[]): ToWebview | undefined {
  if (items.length === 0) return undefined;
  return {
    type: "compose",
    text: items.map((item) => item.text).join("\n\n"),
    images: items.flatMap((item) => item.images ?? []),
    attachments: items.flatMap((item) => item.attachments ?? []).map(named),
  };
}

function named(attachment: Attachment): NamedAttachment {
  const range = attachment.range;
  const selection =
    range && new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
  return {
    ...attachment,
    label: attachmentOf(vscode.Uri.parse(attachment.uri), selection ?? undefined).label,
  };
}
