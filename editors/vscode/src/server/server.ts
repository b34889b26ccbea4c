/** The one server of this window: finds it, starts it, talks to it, and says how it is. */

import * as vscode from "vscode";
import { type LanguageClient, State as ClientState } from "vscode-languageclient/node";
import { inBackground, log, sentence } from "../log";
import type { ApiKeys } from "../keys";
import {
  type ApprovalQuestion,
  type ApproveAnswer,
  type EventParams,
  type Method,
  type ParamsOf,
  type ResultOf,
  type UrisParams,
} from "../protocol";
import { serverSettings } from "../settings";
import type { ServerStatus } from "../shared/webviewMessages";
import { createClient } from "./client";
import { diagnosticsOf, saveDocuments } from "./editorRequests";
import { PiError } from "./errors";
import { locateServer } from "./locate";

export type Approver = (
  question: ApprovalQuestion,
  token: vscode.CancellationToken,
) => Promise<ApproveAnswer>;

export class PiServer implements vscode.Disposable {
  private readonly statusChanged = new vscode.EventEmitter<ServerStatus>();
  private readonly eventArrived = new vscode.EventEmitter<EventParams>();
  private readonly subscriptions: vscode.Disposable[] = [];
  private client: LanguageClient | undefined;
  private currentStatus: ServerStatus = { kind: "starting" };
  /** Starts and stops happen one after the other. */
  private queue: Promise<void> = Promise.resolve();
  private wanted = false;

  readonly onDidChangeStatus = this.statusChanged.event;
  readonly onEvent = this.eventArrived.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly keys: ApiKeys,
    private readonly approve: Approver,
  ) {
    this.subscriptions.push(
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        if (this.wanted && this.currentStatus.kind === "noFolder") this.start();
      }),
      vscode.workspace.onDidChangeConfiguration((change) => this.configurationChanged(change)),
      // Started anew it also goes on with the folder's own session, which it did not before.
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        if (this.wanted) this.restart();
      }),
    );
  }

  get status(): ServerStatus {
    return this.currentStatus;
  }

  get environment(): string {
    return vscode.Uri.joinPath(this.context.globalStorageUri, "server").fsPath;
  }

  /** Start the server, once; what goes wrong shows in the status, and `restart` tries again. */
  start(): void {
    if (this.wanted && this.currentStatus.kind !== "noFolder") return;
    this.wanted = true;
    inBackground(this.inTurn(() => this.startNow()));
  }

  /**
   * Start the server when it does not run, and wait until it does.
   *
   * @throws Error with a sentence when it cannot be had.
   */
  async started(): Promise<void> {
    this.start();
    const { kind } = await this.settledStatus();
    if (kind !== "running") throw new Error("The pi server does not run. The chat says what to do.");
  }

  /** Stop the server, if it runs, and start it again. */
  restart(): void {
    this.wanted = true;
    const again = this.inTurn(async () => {
      await this.stopNow();
      await this.startNow();
    });
    inBackground(again);
  }

  /** Stop the server for as long as `work` takes, e.g. because its files are replaced. */
  whileStopped(work: () => Promise<void>): Promise<void> {
    return this.inTurn(async () => {
      await this.stopNow();
      await work();
    });
  }

  showInstallation(line: string): void {
    this.setStatus({ kind: "installing", line });
  }

  /**
   * Send a request and wait for its answer.
   *
   * @throws PiError with a sentence for the person.
   */
  async request<M extends Method>(
    method: M,
    params: ParamsOf<M>,
    token?: vscode.CancellationToken,
  ): Promise<ResultOf<M>> {
    if (!this.client || this.currentStatus.kind !== "running") {
      throw new PiError("not_running", "The pi server is not running. Restart it with “pi: Restart Server”.");
    }
    try {
      // A token that is not there would travel as a second parameter.
      return await (token
        ? this.client.sendRequest<ResultOf<M>>(method, params, token)
        : this.client.sendRequest<ResultOf<M>>(method, params));
    } catch (error) {
      throw PiError.of(error);
    }
  }

  /** The server's name and version, once it runs. */
  get description(): string {
    const info = this.client?.initializeResult?.serverInfo;
    return info ? `${info.name} ${info.version ?? ""}`.trim() : "not running";
  }

  dispose(): void {
    this.wanted = false;
    vscode.Disposable.from(...this.subscriptions, this.statusChanged, this.eventArrived).dispose();
  }

  /** Stop at the end of the window: the server finishes what it writes. */
  async stop(): Promise<void> {
    this.wanted = false;
    await this.inTurn(() => this.stopNow());
  }

  private settledStatus(): Promise<ServerStatus> {
    const settled = ({ kind }: ServerStatus): boolean => kind !== "starting" && kind !== "installing";
    if (settled(this.currentStatus)) return Promise.resolve(this.currentStatus);
    return new Promise((resolve) => {
      const listener = this.onDidChangeStatus((status) => {
        if (!settled(status)) return;
        listener.dispose();
        resolve(status);
      });
    });
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const next = this.queue.then(work);
    this.queue = next.catch((error: unknown) => {
      log.error(sentence(error));
    });
    return next;
  }

  private async startNow(): Promise<void> {
    if (!vscode.workspace.workspaceFolders?.length) {
      this.setStatus({ kind: "noFolder" });
      return;
    }
    this.setStatus({ kind: "starting" });
    await vscode.workspace.fs.createDirectory(this.context.globalStorageUri);
    await this.keys.load();
    const workingFolder = this.context.globalStorageUri.fsPath;
    const configured = vscode.workspace.getConfiguration("pi").get<string[]>("server.command", []);
    const search = await locateServer({ configured, environment: this.environment, workingFolder });
    if (!search.found) {
      log.warn(`No server was found. Looked for: ${search.lookedFor.join("; ")}`);
      this.setStatus({ kind: "missing", lookedFor: search.lookedFor });
      return;
    }
    log.info(`Starting ${[search.found.command, ...search.found.args].join(" ")}`);
    const client = createClient({
      command: search.found,
      workingFolder,
      settings: () => serverSettings(this.keys),
      secrets: () => this.keys.known(),
      onGivenUp: () => this.giveUp(),
    });
    this.client = client;
    this.registerHandlers(client);
    try {
      await client.start();
    } catch (error) {
      await this.stopNow();
      this.setStatus({ kind: "failed", message: `The server did not start: ${sentence(error)}` });
    }
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (!client) return;
    await client.dispose().catch((error: unknown) => log.warn(`While stopping: ${sentence(error)}`));
  }

  private registerHandlers(client: LanguageClient): void {
    client.onDidChangeState(({ newState }) => {
      if (client !== this.client) return;
      if (newState === ClientState.Running) this.setStatus({ kind: "running" });
      else if (newState === ClientState.Starting) this.setStatus({ kind: "starting" });
    });
    client.onNotification("pi/event", (params: EventParams) => this.eventArrived.fire(params));
    client.onRequest("pi/approve", (question: ApprovalQuestion, token: vscode.CancellationToken) =>
      this.approve(question, token),
    );
    client.onRequest("pi/save", (params: UrisParams) => saveDocuments(client, params));
    client.onRequest("pi/diagnostics", (params: UrisParams) => diagnosticsOf(client, params));
  }

  private giveUp(): void {
    this.client = undefined;
    this.setStatus({
      kind: "failed",
      message: "The server ended several times in a row. The log says more.",
    });
  }

  private setStatus(status: ServerStatus): void {
    this.currentStatus = status;
    this.statusChanged.fire(status);
  }

  private configurationChanged(change: vscode.ConfigurationChangeEvent): void {
    if (!this.wanted) return;
    if (change.affectsConfiguration("pi.server.command")) this.restart();
    else if (change.affectsConfiguration("pi")) this.sendSettings();
  }

  private sendSettings(): void {
    if (!this.client?.isRunning()) return;
    const settings = serverSettings(this.keys);
    inBackground(this.client.sendNotification("workspace/didChangeConfiguration", { settings }));
  }
}
