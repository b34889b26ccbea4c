/** The extension as the webview sees it, for tests: what was sent, and answers to requests. */

import type { Host } from "../webview/host";
import { HostError } from "../webview/host";
import type { NamedAttachment, ToExtension } from "../src/shared/webviewMessages";

export class FakeHost {
  readonly sent: ToExtension[] = [];
  readonly requests: { method: string; params: Record<string, unknown> }[] = [];
  readonly commands: string[] = [];
  answers: Record<string, unknown> = {};
  files: NamedAttachment[] = [];

  send(message: ToExtension): void {
    this.sent.push(message);
  }

  run(command: string): void {
    this.commands.push(command);
  }

  request(method: string, params: Record<string, unknown>): Promise<unknown> {
    this.requests.push({ method, params });
    const answer = this.answers[method] ?? {};
    return answer instanceof HostError ? Promise.reject(answer) : Promise.resolve(answer);
  }

  findFiles(): Promise<NamedAttachment[]> {
    return Promise.resolve(this.files);
  }

  /** As the parts under test take it. */
  get asHost(): Host {
    return this as unknown as Host;
  }

  lastSent<T extends ToExtension["type"]>(type: T): Extract<ToExtension, { type: T }> | undefined {
    return this.sent.filter((message) => message.type === type).at(-1) as
      Extract<ToExtension, { type: T }> | undefined;
  }
}

/** jsdom lays nothing out. */
export class NoResizeObserver {
  observe(): void {
    // Nothing is ever resized.
  }

  disconnect(): void {
    // Nothing was observed.
  }
}

/** Let promises that are settled run on. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}
