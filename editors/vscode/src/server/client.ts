/** The language client: how the server is started, and what this editor says that it can do. */

import * as vscode from "vscode";
import {
  type ClientCapabilities,
  type ErrorHandler,
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  type StaticFeature,
} from "vscode-languageclient/node";
import { log } from "../log";
import type { JsonObject } from "../protocol";
import type { ServerCommand } from "./locate";
import { redacted } from "./redaction";

const MAX_RESTARTS = 3;
const RESTART_WINDOW_MS = 3 * 60_000;

export interface ClientOptions {
  command: ServerCommand;
  /** A folder that belongs to the extension. */
  workingFolder: string;
  settings: () => JsonObject;
  secrets: () => Iterable<string>;
  /** The server ended and is not started again. */
  onGivenUp: () => void;
}

/** A client that is not started yet. */
export function createClient(options: ClientOptions): LanguageClient {
  const { command, workingFolder } = options;
  const client = new LanguageClient(
    "pi",
    "pi",
    { command: command.command, args: command.args, options: { cwd: workingFolder } },
    {
      documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
      initializationOptions: options.settings,
      outputChannel: log,
      traceOutputChannel: redacted(log, options.secrets),
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      errorHandler: new RestartAFewTimes(options.onGivenUp),
      middleware: {
        // What a code action starts is watched in the chat; the focus stays where it is.
        executeCommand: async (name, args, next) => {
          if (name.startsWith("pi-lsp.")) await revealChat();
          return next(name, args) as unknown;
        },
      },
    },
  );
  client.registerFeature(new PiCapabilities());
  return client;
}

/** Show the chat without taking the focus. */
export async function revealChat(): Promise<void> {
  await vscode.commands.executeCommand("pi.chat.focus", { preserveFocus: true });
}

/** Says which of the server's own requests are answered here (docs/protocol.md, Handshake). */
class PiCapabilities implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const pi = { approval: true, diagnostics: true, save: true };
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), pi };
    // The chat and the status bar show that a run goes on; a second progress would only blink.
    capabilities.window = { ...capabilities.window, workDoneProgress: false };
  }

  initialize(): void {
    // Handlers are registered where the answers come from.
  }

  getState(): ReturnType<StaticFeature["getState"]> {
    return { kind: "static" };
  }

  clear(): void {
    // Nothing is held.
  }
}

class RestartAFewTimes implements ErrorHandler {
  private readonly ends: number[] = [];

  constructor(private readonly onGivenUp: () => void) {}

  error(): ReturnType<ErrorHandler["error"]> {
    return { action: ErrorAction.Continue, handled: true };
  }

  closed(): ReturnType<ErrorHandler["closed"]> {
    const now = Date.now();
    this.ends.push(now);
    const recent = this.ends.filter((time) => now - time < RESTART_WINDOW_MS);
    if (recent.length <= MAX_RESTARTS) {
      log.warn("The server ended; it is started again.");
      return { action: CloseAction.Restart, handled: true };
    }
    this.onGivenUp();
    return { action: CloseAction.DoNotRestart, handled: true };
  }
}
