/** What was typed and not sent, per folder: it survives a reload of the window. */

import { createHash } from "node:crypto";
import * as vscode from "vscode";
import { log, sentence } from "./log";
import type { Draft } from "./shared/webviewMessages";

const WRITE_DELAY_MS = 400;
const EMPTY: Draft = { text: "", images: [], attachments: [] };

export class Drafts implements vscode.Disposable {
  private readonly known = new Map<string, Draft>();
  private readonly timers = new Map<string, NodeJS.Timeout>();

  /** @param storage the extension's folder for this workspace; without one drafts are kept in memory. */
  constructor(private readonly storage: vscode.Uri | undefined) {}

  /** Read what an earlier window kept for a folder. */
  async load(folder: string): Promise<void> {
    if (!this.known.has(folder)) this.known.set(folder, await this.read(folder));
  }

  /** The draft of a folder; an empty one before it was loaded. */
  get(folder: string): Draft {
    return this.known.get(folder) ?? EMPTY;
  }

  /** Keep a draft; it is written a moment later, and at the latest when the window closes. */
  set(folder: string, draft: Draft): void {
    this.known.set(folder, draft);
    clearTimeout(this.timers.get(folder));
    this.timers.set(
      folder,
      setTimeout(() => void this.write(folder), WRITE_DELAY_MS),
    );
  }

  /** Write what waits. */
  async flush(): Promise<void> {
    await Promise.all([...this.timers.keys()].map((folder) => this.write(folder)));
  }

  dispose(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
  }

  private async read(folder: string): Promise<Draft> {
    const file = this.file(folder);
    if (!file) return EMPTY;
    try {
      const bytes = await vscode.workspace.fs.readFile(file);
      return { ...EMPTY, ...(JSON.parse(new TextDecoder().decode(bytes)) as Partial<Draft>) };
    } catch (error) {
      if (!(error instanceof vscode.FileSystemError)) log.warn(`A draft was not read: ${sentence(error)}`);
      return EMPTY;
    }
  }

  private async write(folder: string): Promise<void> {
    clearTimeout(this.timers.get(folder));
    this.timers.delete(folder);
    const file = this.file(folder);
    const draft = this.known.get(folder);
    if (!file || !draft) return;
    try {
      await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(JSON.stringify(draft)));
    } catch (error) {
      log.warn(`A draft was not kept: ${sentence(error)}`);
    }
  }

  private file(folder: string): vscode.Uri | undefined {
    const name = createHash("sha256").update(folder).digest("hex").slice(0, 16);
    return this.storage && vscode.Uri.joinPath(this.storage, `draft-${name}.json`);
  }
}
