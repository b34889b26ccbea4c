/** A unified diff as a list of numbered lines. */

import { h } from "./dom";

export interface DiffLine {
  kind: "added" | "removed" | "same" | "gap";
  text: string;
  /** The line's number in the old or the new text; none for a gap. */
  number?: number;
}

export interface Diff {
  lines: DiffLine[];
  added: number;
  removed: number;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/;

/** Read a unified diff; headers are left out, hunks are divided by gaps. */
export function parseDiff(unified: string): Diff {
  const lines: DiffLine[] = [];
  let [oldLine, newLine, added, removed] = [1, 1, 0, 0];
  let inHunk = false;
  for (const line of unified.replace(/\n$/, "").split("\n")) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      oldLine = Number(hunk[1]);
      newLine = Number(hunk[2]);
      if (inHunk || oldLine > 1) lines.push({ kind: "gap", text: (hunk[3] ?? "").trim() });
      inHunk = true;
    } else if (!inHunk || line.startsWith("\\")) {
      continue;
    } else if (line.startsWith("+")) {
      lines.push({ kind: "added", text: line.slice(1), number: newLine++ });
      added++;
    } else if (line.startsWith("-")) {
      lines.push({ kind: "removed", text: line.slice(1), number: oldLine++ });
      removed++;
    } else {
      lines.push({ kind: "same", text: line.slice(1), number: newLine++ });
      oldLine++;
    }
  }
  return { lines, added, removed };
}

const SIGNS = { added: "+", removed: "−", same: " ", gap: "⋯" } as const;
const SPOKEN = { added: "added", removed: "removed", same: undefined, gap: undefined } as const;
const MAX_LINES = 400;

/** The lines of a diff, in a frame that scrolls. */
export function drawDiff(diff: Diff): HTMLElement {
  const rows = diff.lines.slice(0, MAX_LINES).map((line) => {
    const number = h(
      "span",
      { class: "number", attributes: { "aria-hidden": "true" } },
      line.number?.toString(),
    );
    const sign = h(
      "span",
      { class: "sign", attributes: { "aria-label": SPOKEN[line.kind] } },
      SIGNS[line.kind],
    );
    return h("div", { class: `line ${line.kind}` }, number, sign, h("span", { class: "text" }, line.text));
  });
  const left = diff.lines.length - MAX_LINES;
  const rest =
    left > 0 && h("div", { class: "line gap" }, `⋯ ${left.toLocaleString()} more lines: open the diff`);
  const frame = h(
    "div",
    { class: "diff", tabIndex: 0, role: "group" },
    h("div", { class: "lines" }, ...rows, rest),
  );
  frame.setAttribute("aria-label", `${diff.added} lines added, ${diff.removed} removed`);
  return frame;
}

/** `+3 −1`. */
export function drawCounts(diff: Diff): HTMLElement {
  return h(
    "span",
    { class: "counts" },
    h("span", { class: "added" }, `+${diff.added}`),
    h("span", { class: "removed" }, `−${diff.removed}`),
  );
}
