/** The foot of the composer: model, thinking, approval, and how full the context is. */

import type { State } from "../../src/protocol";
import { dollars, shortCount, shortName } from "../../src/shared/format";
import { fill, h, icon } from "../dom";
import type { Host } from "../host";
import type { WebviewCommand } from "../../src/shared/webviewMessages";

const WARN_PERCENT = 80;

const APPROVAL_LABELS: Readonly<Record<State["approvalMode"], string>> = {
  ask: "Ask",
  edits: "Edits",
  auto: "Auto",
  readonly: "Read only",
};

export class Foot {
  readonly element = h("div", { class: "pickers" });

  constructor(private readonly host: Host) {}

  update(state: State): void {
    const { model, thinkingLevel, approvalMode } = state;
    fill(
      this.element,
      this.picker(
        "pi.selectModel",
        "",
        shortName(model.name),
        `Model: ${model.name} (${model.provider})`,
        "model",
      ),
      model.thinkingLevels.length > 1 &&
        this.picker("pi.selectThinkingLevel", "lightbulb", thinkingLevel, `Thinking: ${thinkingLevel}`),
      this.picker(
        "pi.selectApprovalMode",
        approvalMode === "auto" ? "zap" : "shield",
        APPROVAL_LABELS[approvalMode],
        `Approval: ${APPROVAL_LABELS[approvalMode]}`,
        approvalMode === "auto" ? "warning" : "",
      ),
    );
  }

  private picker(
    command: WebviewCommand,
    symbol: string,
    label: string,
    title: string,
    extra = "",
  ): HTMLElement {
    return h(
      "button",
      {
        class: `picker ${extra}`.trim(),
        title,
        attributes: { type: "button", "aria-label": title, "aria-haspopup": "listbox" },
        onClick: () => this.host.run(command),
      },
      symbol !== "" && icon(symbol),
      h("span", { class: "picker-label" }, label),
      extra === "model" && icon("chevron-down"),
    );
  }
}

/** `34 % of 200k · $0.12`, as a button that shows more. */
export function drawContext(state: State, host: Host): HTMLElement {
  const { tokens, percent, window } = state.context;
  const used = percent === null ? "–" : `${Math.round(percent)} %`;
  const exact = tokens === null ? "" : ` (${tokens.toLocaleString()} tokens)`;
  const full = percent !== null && percent >= WARN_PERCENT;
  const title = [
    `Context: ${used} of ${window.toLocaleString()} tokens${exact}`,
    `Cost of this session: ${dollars(state.usage.cost ?? 0)}`,
    full ? "The context is nearly full: compact the conversation." : "",
  ].filter(Boolean);
  return h(
    "button",
    {
      class: `context${full ? " full" : ""}`,
      title: title.join("\n"),
      attributes: { type: "button", "aria-label": title.join(", ") },
      onClick: () => host.run(full ? "pi.compact" : "pi.showStatistics"),
    },
    ring(percent ?? 0),
    h(
      "span",
      { class: "context-text" },
      `${used} of ${shortCount(window)} · ${dollars(state.usage.cost ?? 0)}`,
    ),
  );
}

/** A small ring that fills. */
function ring(percent: number): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "ring");
  svg.setAttribute("aria-hidden", "true");
  for (const name of ["track", "fill"]) {
    const circle = document.createElementNS(space, "circle");
    circle.setAttribute("class", name);
    for (const [attribute, value] of [
      ["cx", "8"],
      ["cy", "8"],
      ["r", "6"],
      ["pathLength", "100"],
    ] as const) {
      circle.setAttribute(attribute, value);
    }
    if (name === "fill") circle.setAttribute("stroke-dasharray", `${Math.min(100, percent)} 100`);
    svg.append(circle);
  }
  return svg;
}
