/** The list of files that opens at an `@`. */

import type { NamedAttachment } from "../../src/shared/webviewMessages";
import { h, icon } from "../dom";
import type { Host } from "../host";

const MENTION = /(?:^|\s)@([\w./@+-]*)$/;

export class Mentions {
  readonly element = h("div", {
    class: "mentions",
    role: "listbox",
    hidden: true,
    attributes: { id: "mentions", "aria-label": "Files" },
  });
  private found: NamedAttachment[] = [];
  private selected = 0;
  private asked = 0;

  constructor(
    private readonly field: HTMLTextAreaElement,
    private readonly host: Host,
    private readonly attach: (attachment: NamedAttachment) => void,
  ) {
    field.setAttribute("aria-controls", "mentions");
    field.addEventListener("blur", () => this.close());
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  /** The text or the cursor changed: look for an `@` before the cursor. */
  async look(): Promise<void> {
    const query = this.query();
    const asked = ++this.asked;
    if (query === undefined) {
      this.close();
      return;
    }
    const found = await this.host.findFiles(query);
    if (asked !== this.asked) return;
    this.found = found;
    this.selected = 0;
    this.draw();
  }

  /** @returns whether the key was the list's. */
  keyDown(event: KeyboardEvent): boolean {
    if (!this.isOpen) return false;
    switch (event.key) {
      case "ArrowDown":
      case "ArrowUp":
        this.move(event.key === "ArrowDown" ? 1 : -1);
        break;
      case "Enter":
      case "Tab":
        this.choose(this.found[this.selected]);
        break;
      case "Escape":
        this.close();
        break;
      default:
        return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  private close(): void {
    this.asked++;
    this.element.hidden = true;
    this.field.removeAttribute("aria-activedescendant");
  }

  private query(): string | undefined {
    const { selectionStart, selectionEnd, value } = this.field;
    if (selectionStart !== selectionEnd) return undefined;
    return MENTION.exec(value.slice(0, selectionStart))?.[1];
  }

  private move(by: number): void {
    this.selected = (this.selected + by + this.found.length) % this.found.length;
    this.draw();
  }

  private draw(): void {
    this.element.hidden = this.found.length === 0;
    const options = this.found.map((attachment, index) => this.option(attachment, index));
    this.element.replaceChildren(...options);
    if (this.isOpen) this.field.setAttribute("aria-activedescendant", `mention-${this.selected}`);
    options[this.selected]?.scrollIntoView({ block: "nearest" });
  }

  private option(attachment: NamedAttachment, index: number): HTMLElement {
    const cut = attachment.label.lastIndexOf("/") + 1;
    const option = h(
      "div",
      {
        class: "option",
        role: "option",
        attributes: { id: `mention-${index}`, "aria-selected": String(index === this.selected) },
      },
      icon("file"),
      h("span", { class: "name" }, attachment.label.slice(cut)),
      h("span", { class: "folder" }, attachment.label.slice(0, cut)),
    );
    // The field keeps the focus: a click would close the list before it is seen.
    option.addEventListener("mousedown", (event) => {
      event.preventDefault();
      this.choose(attachment);
    });
    return option;
  }

  private choose(attachment: NamedAttachment | undefined): void {
    const query = this.query();
    if (attachment && query !== undefined) {
      const end = this.field.selectionStart;
      this.field.setRangeText(`${attachment.label} `, end - query.length, end, "end");
      this.field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      this.attach(attachment);
    }
    this.close();
  }
}
