/** How a tool call is called in its line: an icon, a verb and a target. */

import type { JsonObject, UserBlock } from "../../src/protocol";

export interface ToolLook {
  icon: string;
  verb: string;
  /** What it works on; a path when `opens` is set. */
  target: string;
  opens?: string;
}

/** The look of a call with what is known of its arguments. */
export function toolLook(name: string, args: JsonObject): ToolLook {
  const path = text(args.path);
  switch (name) {
    case "read":
      return { icon: "eye", verb: "Read", target: path + lines(args), opens: opened(path, args.offset) };
    case "write":
      return { icon: "new-file", verb: "Write", target: path, opens: path };
    case "edit":
      return { icon: "edit", verb: "Edit", target: path, opens: path };
    case "bash":
      return { icon: "terminal", verb: "Run", target: firstLine(text(args.command)) };
    case "grep":
      return {
        icon: "search",
        verb: "Search",
        target: quoted(args.pattern) + where(path || text(args.glob)),
      };
    case "find":
      return { icon: "file-directory", verb: "Find", target: quoted(args.pattern) + where(path) };
    case "ls":
      return { icon: "list-tree", verb: "List", target: path || "." };
    case "diagnostics":
      return { icon: "warning", verb: "Check problems", target: path };
    default:
      return { icon: "tools", verb: name || "Tool", target: path };
  }
}

/** All text of a result. */
export function resultText(content: readonly UserBlock[] | undefined): string {
  return (content ?? []).flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function lines({ offset, limit }: JsonObject): string {
  if (typeof offset !== "number" && typeof limit !== "number") return "";
  const first = typeof offset === "number" ? offset : 1;
  return typeof limit === "number" ? `:${first}-${first + limit - 1}` : `:${first}-`;
}

function opened(path: string, offset: unknown): string {
  return typeof offset === "number" ? `${path}:${offset}` : path;
}

function where(path: string): string {
  return path ? ` in ${path}` : "";
}

function quoted(value: unknown): string {
  return typeof value === "string" ? `“${value}”` : "";
}

function firstLine(command: string): string {
  const [first = "", ...more] = command.trim().split("\n");
  return more.length > 0 ? `${first} …` : first;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
