/** An answer: its text, what the model thought, its tool calls, and how it ended. */

import type { AssistantBlock, AssistantMessage } from "../../src/protocol";
import { fill, h, icon, iconButton } from "../dom";
import type { Item } from "../item";
import { StreamingMarkdown } from "../streamingMarkdown";
import { copyButton, decorateCode } from "./code";
import { ThinkingView } from "./thinkingView";
import { ToolView } from "./toolView";
import type { ItemView, ViewContext } from "./view";

type Part = StreamingMarkdown | ThinkingView | ToolView;

export class AssistantView implements ItemView {
  readonly element = h("article", { class: "item assistant", attributes: { "aria-label": "pi" } });
  private readonly body = h("div", { class: "body" });
  private readonly foot = h("div", { class: "foot" });
  private parts: (Part | undefined)[] = [];
  private message: AssistantMessage | undefined;

  constructor(
    item: Extract<Item, { kind: "assistant" }>,
    private readonly context: ViewContext,
    private readonly tools: Map<string, ToolView>,
  ) {
    this.element.append(this.body, this.foot);
    this.update(item);
  }

  update(item: Item): void {
    if (item.kind !== "assistant") return;
    this.message = item.message;
    const { content } = item.message;
    this.element.classList.toggle("streaming", item.streaming);
    content.forEach((block, index) =>
      this.drawBlock(block, index, !item.streaming || index < content.length - 1),
    );
    // An attempt that began anew may be shorter than what it takes the place of.
    for (const part of this.parts.splice(content.length)) part?.element.remove();
    const empty = content.every((block) => block.type === "text" && !block.text.trim());
    this.element.classList.toggle("empty", empty);
    if (!item.streaming) this.drawFoot(item);
  }

  private drawBlock(block: AssistantBlock | undefined, index: number, finished: boolean): void {
    if (!block) return;
    const part = this.parts[index] ?? this.addPart(block, index);
    if (block.type === "text" && part instanceof StreamingMarkdown) part.update(block.text, finished);
    else if (block.type === "thinking" && part instanceof ThinkingView) part.update(block.thinking, finished);
  }

  private addPart(block: AssistantBlock, index: number): Part {
    const part = this.makePart(block);
    this.parts[index] = part;
    this.body.append(part.element);
    return part;
  }

  private makePart(block: AssistantBlock): Part {
    if (block.type === "thinking") return new ThinkingView(this.context);
    if (block.type === "toolCall") return this.toolView(block.id);
    return new StreamingMarkdown({
      onCode: (pre) => decorateCode(pre, this.context.host),
      onBlock: (text) => {
        if (this.element.classList.contains("streaming")) this.context.announce(text);
      },
    });
  }

  private toolView(id: string): ToolView {
    const tool = this.context.model.tools.get(id) ?? {
      id,
      name: "",
      args: {},
      status: "preparing" as const,
      output: "",
    };
    const view = new ToolView(tool, this.context);
    this.tools.set(id, view);
    return view;
  }

  private drawFoot({ message, entryId }: Extract<Item, { kind: "assistant" }>): void {
    const text = message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
    const calls = message.content.some((block) => block.type === "toolCall");
    const notice = noticeOf(message);
    fill(
      this.foot,
      notice && h("div", { class: `notice ${notice.kind}` }, icon(notice.icon), h("span", {}, notice.text)),
      text.trim() !== "" &&
        !calls &&
        h(
          "div",
          { class: "item-actions" },
          copyButton(() => this.textOf(), this.context.host),
          entryId !== undefined &&
            iconButton("repo-forked", "Fork the session here", () =>
              this.context.host.run("pi.fork", entryId),
            ),
        ),
    );
  }

  private textOf(): string {
    const content = this.message?.content ?? [];
    return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
  }
}

/** How an answer ended, when it did not end well. */
function noticeOf(message: AssistantMessage): { kind: string; icon: string; text: string } | undefined {
  switch (message.stopReason) {
    case "error":
      return { kind: "error", icon: "error", text: message.errorMessage ?? "The answer failed." };
    case "aborted":
      return { kind: "quiet", icon: "debug-stop", text: "Stopped" };
    case "length":
      return { kind: "warning", icon: "warning", text: "The answer was cut: it reached the longest length." };
    default:
      return undefined;
  }
}
