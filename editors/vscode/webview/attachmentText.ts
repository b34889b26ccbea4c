/** Attachments of a message that was sent: the text that stands for one, and back again. */

import type { Attachment } from "../src/protocol";
import type { NamedAttachment } from "../src/shared/webviewMessages";

const ATTACHED = /^<file path="([^"]*)"(?: lines="(\d+)-(\d+)")?>/;

export interface SentAttachment {
  label: string;
  /** What opens it: a path, with a line. */
  target: string;
  path: string;
  /** Lines from 1, both included. */
  lines?: { first: number; last: number };
}

/** Read the first line of an attachment's text; undefined for another text. */
export function sentAttachment(text: string): SentAttachment | undefined {
  const match = ATTACHED.exec(text);
  if (!match) return undefined;
  const path = match[1] ?? "";
  if (match[2] === undefined) return { label: path, target: path, path };
  const lines = { first: Number(match[2]), last: Number(match[3]) };
  const span = lines.first === lines.last ? String(lines.first) : `${lines.first}-${lines.last}`;
  return { label: `${path}:${span}`, target: `${path}:${lines.first}`, path, lines };
}

/** The attachment again, to be sent once more from a folder. */
export function attachAgain({ label, path, lines }: SentAttachment, folder: string): NamedAttachment {
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  const uri = path.startsWith("/") ? `file://${encoded}` : `${folder.replace(/\/$/, "")}/${encoded}`;
  if (!lines) return { uri, label };
  const range = {
    start: { line: lines.first - 1, character: 0 },
    end: { line: lines.last, character: 0 },
  };
  return { uri, range, label };
}

/** An attachment that only has its URI, with a name for people. */
export function named(attachment: Attachment): NamedAttachment {
  const name = decodeURIComponent(attachment.uri.slice(attachment.uri.lastIndexOf("/") + 1));
  const { range } = attachment;
  return { ...attachment, label: range ? `${name}:${range.start.line + 1}` : name };
}
