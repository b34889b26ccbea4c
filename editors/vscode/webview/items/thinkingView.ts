/** What the model thought: a line that opens. */

import { fill, h, icon } from "../dom";
import { StreamingMarkdown } from "../streamingMarkdown";
import type { ViewContext } from "./view";

export class ThinkingView {
  readonly element: HTMLDetailsElement;
  private readonly summary = h("summary", {});
  private readonly text = new StreamingMarkdown({ onCode: () => undefined });

  constructor({ options }: ViewContext) {
    this.element = h("details", { class: "thinking" }, this.summary, this.text.element);
    this.element.open = options.thinkingExpanded;
  }

  update(thinking: string, finished: boolean): void {
    this.element.classList.toggle("active", !finished);
    this.element.hidden = finished && thinking.trim() === "";
    const label = finished ? "Thought" : "Thinking…";
    fill(this.summary, icon("lightbulb"), h("span", {}, label), icon("chevron-right", "chevron"));
    this.text.update(thinking, finished);
  }
}
