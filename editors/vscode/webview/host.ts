/** The way to the extension: messages, and requests that are answered. */

import type { ParamsOf, ResultOf } from "../src/protocol";
import type {
  NamedAttachment,
  RequestError,
  ToExtension,
  ToWebview,
  WebviewCommand,
  WebviewMethod,
} from "../src/shared/webviewMessages";

/** What the webview keeps over a reload of the window. */
export interface Kept {
  sessionId?: string;
  /** The entry at the top of the view and how far it is scrolled; none at the bottom. */
  scroll?: { entryId: string; offset: number };
}

interface VsCodeApi {
  postMessage(message: ToExtension): void;
  getState(): Kept | undefined;
  setState(state: Kept): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (error: HostError) => void;
}

/** A request that failed; the message is a sentence for the person. */
export class HostError extends Error {
  constructor(readonly details: RequestError) {
    super(details.message);
  }
}

export class Host {
  private readonly api = acquireVsCodeApi();
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;

  /** Listen for messages; answers to requests are not among them. */
  listen(take: (message: Exclude<ToWebview, { type: "response" }>) => void): void {
    window.addEventListener("message", ({ data }: MessageEvent<ToWebview>) => {
      if (data.type === "response") this.settle(data);
      else take(data);
    });
    this.api.postMessage({ type: "ready" });
  }

  send(message: ToExtension): void {
    this.api.postMessage(message);
  }

  run(command: WebviewCommand, argument?: unknown): void {
    this.api.postMessage({ type: "command", command, argument });
  }

  /** @throws HostError when the server refuses. */
  request<M extends WebviewMethod>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> {
    return this.ask((id) => ({ type: "request", id, method, params })) as Promise<ResultOf<M>>;
  }

  findFiles(query: string): Promise<NamedAttachment[]> {
    return this.ask((id) => ({ type: "findFiles", id, query })) as Promise<NamedAttachment[]>;
  }

  get kept(): Kept {
    return this.api.getState() ?? {};
  }

  keep(kept: Kept): void {
    this.api.setState(kept);
  }

  private ask(message: (id: number) => ToExtension): Promise<unknown> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.api.postMessage(message(id));
    });
  }

  private settle({ id, result, error }: Extract<ToWebview, { type: "response" }>): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) waiting?.reject(new HostError(error));
    else waiting?.resolve(result);
  }
}
