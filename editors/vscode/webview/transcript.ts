/** The conversation as a scrolling list: drawn from its end, older parts on demand. */

import type { Entry, EventParams, State } from "../src/protocol";
import { ConversationModel } from "./conversationModel";
import { h, iconButton } from "./dom";
import { HostError } from "./host";
import type { Item } from "./item";
import { AssistantView } from "./items/assistantView";
import { BashView, CustomView, SummaryView } from "./items/cardViews";
import type { ToolView } from "./items/toolView";
import { UserView } from "./items/userView";
import type { ItemView, ViewContext } from "./items/view";
import { Scroller } from "./scroller";

/** Entries asked for at once: while scrolling, and on the way to one that is looked for. */
const PAGE = 80;
const LARGE_PAGE = 500;

export class Transcript {
  readonly element: HTMLElement;
  readonly model = new ConversationModel();
  private readonly list = h("div", { class: "items" });
  private readonly older = h("div", { class: "older", hidden: true }, "Loading earlier messages…");
  private readonly scroller: Scroller;
  private readonly views = new Map<string, ItemView>();
  private readonly tools = new Map<string, ToolView>();
  private readonly context: ViewContext;
  private more = false;
  private loading = false;
  private frame: number | undefined;

  /** @param tail what stands below the last message: progress, cards, Continue. */
  constructor(context: Omit<ViewContext, "model">, tail: HTMLElement) {
    this.context = { ...context, model: this.model };
    const toEnd = iconButton("arrow-down", "Go to the newest message", () => this.scroller.toEnd());
    toEnd.classList.add("to-end");
    const content = h("div", { class: "content" }, this.older, this.list, tail);
    const scroll = h(
      "div",
      {
        class: "scroll",
        tabIndex: 0,
        role: "log",
        attributes: { "aria-label": "Conversation", "aria-live": "off" },
      },
      content,
    );
    this.element = h("div", { class: "transcript" }, scroll, toEnd);
    this.scroller = new Scroller(scroll, content, toEnd, () => void this.loadOlder());
  }

  get empty(): boolean {
    return this.model.items.length === 0 && !this.more;
  }

  /** Where the view stands, to come back to; undefined at the end. */
  get position(): { entryId: string; offset: number } | undefined {
    return this.scroller.position();
  }

  /** Draw everything anew; what is the same keeps its elements. */
  reset(state: State, entries: readonly Entry[], more: boolean): void {
    this.model.reset(state, entries);
    this.more = more;
    this.views.clear();
    this.tools.clear();
    this.list.replaceChildren();
    this.drawNow();
    this.scroller.toEnd();
  }

  toEnd(): void {
    this.scroller.toEnd();
  }

  apply({ event }: EventParams): void {
    this.model.apply(event);
    this.draw();
  }

  /** Draw at the next frame, however many events came before it. */
  draw(): void {
    this.frame ??= requestAnimationFrame(() => this.drawNow());
  }

  /** Bring an entry into view; older parts are loaded until it is there. */
  async reveal(entryId: string, offset?: number): Promise<void> {
    while (!this.elementOf(entryId) && this.more) {
      if (!(await this.loadOlder(LARGE_PAGE))) break;
    }
    const element = this.elementOf(entryId);
    if (element) this.scroller.show(element, offset);
  }

  private elementOf(entryId: string): HTMLElement | undefined {
    const item = this.model.items.find((candidate) => candidate.entryId === entryId);
    return item && this.views.get(item.key)?.element;
  }

  private drawNow(): void {
    if (this.frame !== undefined) cancelAnimationFrame(this.frame);
    this.frame = undefined;
    this.older.hidden = !this.more;
    this.scroller.keepingPlace(() => {
      this.drawItems();
      for (const id of this.model.dirtyTools) {
        const tool = this.model.tools.get(id);
        if (tool) this.tools.get(id)?.update(tool);
      }
    });
    this.model.dirtyItems.clear();
    this.model.dirtyTools.clear();
  }

  private drawItems(): void {
    const keys = new Set(this.model.items.map(({ key }) => key));
    for (const [key, view] of this.views) {
      if (keys.has(key)) continue;
      view.element.remove();
      this.views.delete(key);
    }
    let after: Element | null = this.list.firstElementChild;
    for (const item of this.model.items) {
      const view = this.viewOf(item);
      if (view.element === after) after = after.nextElementSibling;
      else this.list.insertBefore(view.element, after);
    }
  }

  private viewOf(item: Item): ItemView {
    let view = this.views.get(item.key);
    if (!view) {
      view = this.makeView(item);
      this.views.set(item.key, view);
    } else if (this.model.dirtyItems.has(item.key)) {
      view.update(item);
    }
    if (item.entryId !== undefined) view.element.dataset.entryId = item.entryId;
    return view;
  }

  private makeView(item: Item): ItemView {
    switch (item.kind) {
      case "user":
        return new UserView(item, this.context);
      case "assistant":
        return new AssistantView(item, this.context, this.tools);
      case "bash":
        return new BashView(item, this.context);
      case "custom":
        return new CustomView(item, this.context);
      case "summary":
        return new SummaryView(item, this.context);
    }
  }

  /** @returns whether there may be still older ones to ask for. */
  private async loadOlder(limit = PAGE): Promise<boolean> {
    const before = this.model.firstEntryId;
    if (this.loading || !this.more || before === undefined) return false;
    this.loading = true;
    try {
      const page = await this.context.host.request("pi/entries", { before, branch: true, limit });
      if (this.model.firstEntryId !== before) return false;
      this.more = page.more && page.entries.length > 0;
      this.model.prepend(page.entries);
      this.drawNow();
      return true;
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      this.context.host.send({ type: "notice", message: error.message });
      this.more = false;
      return false;
    } finally {
      this.loading = false;
    }
  }
}
