/** The bar over a code block: its language, Copy and Insert. */

import { h, iconButton } from "../dom";
import type { Host } from "../host";

const FLASH_MS = 1500;

/** Put a bar over a finished code block. */
export function decorateCode(pre: HTMLPreElement, host: Host): void {
  const code = pre.querySelector("code");
  const text = (code ?? pre).textContent.replace(/\n$/, "");
  const language = /language-(\S+)/.exec(code?.className ?? "")?.[1] ?? "";
  const insert = iconButton("insert", "Insert at the cursor", () => host.send({ type: "insert", text }));
  const bar = h(
    "div",
    { class: "code-bar" },
    h("span", { class: "language" }, language),
    copyButton(() => text, host),
    insert,
  );
  const frame = h("div", { class: "code" }, bar);
  pre.tabIndex = 0;
  pre.replaceWith(frame);
  frame.append(pre);
}

/** A button that copies, and says that it did. */
export function copyButton(text: () => string, host: Host): HTMLButtonElement {
  const button = iconButton("copy", "Copy", () => {
    host.send({ type: "copy", text: text() });
    flash(button);
  });
  return button;
}

function flash(button: HTMLButtonElement): void {
  const symbol = button.firstElementChild;
  if (!symbol) return;
  symbol.className = "codicon codicon-check";
  button.setAttribute("aria-label", "Copied");
  setTimeout(() => {
    symbol.className = "codicon codicon-copy";
    button.setAttribute("aria-label", "Copy");
  }, FLASH_MS);
}
