/** Send and Stop. */

import { fill, h, iconButton } from "../dom";
import type { QueueChoice } from "./queueSwitch";

export interface Sending {
  /** The agent works: a message is queued. */
  busy: boolean;
  /** There is something to send. */
  written: boolean;
  choice: QueueChoice;
}

export class SendButtons {
  readonly element = h("div", { class: "send-place" });
  private shown = "";

  constructor(
    private readonly onSend: () => void,
    private readonly onStop: () => void,
  ) {}

  update({ busy, written, choice }: Sending): void {
    const look = JSON.stringify([busy, written, choice]);
    // A button under the pointer or the focus is left alone while it stays the same.
    if (look === this.shown) return;
    this.shown = look;
    const send = iconButton("arrow-up", sendLabel(busy, choice), this.onSend);
    send.classList.add("send");
    send.disabled = !written;
    const stop = busy && iconButton("debug-stop", "Stop (Esc)", this.onStop);
    if (stop) stop.classList.add("stop");
    fill(this.element, stop, (!busy || written) && send);
  }
}

function sendLabel(busy: boolean, choice: QueueChoice): string {
  if (!busy) return "Send (Enter)";
  return choice === "steer" ? "Steer (Enter)" : "Queue as follow-up (Enter)";
}

/** What the empty field says. */
export function placeholder({ busy, choice }: Sending): string {
  if (!busy) return "Ask pi (@ for a file, ! for a command)";
  return choice === "steer"
    ? "Steer while it works (Alt+Enter: follow up)"
    : "What comes next, when it is done?";
}
