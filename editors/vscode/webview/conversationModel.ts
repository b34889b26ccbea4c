/**
 * What the transcript shows, as the entries and events of the server tell it. It decides nothing:
 * it only puts together what belongs together (a call and its result, the pieces of an answer).
 */

import type {
  AssistantBlock,
  AssistantMessage,
  Entry,
  Event,
  JsonObject,
  Message,
  MessageUpdate,
  State,
  UserBlock,
} from "../src/protocol";
import { type Item, itemOf, itemOfMessage } from "./item";

/** A tool call over its life. */
export interface Tool {
  id: string;
  name: string;
  args: JsonObject;
  status: "preparing" | "running" | "done" | "failed";
  /** What it printed while it ran. */
  output: string;
  content?: UserBlock[];
  details?: JsonObject;
  durationMs?: number;
}

export class ConversationModel {
  items: Item[] = [];
  readonly tools = new Map<string, Tool>();
  /** Keys of items and ids of tools that have to be drawn again. */
  readonly dirtyItems = new Set<string>();
  readonly dirtyTools = new Set<string>();
  private readonly entryIds = new Set<string>();
  private oldest: string | undefined;
  private openKey: string | undefined;
  private lastKey = 0;

  /** Begin anew, from what the server says now. */
  reset(state: State, entries: readonly Entry[]): void {
    this.items = [];
    this.tools.clear();
    this.entryIds.clear();
    this.dirtyItems.clear();
    this.dirtyTools.clear();
    this.openKey = undefined;
    this.oldest = entries[0]?.id;
    for (const entry of entries) this.addEntry(entry);
    for (const running of state.runningTools) {
      const tool = this.tool(running.toolCallId, running.toolName);
      Object.assign(tool, { args: running.args, output: running.partial, status: "running" });
    }
    if (state.streaming) this.openMessage(state.streaming.message);
  }

  /** Put older entries before what is there. */
  prepend(entries: readonly Entry[]): void {
    const newer = this.items;
    this.items = [];
    this.oldest = entries[0]?.id ?? this.oldest;
    for (const entry of entries) this.addEntry(entry);
    this.items.push(...newer);
  }

  /** The oldest entry that was given; older ones are asked for by it. */
  get firstEntryId(): string | undefined {
    return this.oldest;
  }

  /** The answer that is being written. */
  get open(): Extract<Item, { kind: "assistant" }> | undefined {
    const item = this.items.find(({ key }) => key === this.openKey);
    return item?.kind === "assistant" ? item : undefined;
  }

  apply(event: Event): void {
    switch (event.type) {
      case "message_start":
        this.openMessage(event.message);
        break;
      case "message_update":
        this.extend(event);
        break;
      case "message_end":
        this.closeMessage(event.message, event.entryId);
        break;
      case "entry_appended":
        this.addEntry(event.entry);
        break;
      case "tool_execution_start":
        this.updateTool(event.toolCallId, event.toolName, { args: event.args, status: "running" });
        break;
      case "tool_execution_update":
        this.appendOutput(event.toolCallId, event.delta);
        break;
      case "tool_execution_end":
        this.updateTool(event.toolCallId, "", {
          content: event.result.content,
          details: event.result.details,
          status: event.isError ? "failed" : "done",
          durationMs: event.durationMs,
        });
        break;
      case "retry_start":
        this.dropOpen();
        break;
      case "compaction_start":
        if (event.reason === "overflow") this.dropOpen();
        break;
      case "settled":
        this.dropOpen();
        break;
      default:
        break;
    }
  }

  private addEntry(entry: Entry): void {
    if (entry.message?.role === "toolResult") {
      this.takeResult(entry.message);
      return;
    }
    if (this.entryIds.has(entry.id)) return;
    this.entryIds.add(entry.id);
    const item = itemOf(entry);
    if (!item) return;
    if (item.kind === "assistant") this.takeCalls(item.message.content, item.message);
    this.items.push(item);
    this.dirtyItems.add(item.key);
  }

  private openMessage(message: Message): void {
    if (message.role === "toolResult") return;
    this.dropOpen();
    const item = itemOfMessage(message, `open-${++this.lastKey}`);
    if (!item) return;
    if (item.kind === "assistant") {
      item.streaming = true;
      // Blocks are changed in place while they stream; what came from outside stays as it is.
      item.message = { ...item.message, content: item.message.content.map((block) => ({ ...block })) };
      this.takeCalls(item.message.content);
    }
    this.openKey = item.key;
    this.items.push(item);
    this.dirtyItems.add(item.key);
  }

  private extend(update: MessageUpdate): void {
    const item = this.open;
    if (!item) return;
    const content = item.message.content;
    const block = (content[update.contentIndex] ??= beginning(update));
    if (block.type === "text") block.text += update.delta;
    else if (block.type === "thinking") block.thinking += update.delta;
    else if (update.toolCallId) this.updateTool(block.id, block.name, { status: "preparing" });
    this.dirtyItems.add(item.key);
  }

  private closeMessage(message: Message, entryId: string): void {
    if (message.role === "toolResult") {
      this.takeResult(message);
      return;
    }
    const index = this.items.findIndex(({ key }) => key === this.openKey);
    this.openKey = undefined;
    const old = this.items[index];
    if (this.entryIds.has(entryId)) {
      if (old) this.items.splice(index, 1);
      return;
    }
    this.entryIds.add(entryId);
    const item = itemOfMessage(message, old?.key ?? entryId);
    if (!item) return;
    item.entryId = entryId;
    if (item.kind === "assistant") this.takeCalls(item.message.content, item.message);
    if (old) this.items[index] = item;
    else this.items.push(item);
    this.dirtyItems.add(item.key);
  }

  private dropOpen(): void {
    if (this.openKey === undefined) return;
    this.items = this.items.filter(({ key }) => key !== this.openKey);
    this.openKey = undefined;
  }

  private takeCalls(content: readonly AssistantBlock[], ended?: AssistantMessage): void {
    for (const block of content) {
      if (block.type !== "toolCall") continue;
      const tool = this.tool(block.id, block.name);
      if (ended) tool.args = block.arguments;
      this.dirtyTools.add(block.id);
    }
  }

  private takeResult(result: Extract<Message, { role: "toolResult" }>): void {
    this.updateTool(result.toolCallId, result.toolName, {
      content: result.content,
      details: result.details,
      status: result.isError ? "failed" : "done",
    });
  }

  private updateTool(id: string, name: string, change: Partial<Tool>): void {
    Object.assign(this.tool(id, name), change);
    this.dirtyTools.add(id);
  }

  private appendOutput(id: string, delta: string): void {
    const tool = this.tool(id, "");
    tool.output += delta;
    this.dirtyTools.add(id);
  }

  private tool(id: string, name: string): Tool {
    let tool = this.tools.get(id);
    if (!tool) {
      tool = { id, name, args: {}, status: "preparing", output: "" };
      this.tools.set(id, tool);
    }
    if (name && !tool.name) tool.name = name;
    return tool;
  }
}

function beginning({ kind, toolCallId, toolName }: MessageUpdate): AssistantBlock {
  if (kind === "text") return { type: "text", text: "" };
  if (kind === "thinking") return { type: "thinking", thinking: "" };
  return { type: "toolCall", id: toolCallId ?? "", name: toolName ?? "", arguments: {} };
}
