/**
 * One folder's conversation as the server tells it. Nothing of it is kept here but the last state;
 * a gap in the events, another session or another branch is answered by asking again.
 */

import * as vscode from "vscode";
import { inBackground } from "./log";
import type { Entry, EventParams, Method, ParamsOf, ResultOf, State } from "./protocol";
import type { PiServer } from "./server/server";
import { after, REFRESHING_EVENTS } from "./shared/liveState";

/** How many entries a drawing begins with; older ones are asked for on demand. */
export const FIRST_ENTRIES = 80;

/** What a drawing needs to begin. */
export interface Beginning {
  state: State;
  entries: Entry[];
  more: boolean;
}

export class Conversation implements vscode.Disposable {
  private readonly stateChanged = new vscode.EventEmitter<State>();
  private readonly eventArrived = new vscode.EventEmitter<EventParams>();
  private readonly begun = new vscode.EventEmitter<Beginning>();
  private readonly refreshed = new vscode.EventEmitter<State>();
  private current: State | undefined;
  private seq = 0;
  private loading: Promise<Beginning> | undefined;
  private waiting: EventParams[] = [];

  /** The state, when an event or an answer changed it. */
  readonly onDidChangeState = this.stateChanged.event;
  /** The state as the server gave it by itself, with nothing to be drawn anew. */
  readonly onDidRefresh = this.refreshed.event;
  /** Each event once, in order, without gaps. */
  readonly onEvent = this.eventArrived.event;
  /** Everything has to be drawn anew. */
  readonly onDidBegin = this.begun.event;

  constructor(
    readonly folder: vscode.WorkspaceFolder,
    private readonly server: PiServer,
  ) {}

  get state(): State | undefined {
    return this.current;
  }

  get workspace(): string {
    return this.folder.uri.toString();
  }

  /** Send a request for this folder. */
  request<M extends Method>(
    method: M,
    params: Omit<ParamsOf<M>, "workspace">,
    token?: vscode.CancellationToken,
  ): Promise<ResultOf<M>> {
    const full = { ...params, workspace: this.workspace } as ParamsOf<M>;
    return this.server.request(method, full, token);
  }

  /** Take an event of the server for this folder. */
  accept(params: EventParams): void {
    if (this.loading) {
      this.waiting.push(params);
      return;
    }
    if (!this.current) return;
    if (params.sessionId === this.current.sessionId && params.seq <= this.seq) return;
    const follows = params.sessionId === this.current.sessionId && params.seq === this.seq + 1;
    if (!follows || this.leavesPath(params)) {
      inBackground(this.load());
      return;
    }
    this.seq = params.seq;
    this.setState(after(this.current, params.event));
    this.eventArrived.fire(params);
    if (REFRESHING_EVENTS.has(params.event.type)) inBackground(this.refreshState());
  }

  /** Ask for everything; events that come meanwhile follow after it. */
  load(): Promise<Beginning> {
    this.loading ??= this.loadNow().finally(() => this.loaded());
    return this.loading;
  }

  /** Ask for the state alone. */
  async refreshState(): Promise<void> {
    const state = await this.request("pi/state", {});
    if (!this.current || this.loading || state.sessionId !== this.current.sessionId) return;
    // Events that are newer than the answer would be undone by it; another refresh will follow them.
    if (state.seq < this.seq) return;
    this.setState(state);
    this.refreshed.fire(state);
  }

  /** The server is gone: what was known holds no more. */
  forget(): void {
    this.current = undefined;
    this.waiting = [];
  }

  dispose(): void {
    vscode.Disposable.from(this.stateChanged, this.eventArrived, this.begun, this.refreshed).dispose();
  }

  private async loadNow(): Promise<Beginning> {
    const state = await this.request("pi/state", {});
    const { entries, more } = await this.request("pi/entries", { branch: true, limit: FIRST_ENTRIES });
    this.seq = state.seq;
    this.setState(state);
    const beginning = { state, entries, more };
    this.begun.fire(beginning);
    return beginning;
  }

  private loaded(): void {
    this.loading = undefined;
    const waiting = this.waiting;
    this.waiting = [];
    for (const params of waiting) this.accept(params);
  }

  /** Another session, or a leaf that is not the end of what was told. */
  private leavesPath({ event }: EventParams): boolean {
    if (event.type === "session_changed") return true;
    return event.type === "leaf_changed" && event.leafId !== this.current?.leafId;
  }

  private setState(state: State): void {
    if (state === this.current) return;
    this.current = state;
    this.stateChanged.fire(state);
  }
}
