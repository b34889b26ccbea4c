/**
 * Markdown to safe HTML: raw HTML in an answer stays text, pictures become links, and what comes
 * out goes through DOMPurify before it is put into the page.
 */

import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";
import { highlighted } from "./highlight";

const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false, highlight: highlighted });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

// A picture would be loaded from somewhere: the reader gets its link instead.
markdown.renderer.rules.image = (tokens, index) => {
  const token = tokens[index];
  const address = String(token?.attrGet("src") ?? "");
  const { escapeHtml } = markdown.utils;
  return `<a href="${escapeHtml(address)}">${escapeHtml(token?.content || address)}</a>`;
};

const ALLOWED = {
  ALLOWED_TAGS: [
    ..."a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr i li ol p pre s span strong".split(" "),
    ..."table tbody td th thead tr ul".split(" "),
  ],
  ALLOWED_ATTR: ["href", "class", "start", "title"],
  // Paths of files are links, too; what opens them checks them.
  ALLOWED_URI_REGEXP: /^(?:(?:https?|mailto|file):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
  RETURN_DOM_FRAGMENT: true as const,
};

/** A top-level block of a text: its source and where it ends. */
export interface Block {
  source: string;
  end: number;
}

/** The elements of a Markdown text. */
export function renderMarkdown(source: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(markdown.render(source), ALLOWED);
  markPaths(fragment);
  wrapTables(fragment);
  return fragment;
}

/** Cut a text into its top-level blocks, so that a text that grows is drawn only at its end. */
export function topLevelBlocks(source: string): Block[] {
  const lineStarts = startsOfLines(source);
  const blocks: Block[] = [];
  let from = 0;
  for (const token of markdown.parse(source, {})) {
    if (token.level !== 0 || !token.map || token.nesting < 0) continue;
    const end = lineStarts[token.map[1]] ?? source.length;
    if (end <= from) continue;
    blocks.push({ source: source.slice(from, end), end });
    from = end;
  }
  const last = blocks.at(-1);
  if (from < source.length) {
    if (last) blocks[blocks.length - 1] = { source: last.source + source.slice(from), end: source.length };
    else blocks.push({ source, end: source.length });
  }
  return blocks;
}

/** Whether a block's look depends on others, so that blocks cannot be drawn one by one. */
export function hasReferences(source: string): boolean {
  return /^ {0,3}\[[^\]\n]+\]:\s/m.test(source);
}

function startsOfLines(source: string): number[] {
  const starts = [0];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

const PATH = /^(?:~\/|\.{0,2}\/|[\w@.-]+\/)*[\w@.+-]+\.[a-z][\w]{0,9}(?::\d+(?:[:-]\d+)?)?$/i;

/** Without a folder before it, `Item.price` is code and `app.py` is a file: by what it ends with. */
const FILE_ENDING =
  /\.(?:c|cc|cfg|cpp|cs|css|go|h|hpp|html|ini|java|js|json|jsonl|jsx|kt|lock|lua|md|mjs|php|png|py|rb|rs|sh|sql|svg|swift|toml|ts|tsx|txt|vue|xml|ya?ml)(?::|$)/i;

/** Whether inline code looks like a path, with or without a line. */
export function looksLikePath(text: string): boolean {
  if (text.length > 300 || !PATH.test(text) || /^\d/.test(text)) return false;
  return text.includes("/") || FILE_ENDING.test(text);
}

/** Inline code that looks like a path becomes a link that opens the file. */
function markPaths(fragment: DocumentFragment): void {
  for (const code of fragment.querySelectorAll("code")) {
    const text = code.textContent;
    if (code.closest("pre, a") || !looksLikePath(text)) continue;
    const link = document.createElement("a");
    link.href = text;
    link.className = "path";
    code.replaceWith(link);
    link.append(code);
  }
}

/** A wide table scrolls by itself. */
function wrapTables(fragment: DocumentFragment): void {
  for (const table of fragment.querySelectorAll("table")) {
    const frame = document.createElement("div");
    frame.className = "table-frame";
    frame.tabIndex = 0;
    table.replaceWith(frame);
    frame.append(table);
  }
}
