/** A Markdown text that grows: only its last block is drawn again, so that nothing flickers. */

import { hasReferences, renderMarkdown, topLevelBlocks } from "./markdown";

export interface StreamingOptions {
  /** A code block was drawn and will not change any more. */
  onCode: (pre: HTMLPreElement) => void;
  /** A block is finished: its text, for screen readers. */
  onBlock?: (text: string) => void;
}

export class StreamingMarkdown {
  readonly element = document.createElement("div");
  /** The text of the blocks that stand, and the element of the one that still grows. */
  private settledLength = 0;
  private growing: HTMLElement | undefined;
  private source = "";
  private finished = false;

  constructor(private readonly options: StreamingOptions) {
    this.element.className = "markdown";
  }

  /** Draw a text; one that only grew is drawn from its last block on. */
  update(source: string, finished: boolean): void {
    if (source === this.source && finished === this.finished) return;
    if (!source.startsWith(this.source) || this.finished || (finished && hasReferences(source))) this.clear();
    this.source = source;
    this.finished = finished;
    if (finished && hasReferences(source)) this.settle(source);
    else this.drawTail();
  }

  private clear(): void {
    this.element.replaceChildren();
    this.settledLength = 0;
    this.growing = undefined;
  }

  private drawTail(): void {
    const tail = this.source.slice(this.settledLength);
    const blocks = topLevelBlocks(tail);
    const last = this.finished ? undefined : blocks.pop();
    for (const block of blocks) this.settle(block.source);
    if (last) this.grow(last.source);
    else if (this.growing && blocks.length === 0) this.settle("");
  }

  private settle(source: string): void {
    const block = this.growing ?? this.addBlock();
    this.growing = undefined;
    this.settledLength += source.length;
    block.replaceChildren(renderMarkdown(source));
    block.classList.remove("growing");
    for (const pre of block.querySelectorAll("pre")) this.options.onCode(pre);
    this.options.onBlock?.(block.textContent.trim());
  }

  private grow(source: string): void {
    this.growing ??= this.addBlock();
    this.growing.classList.add("growing");
    this.growing.replaceChildren(renderMarkdown(source));
  }

  private addBlock(): HTMLElement {
    const block = document.createElement("div");
    block.className = "block";
    this.element.append(block);
    return block;
  }
}
