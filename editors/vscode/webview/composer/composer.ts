/** Where the person writes: text, attachments and pictures, and what they become when sent. */

import type { ImageAttachment, QueueItem, State } from "../../src/protocol";
import type { Draft, NamedAttachment } from "../../src/shared/webviewMessages";
import { named } from "../attachmentText";
import { h, iconButton } from "../dom";
import { type Host, HostError } from "../host";
import { queueChips } from "./chips";
import { DraftView } from "./draftView";
import { drawContext, Foot } from "./foot";
import { Mentions } from "./mentions";
import { holdsFiles, takeTransfer } from "./pictures";
import { type QueueChoice, QueueSwitch } from "./queueSwitch";
import { placeholder, SendButtons, type Sending } from "./sendButtons";

export interface ComposerEvents {
  onError: (error: HostError) => void;
  /** A command of the person begins, and ends. */
  onCommand: (command: string | undefined) => void;
  /** Something was sent: the person wants to see the end. */
  onSent: () => void;
}

const EMPTY: Draft = { text: "", images: [], attachments: [] };

export class Composer {
  readonly element: HTMLElement;
  private readonly field = h("textarea", { attributes: { rows: "1", "aria-label": "Message to pi" } });
  private readonly queued = h("div", {
    class: "queue",
    attributes: { "aria-label": "Messages that wait", "aria-live": "polite" },
  });
  private readonly draftView = new DraftView(
    (change) => this.change(change),
    () => this.cancelEditing(),
  );
  private readonly foot: Foot;
  private readonly context = h("div", { class: "context-place" });
  private readonly queueSwitch = new QueueSwitch(() => this.drawSend());
  private readonly sendButtons: SendButtons;
  private readonly mentions: Mentions;
  private draft: Draft = EMPTY;
  private folder = "";
  private state: State | undefined;

  constructor(
    private readonly host: Host,
    private readonly events: ComposerEvents,
  ) {
    this.mentions = new Mentions(this.field, host, (attachment) => this.attach([attachment], []));
    this.foot = new Foot(host);
    this.sendButtons = new SendButtons(
      () => void this.send(this.queueSwitch.choice),
      () => host.run("pi.stop"),
    );
    const attach = iconButton("attach", "Attach files, pictures or the selection", () =>
      host.run("pi.attach"),
    );
    const row = h(
      "div",
      { class: "composer-foot" },
      attach,
      this.foot.element,
      this.queueSwitch.element,
      this.sendButtons.element,
    );
    const box = h("div", { class: "box" }, this.draftView.banner, this.draftView.chips, this.field, row);
    this.element = h(
      "section",
      { class: "composer", attributes: { "aria-label": "Composer" } },
      this.queued,
      this.mentions.element,
      box,
      this.context,
    );
    this.listen(box);
    new ResizeObserver(() => this.fitField()).observe(this.element);
  }

  /** Begin with a folder's draft; what stands here for that folder already is newer. */
  begin(folder: string, draft: Draft): void {
    if (folder === this.folder) return;
    this.folder = folder;
    this.draft = draft;
    this.field.value = draft.text;
    this.drawDraft();
  }

  update(state: State): void {
    const before = this.state;
    this.state = state;
    // Only what changed is drawn, so that a button under the pointer or the focus stays.
    if (!sameFoot(before, state)) this.foot.update(state);
    if (before?.context !== state.context || before.usage !== state.usage) {
      this.context.replaceChildren(drawContext(state, this.host));
    }
    if (before?.queues !== state.queues) {
      this.queued.replaceChildren(...queueChips(state.queues, (item) => void this.takeBack(item)));
    }
    this.queueSwitch.element.hidden = state.phase === "idle";
    if (before?.phase !== state.phase) {
      this.drawSend();
      this.fitField();
    }
  }

  focus(): void {
    this.field.focus();
  }

  attach(attachments: readonly NamedAttachment[], images: readonly ImageAttachment[]): void {
    const known = new Set(this.draft.attachments.map(({ label }) => label));
    const added = attachments.filter(({ label }) => !known.has(label));
    this.change({
      attachments: [...this.draft.attachments, ...added],
      images: [...this.draft.images, ...images],
    });
  }

  /** Put a text before what is being written, with what belongs to it. */
  compose(text: string, attachments: readonly NamedAttachment[], images: readonly ImageAttachment[]): void {
    this.field.value = [text, this.field.value].filter((part) => part.trim()).join("\n\n");
    this.change({ text: this.field.value });
    this.attach(attachments, images);
    this.focus();
  }

  /** Write a user message anew; the branch switches when it is sent. */
  edit(entryId: string, message: Omit<Draft, "replaces">): void {
    const { text } = message;
    this.field.value = text;
    this.change({ ...message, replaces: entryId });
    this.focus();
    this.field.setSelectionRange(text.length, text.length);
  }

  /** Esc: leave the editing of an old message. @returns whether there was one. */
  cancelEditing(): boolean {
    if (this.draft.replaces === undefined) return false;
    this.clear();
    return true;
  }

  private listen(box: HTMLElement): void {
    this.field.addEventListener("input", () => {
      this.change({ text: this.field.value });
      void this.mentions.look();
    });
    this.field.addEventListener("keydown", (event) => this.keyDown(event));
    this.field.addEventListener("paste", (event) => {
      if (event.clipboardData && event.clipboardData.files.length > 0) {
        event.preventDefault();
        void this.take(event.clipboardData);
      }
    });
    box.addEventListener("dragover", (event) => {
      if (!event.dataTransfer || !holdsFiles(event.dataTransfer)) return;
      event.preventDefault();
      box.classList.add("dropping");
    });
    box.addEventListener("dragleave", () => box.classList.remove("dropping"));
    box.addEventListener("drop", (event) => {
      box.classList.remove("dropping");
      if (!event.dataTransfer || !holdsFiles(event.dataTransfer)) return;
      event.preventDefault();
      void this.take(event.dataTransfer);
    });
  }

  private keyDown(event: KeyboardEvent): void {
    // Enter that ends an IME composition belongs to the composition.
    if (event.isComposing || event.key === "Process") return;
    if (this.mentions.keyDown(event)) return;
    if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    void this.send(event.altKey ? "followUp" : this.queueSwitch.choice);
  }

  private async take(transfer: DataTransfer): Promise<void> {
    const { images, uris, refused } = await takeTransfer(transfer);
    if (uris.length > 0) this.host.send({ type: "attachUris", uris });
    if (images.length > 0) this.attach([], images);
    for (const message of refused) this.host.send({ type: "notice", message });
  }

  private async send(queue: QueueChoice): Promise<void> {
    const text = this.draft.text.trim();
    if (!this.sending().written || !this.state) return;
    const sent = this.draft;
    this.clear();
    try {
      if (text.startsWith("!") && text.length > 1) await this.runCommand(text);
      else await this.prompt(text, sent, queue);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      // What could not be sent is not lost.
      if (this.sending().written) this.compose(sent.text, sent.attachments, sent.images);
      else this.restore(sent);
      this.events.onError(error);
    }
  }

  private async prompt(
    text: string,
    { images, attachments, replaces }: Draft,
    queue: QueueChoice,
  ): Promise<void> {
    this.events.onSent();
    await this.host.request("pi/prompt", {
      text,
      whenBusy: queue,
      ...(images.length > 0 && { images }),
      ...(attachments.length > 0 && {
        attachments: attachments.map(({ uri, range }) => (range ? { uri, range } : { uri })),
      }),
      ...(replaces !== undefined && { at: replaces }),
    });
  }

  private async runCommand(text: string): Promise<void> {
    const excludeFromContext = text.startsWith("!!");
    const command = text.slice(excludeFromContext ? 2 : 1).trim();
    this.events.onSent();
    this.events.onCommand(command);
    try {
      await this.host.request("pi/bash", { command, ...(excludeFromContext && { excludeFromContext }) });
    } finally {
      this.events.onCommand(undefined);
    }
  }

  private async takeBack(item: QueueItem): Promise<void> {
    try {
      const { removed } = await this.host.request("pi/unqueue", { id: item.id });
      if (removed) this.compose(item.text, (item.attachments ?? []).map(named), item.images ?? []);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      this.events.onError(error);
    }
  }

  private clear(): void {
    this.restore(EMPTY);
  }

  private restore(draft: Draft): void {
    this.field.value = draft.text;
    this.draft = draft;
    this.change({});
  }

  private change(change: Partial<Draft>): void {
    this.draft = { ...this.draft, ...change };
    this.host.send({ type: "draft", folder: this.folder, draft: this.draft });
    this.drawDraft();
  }

  private drawDraft(): void {
    this.draftView.update(this.draft);
    this.element.classList.toggle("command", this.draft.text.startsWith("!"));
    this.fitField();
    this.drawSend();
  }

  /** The field is as high as its text, up to a limit that the style sets. */
  private fitField(): void {
    this.field.style.height = "auto";
    this.field.style.height = `${this.field.scrollHeight}px`;
  }

  private drawSend(): void {
    const sending = this.sending();
    this.field.placeholder = placeholder(sending);
    this.sendButtons.update(sending);
  }

  private sending(): Sending {
    const { text, images, attachments } = this.draft;
    return {
      busy: this.state !== undefined && this.state.phase !== "idle",
      written: text.trim() !== "" || images.length + attachments.length > 0,
      choice: this.queueSwitch.choice,
    };
  }
}

function sameFoot(a: State | undefined, b: State): boolean {
  return (
    a?.model.id === b.model.id && a.thinkingLevel === b.thinkingLevel && a.approvalMode === b.approvalMode
  );
}
