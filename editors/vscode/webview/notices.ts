/** What a person should know about this folder or session, above the conversation. */

import type { State } from "../src/protocol";
import { h, icon, iconButton, textButton } from "./dom";
import type { Host } from "./host";

const UNTRUSTED = "Restricted mode: this folder's settings, instructions and old conversations are not read.";

export class Notices {
  readonly element = h("div", { class: "notices", role: "status", hidden: true });
  private readonly dismissed = new Set<string>();
  private shown = "";

  constructor(private readonly host: Host) {}

  update({ trusted, readOnly, warnings }: State): void {
    const look = JSON.stringify([trusted, readOnly, warnings, this.dismissed.size]);
    if (look === this.shown) return;
    this.shown = look;
    const lines = [
      !trusted &&
        this.line(
          UNTRUSTED,
          "shield",
          textButton("Manage", () => this.host.run("workbench.trust.manage"), "quiet"),
        ),
      readOnly && this.line("This session can be read but not continued.", "lock"),
      ...warnings.map((warning) => this.line(warning, "warning")),
    ].filter((line) => line !== false && line !== undefined);
    this.element.hidden = lines.length === 0;
    this.element.replaceChildren(...lines);
  }

  private line(text: string, symbol: string, action?: HTMLElement): HTMLElement | undefined {
    if (this.dismissed.has(text)) return undefined;
    const line = h(
      "div",
      { class: "notice-line" },
      icon(symbol),
      h("span", { class: "notice-text" }, text),
      action,
    );
    const dismiss = iconButton("close", "Dismiss", () => {
      this.dismissed.add(text);
      line.remove();
      this.element.hidden = this.element.childElementCount === 0;
    });
    line.append(dismiss);
    return line;
  }
}
