/** What an empty conversation shows: how to begin, and what is missing for a real model. */

import type { ShownFolder } from "../src/shared/webviewMessages";
import { fill, h, icon, textButton } from "./dom";
import type { Host } from "./host";

const SUGGESTIONS = [
  { symbol: "eye", text: "Read README.md and say what this is" },
  { symbol: "list-tree", text: "List the files here" },
  { symbol: "search", text: "Search for TODO" },
];

export class Welcome {
  readonly element = h("div", { class: "welcome", hidden: true });
  private hasKey = true;
  private folder: ShownFolder | undefined;

  constructor(
    private readonly host: Host,
    private readonly suggest: (text: string) => void,
  ) {}

  show(visible: boolean): void {
    this.element.hidden = !visible;
  }

  setFolder(folder: ShownFolder): void {
    this.folder = folder;
    this.draw();
  }

  setKey(hasKey: boolean): void {
    this.hasKey = hasKey;
    this.draw();
  }

  private draw(): void {
    const suggestions = SUGGESTIONS.map(({ symbol, text }) => {
      const button = h(
        "button",
        { class: "suggestion", onClick: () => this.suggest(text) },
        icon(symbol),
        text,
      );
      button.type = "button";
      return button;
    });
    fill(
      this.element,
      h("div", { class: "logo", attributes: { "aria-hidden": "true" } }, "π"),
      h("h2", {}, "What should be done", this.folder ? ` in ${this.folder.name}` : "", "?"),
      h("p", { class: "quiet" }, "It asks before it changes anything."),
      h("div", { class: "suggestions" }, ...suggestions),
      !this.hasKey && this.keyCard(),
    );
  }

  private keyCard(): HTMLElement {
    return h(
      "div",
      { class: "card key-card" },
      h("div", {}, icon("key"), " No API key yet"),
      h(
        "p",
        { class: "quiet" },
        "The built-in demo model answers: it is simple, needs no network, and uses the real tools.",
      ),
      h(
        "div",
        { class: "actions" },
        textButton("Set API Key", () => this.host.run("pi.setApiKey"), "primary"),
        textButton("Try the Demo Model", () => this.tryDemo()),
      ),
    );
  }

  private tryDemo(): void {
    this.host.run("pi.useDemoModel");
    this.suggest(SUGGESTIONS[0]?.text ?? "");
  }
}
