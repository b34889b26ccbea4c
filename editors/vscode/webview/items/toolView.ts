/** A tool call: one line with its target and state, and on demand what went in and came out. */

import { duration } from "../../src/shared/format";
import type { Tool } from "../conversationModel";
import { drawCounts, drawDiff, parseDiff } from "../diff";
import { fill, h, icon, textButton } from "../dom";
import { copyButton } from "./code";
import { resultText, toolLook } from "./toolText";
import type { ViewContext } from "./view";

const MAX_SHOWN = 20_000;

const STATES = {
  preparing: { icon: "loading", spin: true, label: "preparing" },
  running: { icon: "loading", spin: true, label: "running" },
  done: { icon: "check", spin: false, label: "done" },
  failed: { icon: "error", spin: false, label: "failed" },
} as const;

export class ToolView {
  readonly element: HTMLElement;
  private readonly line: HTMLElement;
  private readonly details: HTMLElement;
  private expanded = false;
  private decided = false;
  private tool: Tool;

  constructor(
    tool: Tool,
    private readonly context: ViewContext,
  ) {
    this.tool = tool;
    this.line = h("div", { class: "tool-line" });
    this.details = h("div", { class: "tool-details", hidden: true });
    this.element = h("div", { class: "tool" }, this.line, this.details);
    this.update(tool);
  }

  update(tool: Tool): void {
    this.tool = tool;
    this.element.dataset.status = tool.status;
    this.element.dataset.tool = tool.name;
    // An edit is shown as it was done; all else opens on demand.
    if (!this.decided && this.diff()) this.expanded = true;
    this.drawLine();
    this.drawDetails();
  }

  private toggle(): void {
    this.decided = true;
    this.expanded = !this.expanded;
    this.drawLine();
    this.drawDetails();
  }

  private drawLine(): void {
    const { name, args, status, durationMs } = this.tool;
    const look = toolLook(name, args);
    const state = STATES[status];
    const label = `${look.verb} ${look.target}, ${state.label}`;
    const toggle = h(
      "button",
      {
        class: "tool-toggle",
        attributes: { "aria-expanded": String(this.expanded), "aria-label": label },
        onClick: () => this.toggle(),
      },
      icon(state.icon, `state${state.spin ? " codicon-modifier-spin" : ""}`),
      icon(look.icon, "kind"),
      h("span", { class: "verb" }, look.verb),
      !look.opens && h("span", { class: "target", title: look.target }, look.target),
    );
    toggle.type = "button";
    const target =
      look.opens &&
      h("a", { class: "target", title: `Open ${look.opens}`, attributes: { href: look.opens } }, look.target);
    const diff = this.diff();
    const time =
      durationMs !== undefined && durationMs >= 100 && h("span", { class: "time" }, duration(durationMs));
    const chevron = icon(this.expanded ? "chevron-down" : "chevron-right", "chevron");
    toggle.append(look.opens ? "" : chevron);
    fill(this.line, toggle, target, diff && drawCounts(diff), time);
  }

  private drawDetails(): void {
    this.details.hidden = !this.expanded;
    if (this.expanded) fill(this.details, ...this.parts());
  }

  private parts(): HTMLElement[] {
    const { name, args, content, output, status } = this.tool;
    const parts: HTMLElement[] = [];
    const diff = this.diff();
    if (name === "bash" && typeof args.command === "string") parts.push(this.code(args.command, "command"));
    if (diff && status !== "failed") {
      parts.push(drawDiff(diff), this.diffActions());
      return parts;
    }
    const text = content ? resultText(content) : output;
    if (text.trim()) parts.push(this.code(text, "output"));
    for (const block of content ?? []) {
      if (block.type === "image") parts.push(picture(block.data, block.mimeType));
    }
    if (parts.length === 0)
      parts.push(h("div", { class: "quiet" }, status === "done" ? "No output." : "Nothing yet."));
    return parts;
  }

  private code(text: string, kind: "command" | "output"): HTMLElement {
    const shown =
      text.length > MAX_SHOWN
        ? `${text.slice(0, MAX_SHOWN)}\n… (${text.length - MAX_SHOWN} characters more)`
        : text;
    const pre = h("pre", { class: `tool-text ${kind}`, tabIndex: 0 }, shown);
    pre.setAttribute("aria-label", kind === "command" ? "Command" : "Output");
    return h(
      "div",
      { class: "tool-block" },
      pre,
      copyButton(() => text, this.context.host),
    );
  }

  private diffActions(): HTMLElement {
    const path = toolLook(this.tool.name, this.tool.args).opens ?? "";
    const line = this.tool.details?.firstChangedLine;
    const target = typeof line === "number" ? `${path}:${line}` : path;
    return h(
      "div",
      { class: "actions" },
      textButton("Open Diff", () => this.openDiff(path), "quiet"),
      textButton("Open File", () => this.context.host.send({ type: "open", target }), "quiet"),
    );
  }

  private openDiff(path: string): void {
    const sides = this.context.diffOf(this.tool.id);
    const title = `${path} (edited by pi)`;
    this.context.host.send({ type: "openDiff", title, unified: this.unified() ?? "", ...sides });
  }

  private diff(): ReturnType<typeof parseDiff> | undefined {
    const unified = this.unified();
    return unified ? parseDiff(unified) : undefined;
  }

  private unified(): string | undefined {
    const unified = this.tool.details?.diff;
    return typeof unified === "string" ? unified : undefined;
  }
}

/** A picture that stands in a message. */
export function picture(data: string, mimeType: string): HTMLImageElement {
  const image = h("img", { class: "picture" });
  image.src = `data:${mimeType};base64,${data}`;
  image.alt = "Picture";
  return image;
}
