/** Commands that the person ran, summaries, and messages of other programs. */

import { shortCount } from "../../src/shared/format";
import { fill, h, icon } from "../dom";
import { type Item, typedText } from "../item";
import { StreamingMarkdown } from "../streamingMarkdown";
import { copyButton, decorateCode } from "./code";
import type { ItemView, ViewContext } from "./view";

/** A command of the person, with its output. */
export class BashView implements ItemView {
  readonly element = h("article", { class: "item bash", attributes: { "aria-label": "Command" } });

  constructor(
    item: Item,
    private readonly context: ViewContext,
  ) {
    this.update(item);
  }

  update(item: Item): void {
    if (item.kind !== "bash") return;
    const { command, output, exitCode, cancelled, excludeFromContext } = item.message;
    const failed = cancelled || (exitCode !== null && exitCode !== 0);
    const state = cancelled ? "stopped" : failed ? `code ${exitCode}` : "";
    fill(
      this.element,
      h(
        "div",
        { class: "bash-line" },
        icon("terminal"),
        h("code", { class: "command" }, command),
        excludeFromContext && h("span", { class: "tag", title: "The model does not see it" }, "not sent"),
        state && h("span", { class: `tag ${failed ? "failed" : ""}` }, state),
      ),
      output.trim() !== "" &&
        h(
          "div",
          { class: "tool-block" },
          h(
            "pre",
            { class: "tool-text output", tabIndex: 0, attributes: { "aria-label": "Output" } },
            output,
          ),
          copyButton(() => output, this.context.host),
        ),
    );
  }
}

/** A compaction or a branch summary: a line that opens. */
export class SummaryView implements ItemView {
  readonly element = h("article", { class: "item summary" });

  constructor(
    item: Item,
    private readonly context: ViewContext,
  ) {
    this.update(item);
  }

  update(item: Item): void {
    if (item.kind !== "summary") return;
    const compaction = item.of === "compaction";
    const title = compaction ? "Compacted" : "Summary of the branch that was left";
    const before = item.tokensBefore !== undefined && `from ${shortCount(item.tokensBefore)} tokens`;
    const text = new StreamingMarkdown({ onCode: (pre) => decorateCode(pre, this.context.host) });
    text.update(item.summary, true);
    const details = h(
      "details",
      { class: "card" },
      h(
        "summary",
        {},
        icon(compaction ? "fold" : "git-branch"),
        h("span", {}, title),
        before && h("span", { class: "quiet" }, before),
        icon("chevron-right", "chevron"),
      ),
      text.element,
    );
    fill(this.element, details);
  }
}

/** What another program put into the conversation. */
export class CustomView implements ItemView {
  readonly element = h("article", { class: "item custom" });

  constructor(
    item: Item,
    private readonly context: ViewContext,
  ) {
    this.update(item);
  }

  update(item: Item): void {
    if (item.kind !== "custom") return;
    const text = new StreamingMarkdown({ onCode: (pre) => decorateCode(pre, this.context.host) });
    text.update(typedText(item.message.content), true);
    fill(
      this.element,
      h("div", { class: "quiet" }, icon("note"), ` ${item.message.customType}`),
      text.element,
    );
  }
}
