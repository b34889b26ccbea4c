/** What the chat shows instead of a conversation: no folder, no server, or one that comes. */

import type { ServerStatus } from "../src/shared/webviewMessages";
import { fill, h, icon, textButton } from "./dom";
import type { Host } from "./host";

export class ServerCard {
  readonly element = h("div", { class: "server-card", role: "status", hidden: true });

  constructor(private readonly host: Host) {}

  update(status: ServerStatus): void {
    this.element.hidden = status.kind === "running";
    if (!this.element.hidden) fill(this.element, ...this.parts(status));
  }

  private parts(status: ServerStatus): HTMLElement[] {
    switch (status.kind) {
      case "noFolder":
        return [
          heading("folder", "Open a folder"),
          paragraph("pi works in a folder: it reads the files in it, edits them and runs commands there."),
          this.actions(textButton("Open Folder", () => this.host.run("vscode.openFolder"), "primary")),
        ];
      case "starting":
        return [waiting("Starting pi…")];
      case "installing":
        return [waiting("Installing the server…"), h("div", { class: "quiet line" }, status.line)];
      case "missing":
        return this.missing(status.lookedFor);
      case "failed":
        return [
          heading("error", "The server does not run"),
          paragraph(status.message),
          this.actions(
            textButton("Restart", () => this.host.run("pi.restartServer"), "primary"),
            textButton("Show Logs", () => this.host.run("pi.showLogs")),
          ),
        ];
      case "running":
        return [];
    }
  }

  private missing(lookedFor: string[]): HTMLElement[] {
    return [
      heading("cloud-download", "Install the server"),
      paragraph("The agent runs in a small server in Python, and none was found here. Looked for:"),
      h("ul", {}, ...lookedFor.map((place) => h("li", {}, place))),
      paragraph(
        "Install puts it into an environment of its own, which the extension keeps. It needs Python 3.10 or newer.",
      ),
      this.actions(
        textButton("Install", () => this.host.run("pi.installServer"), "primary"),
        textButton("Retry", () => this.host.run("pi.restartServer")),
        textButton("Settings", () => this.host.run("pi.openSettings"), "quiet"),
      ),
    ];
  }

  private actions(...buttons: HTMLElement[]): HTMLElement {
    return h("div", { class: "actions" }, ...buttons);
  }
}

function heading(symbol: string, text: string): HTMLElement {
  return h("h2", {}, icon(symbol), text);
}

function paragraph(text: string): HTMLElement {
  return h("p", {}, text);
}

function waiting(text: string): HTMLElement {
  return h("div", { class: "waiting" }, icon("loading", "codicon-modifier-spin"), text);
}
