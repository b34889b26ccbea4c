/** API keys: kept in VS Code's secret storage, handed to the server, never in settings or logs. */

import * as vscode from "vscode";

const PREFIX = "pi.apiKey.";
export const PROVIDERS = ["anthropic"] as const;
export type KeyProvider = (typeof PROVIDERS)[number];

export class ApiKeys {
  private readonly values = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<void>();

  readonly onDidChange = this.changed.event;

  constructor(private readonly secrets: vscode.SecretStorage) {}

  /** Read what is stored. */
  async load(): Promise<void> {
    for (const provider of PROVIDERS) {
      const key = await this.secrets.get(PREFIX + provider);
      if (key) this.values.set(provider, key);
      else this.values.delete(provider);
    }
  }

  /** The keys that are known, by their provider. */
  entries(): Iterable<[string, string]> {
    return this.values.entries();
  }

  /** The keys alone, to be kept out of logs. */
  known(): Iterable<string> {
    return this.values.values();
  }

  async set(provider: KeyProvider, key: string): Promise<void> {
    await this.secrets.store(PREFIX + provider, key);
    this.values.set(provider, key);
    this.changed.fire();
  }

  async remove(provider: KeyProvider): Promise<void> {
    await this.secrets.delete(PREFIX + provider);
    this.values.delete(provider);
    this.changed.fire();
  }
}
