/** The chat: puts its parts together, and gives them what the extension says. */

import { after } from "../src/shared/liveState";
import type { ChatOptions, Draft, ShownFolder, Snapshot, ToWebview } from "../src/shared/webviewMessages";
import type { State, UserMessage } from "../src/protocol";
import { Announcer } from "./announcer";
import { ApprovalDock } from "./approvalDock";
import { attachAgain, sentAttachment } from "./attachmentText";
import { Composer } from "./composer/composer";
import { h, icon, iconButton } from "./dom";
import { Host } from "./host";
import { attachmentTexts, pictures, typedText } from "./item";
import { Notices } from "./notices";
import { ServerCard } from "./serverCard";
import { Tail } from "./tail";
import { Transcript } from "./transcript";
import { Welcome } from "./welcome";
import "./styles/main.css";

class Chat {
  private readonly host = new Host();
  private readonly options: ChatOptions = { thinkingExpanded: false };
  private readonly announcer = new Announcer();
  private readonly tail = new Tail(this.host);
  private readonly composer: Composer;
  private readonly approvals: ApprovalDock;
  private readonly transcript: Transcript;
  private readonly serverCard = new ServerCard(this.host);
  private readonly welcome: Welcome;
  private readonly notices = new Notices(this.host);
  private readonly folderBar = h("div", { class: "folder-bar", hidden: true });
  private readonly conversation: HTMLElement;
  private state: State | undefined;
  private folder = "";

  constructor(place: HTMLElement) {
    const announce = (text: string): void => this.announcer.say(text);
    this.approvals = new ApprovalDock(this.host, announce, () => this.composer.focus());
    this.composer = new Composer(this.host, {
      onError: ({ details }) => this.tail.showProblem(details.message, details.code),
      onCommand: (command) => this.tail.showCommand(command),
      onSent: () => this.sent(),
    });
    this.welcome = new Welcome(this.host, (text) => this.composer.compose(text, [], []));
    this.transcript = new Transcript(
      {
        host: this.host,
        options: this.options,
        announce,
        edit: ({ entryId, message }) => {
          if (entryId !== undefined) this.composer.edit(entryId, this.asDraft(message));
        },
        diffOf: (toolCallId) => this.approvals.diffOf(toolCallId),
      },
      this.tail.element,
    );
    this.conversation = h(
      "main",
      { class: "conversation", hidden: true },
      this.folderBar,
      this.notices.element,
      this.welcome.element,
      this.transcript.element,
      this.approvals.element,
      this.composer.element,
    );
    place.append(this.conversation, this.serverCard.element, this.announcer.element);
    this.listen(place);
  }

  private listen(place: HTMLElement): void {
    this.host.listen((message) => this.take(message));
    place.addEventListener("click", (event) => this.clicked(event));
    window.addEventListener("keydown", (event) => this.keyDown(event));
    window.addEventListener("focus", () => this.host.send({ type: "focusChanged", focused: true }));
    window.addEventListener("blur", () => this.host.send({ type: "focusChanged", focused: false }));
    // The last moment at which the place in the conversation can be kept.
    window.addEventListener("pagehide", () => this.keepPlace());
    setInterval(() => this.keepPlace(), 2000);
  }

  private take(message: Exclude<ToWebview, { type: "response" }>): void {
    switch (message.type) {
      case "options":
        Object.assign(this.options, message.options);
        break;
      case "server":
        this.serverCard.update(message.status);
        if (message.status.kind !== "running") this.conversation.hidden = true;
        break;
      case "snapshot":
        this.begin(message);
        break;
      case "event":
        this.transcript.apply(message.params);
        this.tail.apply(message.params.event);
        if (this.state) this.show(after(this.state, message.params.event));
        break;
      case "state":
        this.show(message.state);
        break;
      case "folder":
        this.showFolder(message.folder);
        break;
      case "key":
        this.welcome.setKey(message.hasKey);
        break;
      case "attach":
        this.composer.attach(message.attachments, message.images ?? []);
        break;
      case "compose":
        this.composer.compose(message.text, message.attachments ?? [], message.images ?? []);
        break;
      case "reveal":
        void this.transcript.reveal(message.entryId);
        break;
      case "focus":
        if (message.target === "approval") this.approvals.focus();
        else this.composer.focus();
        break;
    }
  }

  private begin({ folder, state, entries, more, draft }: Snapshot): void {
    const { sessionId, scroll } = this.host.kept;
    const sameSession =
      this.state === undefined ? sessionId === state.sessionId : this.state.sessionId === state.sessionId;
    const place = this.state === undefined ? scroll : this.transcript.position;
    this.conversation.hidden = false;
    this.serverCard.element.hidden = true;
    this.showFolder(folder);
    this.composer.begin(folder.uri, draft);
    this.transcript.reset(state, entries, more);
    this.show(state);
    if (sameSession && place) void this.transcript.reveal(place.entryId, place.offset);
  }

  private show(state: State): void {
    this.welcome.show(this.transcript.empty && state.phase === "idle");
    if (state === this.state) return;
    this.state = state;
    this.notices.update(state);
    this.tail.update(state);
    this.approvals.update(state);
    this.composer.update(state);
  }

  private showFolder(folder: ShownFolder): void {
    this.folder = folder.uri;
    this.welcome.setFolder(folder);
    this.folderBar.hidden = !folder.several;
    const pin = iconButton(
      folder.pinned ? "pinned" : "pin",
      folder.pinned ? "Follow the active editor's folder again" : "Stay with this folder",
      () => this.host.run("pi.pinFolder"),
    );
    const name = h(
      "button",
      { class: "picker", title: "Choose the chat's folder", onClick: () => this.host.run("pi.selectFolder") },
      icon("folder"),
      folder.name,
    );
    this.folderBar.replaceChildren(name, pin);
  }

  private asDraft({ content }: UserMessage): Omit<Draft, "replaces"> {
    const attachments = attachmentTexts(content)
      .map(sentAttachment)
      .flatMap((sent) => (sent ? [attachAgain(sent, this.folder)] : []));
    return { text: typedText(content), images: pictures(content), attachments };
  }

  private sent(): void {
    this.tail.showProblem(undefined);
    this.transcript.toEnd();
  }

  /** Links and paths are opened by the extension; the page itself goes nowhere. */
  private clicked(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const target = link?.getAttribute("href");
    if (!target) return;
    event.preventDefault();
    this.host.send({ type: "open", target });
  }

  private keyDown(event: KeyboardEvent): void {
    if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return;
    if (this.composer.cancelEditing()) return;
    if (this.state && this.state.phase !== "idle") this.host.run("pi.stop");
  }

  private keepPlace(): void {
    if (this.state) this.host.keep({ sessionId: this.state.sessionId, scroll: this.transcript.position });
  }
}

const place = document.getElementById("chat");
if (place) new Chat(place);
