/** While the agent works: what Enter does with a message. */

import { h, icon } from "../dom";

export type QueueChoice = "steer" | "followUp";

const CHOICES: readonly { choice: QueueChoice; label: string; title: string; symbol: string }[] = [
  {
    choice: "steer",
    label: "Steer",
    title: "Enter steers: the message reaches the model with its next call",
    symbol: "arrow-right",
  },
  {
    choice: "followUp",
    label: "Follow up",
    title: "Enter follows up: the message goes out when the agent is done (Alt+Enter does it once)",
    symbol: "debug-step-over",
  },
];

export class QueueSwitch {
  readonly element = h("div", {
    class: "switch",
    role: "radiogroup",
    hidden: true,
    attributes: { "aria-label": "What Enter does" },
  });
  choice: QueueChoice = "steer";

  constructor(private readonly onChange: () => void) {
    this.draw();
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      event.preventDefault();
      this.choose(this.choice === "steer" ? "followUp" : "steer");
      this.element.querySelector<HTMLElement>("[aria-checked=true]")?.focus();
    });
  }

  private choose(choice: QueueChoice): void {
    this.choice = choice;
    this.draw();
    this.onChange();
  }

  private draw(): void {
    const buttons = CHOICES.map(({ choice, label, title, symbol }) => {
      const chosen = choice === this.choice;
      const button = h(
        "button",
        {
          title,
          role: "radio",
          tabIndex: chosen ? 0 : -1,
          attributes: { type: "button", "aria-checked": String(chosen), "aria-label": label },
          onClick: () => this.choose(choice),
        },
        icon(symbol),
        h("span", { class: "switch-label" }, label),
      );
      return button;
    });
    this.element.replaceChildren(...buttons);
  }
}
