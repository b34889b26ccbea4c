/** The chips of the composer: attachments, pictures, and messages that wait in a queue. */

import type { ImageAttachment, QueueItem, Queues } from "../../src/protocol";
import type { NamedAttachment } from "../../src/shared/webviewMessages";
import { h, icon, iconButton } from "../dom";

/** An attachment of the draft. */
export function attachmentChip(attachment: NamedAttachment, remove: () => void): HTMLElement {
  return h(
    "span",
    { class: "chip", title: attachment.label },
    icon(attachment.range ? "selection" : "file"),
    h("span", { class: "chip-label" }, attachment.label),
    iconButton("close", `Remove ${attachment.label}`, remove),
  );
}

/** A picture of the draft. */
export function pictureChip(image: ImageAttachment, number: number, remove: () => void): HTMLElement {
  const preview = h("img", {});
  preview.src = `data:${image.mimeType};base64,${image.data}`;
  preview.alt = `Picture ${number}`;
  return h(
    "span",
    { class: "chip picture-chip" },
    preview,
    iconButton("close", `Remove picture ${number}`, remove),
  );
}

const QUEUES = [
  { name: "steer", label: "Steering", icon: "arrow-right", title: "Reaches the model with its next call" },
  { name: "followUp", label: "Follow-up", icon: "debug-step-over", title: "Goes out when the agent is done" },
  { name: "nextTurn", label: "Next prompt", icon: "clock", title: "Goes out with your next message" },
] as const satisfies readonly { name: keyof Queues; label: string; icon: string; title: string }[];

/** All messages that wait, in the order in which they go out. */
export function queueChips(queues: Queues, takeBack: (item: QueueItem) => void): HTMLElement[] {
  return QUEUES.flatMap((queue) =>
    (queues[queue.name] ?? []).map((item) =>
      h(
        "div",
        { class: "queued", title: queue.title },
        icon(queue.icon),
        h("span", { class: "queue-name" }, queue.label),
        h("span", { class: "queue-text" }, item.text || "(attachments)"),
        iconButton("discard", `Take back: ${item.text}`, () => takeBack(item)),
      ),
    ),
  );
}
