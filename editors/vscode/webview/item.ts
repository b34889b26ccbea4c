/** What stands in the transcript: one item for each entry that people see. */

import type {
  AssistantMessage,
  BashExecutionMessage,
  CustomMessage,
  Entry,
  Message,
  UserBlock,
  UserMessage,
} from "../src/protocol";

interface Base {
  /** Stays the same from the first piece to the finished entry. */
  key: string;
  entryId?: string;
}

export type Item =
  | (Base & { kind: "user"; message: UserMessage })
  | (Base & { kind: "assistant"; message: AssistantMessage; streaming: boolean })
  | (Base & { kind: "bash"; message: BashExecutionMessage })
  | (Base & { kind: "custom"; message: CustomMessage })
  | (Base & { kind: "summary"; of: "compaction" | "branch"; summary: string; tokensBefore?: number });

/** The item of an entry; none for bookkeeping. */
export function itemOf(entry: Entry): Item | undefined {
  const base = { key: entry.id, entryId: entry.id };
  switch (entry.type) {
    case "message": {
      const item = entry.message && itemOfMessage(entry.message, entry.id);
      return item && { ...item, entryId: entry.id };
    }
    case "compaction":
      return {
        ...base,
        kind: "summary",
        of: "compaction",
        summary: text(entry.summary),
        tokensBefore: typeof entry.tokensBefore === "number" ? entry.tokensBefore : undefined,
      };
    case "branch_summary":
      return { ...base, kind: "summary", of: "branch", summary: text(entry.summary) };
    case "custom_message":
      return entry.display === false
        ? undefined
        : { ...base, kind: "custom", message: { ...(entry as unknown as CustomMessage), role: "custom" } };
    default:
      return undefined;
  }
}

/** The item of a message; none for tool results, which belong to their calls. */
export function itemOfMessage(message: Message, key: string): Item | undefined {
  switch (message.role) {
    case "user":
      return { key, kind: "user", message };
    case "assistant":
      return { key, kind: "assistant", message, streaming: false };
    case "bashExecution":
      return { key, kind: "bash", message };
    case "custom":
      return message.display ? { key, kind: "custom", message } : undefined;
    default:
      return undefined;
  }
}

/** What a person typed: the first block. The blocks after it are attachments (docs/protocol.md). */
export function typedText(content: string | UserBlock[]): string {
  if (typeof content === "string") return content;
  const first = content[0];
  return first?.type === "text" ? first.text : "";
}

/** The texts of the attachments of a user message. */
export function attachmentTexts(content: string | UserBlock[]): string[] {
  if (typeof content === "string") return [];
  return content.slice(1).flatMap((block) => (block.type === "text" ? [block.text] : []));
}

export function pictures(content: string | UserBlock[]): { data: string; mimeType: string }[] {
  if (typeof content === "string") return [];
  return content.flatMap((block) => (block.type === "image" ? [block] : []));
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
