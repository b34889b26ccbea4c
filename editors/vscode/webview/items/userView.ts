/** A message of the person: text, attachments, pictures, and a pencil to send it in another form. */

import { sentAttachment } from "../attachmentText";
import { h, icon, iconButton } from "../dom";
import { attachmentTexts, type Item, pictures, typedText } from "../item";
import { copyButton } from "./code";
import { picture } from "./toolView";
import type { ItemView, ViewContext } from "./view";

type UserItem = Extract<Item, { kind: "user" }>;

export class UserView implements ItemView {
  readonly element = h("article", { class: "item user", attributes: { "aria-label": "You" } });

  constructor(
    item: UserItem,
    private readonly context: ViewContext,
  ) {
    this.update(item);
  }

  update(item: Item): void {
    if (item.kind !== "user") return;
    const { content } = item.message;
    this.element.replaceChildren(
      h("div", { class: "text" }, typedText(content)),
      ...this.extras(item),
      h(
        "div",
        { class: "item-actions" },
        item.entryId !== undefined &&
          iconButton("edit", "Edit this message and go on from here", () => this.context.edit(item)),
        copyButton(() => typedText(content), this.context.host),
        item.entryId !== undefined &&
          iconButton("repo-forked", "Fork the session before this message", () =>
            this.context.host.run("pi.fork", item.entryId),
          ),
      ),
    );
  }

  private extras({ message }: UserItem): HTMLElement[] {
    const chips = attachmentTexts(message.content).map((text) => attachmentChip(text));
    const images = pictures(message.content).map(({ data, mimeType }) => picture(data, mimeType));
    const extras: HTMLElement[] = [];
    if (chips.length > 0) extras.push(h("div", { class: "chips" }, ...chips));
    if (images.length > 0) extras.push(h("div", { class: "pictures" }, ...images));
    return extras;
  }
}

/** A chip for an attachment of a sent message; a click opens the file. */
function attachmentChip(text: string): HTMLElement {
  const sent = sentAttachment(text);
  if (!sent) return h("span", { class: "chip" }, icon("file"), "Attachment");
  const { label, target } = sent;
  return h(
    "a",
    { class: "chip", title: `Open ${target}`, attributes: { href: target } },
    icon("file"),
    label,
  );
}
