/** Says to screen readers, politely and not too often, what appears on the screen. */

import { h } from "./dom";

const PAUSE_MS = 400;
const MAX_CHARACTERS = 600;

export class Announcer {
  readonly element = h("div", { class: "spoken", attributes: { "aria-live": "polite" } });
  private waiting: string[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  say(text: string): void {
    if (text.trim() === "") return;
    this.waiting.push(text.trim());
    this.timer ??= setTimeout(() => this.speak(), PAUSE_MS);
  }

  private speak(): void {
    this.timer = undefined;
    const text = this.waiting.splice(0).join("\n");
    this.element.textContent = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
  }
}
