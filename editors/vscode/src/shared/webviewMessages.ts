/** What the extension and the chat's webview say to each other; conversations in the wire's own types. */

import type {
  ApproveAnswer,
  Attachment,
  Entry,
  EventParams,
  ImageAttachment,
  Method,
  ParamsOf,
  State,
} from "../protocol";

/** The folder whose session the chat shows. */
export interface ShownFolder {
  uri: string;
  name: string;
  /** The chat stays with this folder, whichever editor is active. */
  pinned: boolean;
  /** Whether there are others to choose from. */
  several: boolean;
}

/** An attachment and how it is called in the composer (relative path and lines). */
export interface NamedAttachment extends Attachment {
  label: string;
}

/** What stands in the composer and is not sent yet. */
export interface Draft {
  text: string;
  images: ImageAttachment[];
  attachments: NamedAttachment[];
  /** The user message that the draft will replace when it is sent. */
  replaces?: string;
}

export type ServerStatus =
  | { kind: "noFolder" }
  | { kind: "starting" }
  | { kind: "running" }
  | { kind: "installing"; line: string }
  | { kind: "missing"; lookedFor: string[] }
  | { kind: "failed"; message: string };

/** What a person may want to see differently; none of it reaches the server. */
export interface ChatOptions {
  thinkingExpanded: boolean;
}

export interface Snapshot {
  folder: ShownFolder;
  state: State;
  /** The newest entries of the active path; `more` says that there are older ones. */
  entries: Entry[];
  more: boolean;
  draft: Draft;
}

export type ToWebview =
  | { type: "options"; options: ChatOptions }
  | { type: "server"; status: ServerStatus }
  | ({ type: "snapshot" } & Snapshot)
  | { type: "event"; params: EventParams }
  | { type: "state"; state: State }
  | { type: "folder"; folder: ShownFolder }
  /** Whether a key for a real model is known; without one the demo model answers. */
  | { type: "key"; hasKey: boolean }
  | { type: "response"; id: number; result?: unknown; error?: RequestError }
  | { type: "attach"; attachments: NamedAttachment[]; images?: ImageAttachment[] }
  | { type: "compose"; text: string; images?: ImageAttachment[]; attachments?: NamedAttachment[] }
  | { type: "reveal"; entryId: string }
  | { type: "focus"; target: "composer" | "approval" };

/** A request that failed: the error's name in protocol.md, and a sentence for the person. */
export interface RequestError {
  code: string;
  message: string;
}

/** The requests that the webview may send by itself; all else goes by commands of the extension. */
export const WEBVIEW_METHODS = [
  "pi/prompt",
  "pi/continue",
  "pi/nextTurn",
  "pi/unqueue",
  "pi/entries",
  "pi/bash",
] as const satisfies readonly Method[];

export type WebviewMethod = (typeof WEBVIEW_METHODS)[number];

/** The commands that the webview's buttons may run. */
export const WEBVIEW_COMMANDS = [
  "pi.compact",
  "pi.continue",
  "pi.installServer",
  "pi.openSettings",
  "pi.openWalkthrough",
  "pi.pinFolder",
  "pi.restartServer",
  "pi.selectApprovalMode",
  "pi.selectFolder",
  "pi.selectModel",
  "pi.selectThinkingLevel",
  "pi.setApiKey",
  "pi.showLogs",
  "pi.showStatistics",
  "pi.stop",
  "pi.useDemoModel",
  "pi.attach",
  "pi.fork",
  "vscode.openFolder",
  "workbench.trust.manage",
] as const;

export type WebviewCommand = (typeof WEBVIEW_COMMANDS)[number];

export type ToExtension =
  | { type: "ready" }
  | { type: "request"; id: number; method: WebviewMethod; params: ParamsOf<WebviewMethod> }
  | { type: "command"; command: WebviewCommand; argument?: unknown }
  | ({ type: "approve"; toolCallId: string } & ApproveAnswer)
  | { type: "open"; target: string }
  /** The two sides where they are known; else the differences alone are shown. */
  | { type: "openDiff"; title: string; unified: string; beforeUri?: string | null; afterUri?: string | null }
  | { type: "copy"; text: string }
  | { type: "insert"; text: string }
  | { type: "draft"; folder: string; draft: Draft }
  | { type: "findFiles"; id: number; query: string }
  | { type: "attachUris"; uris: string[] }
  | { type: "focusChanged"; focused: boolean }
  | { type: "notice"; message: string };
