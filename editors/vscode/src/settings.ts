/**
 * The settings that go to the server: only those that somebody set, so that pi's own settings files
 * hold where VS Code's say nothing.
 */

import * as vscode from "vscode";
import type { ApiKeys } from "./keys";
import type { JsonObject } from "./protocol";

/** VS Code's names without the leading `pi.`, which are the server's own names. */
const SERVER_SETTINGS = [
  "defaultProvider",
  "defaultModel",
  "defaultThinkingLevel",
  "steeringMode",
  "followUpMode",
  "compaction.enabled",
  "compaction.reserveTokens",
  "compaction.keepRecentTokens",
  "branchSummary.reserveTokens",
  "retry.enabled",
  "retry.maxRetries",
  "session.startup",
  "session.dir",
  "approval.mode",
  "approval.rules",
  "providers.anthropic.baseUrl",
  "defaultTools",
  "models",
  "shellPath",
  "shellCommandPrefix",
] as const;

/** The client's layer of the settings, as `initializationOptions` takes it, with the keys. */
export function serverSettings(keys: ApiKeys): JsonObject {
  const configuration = vscode.workspace.getConfiguration("pi");
  const settings: JsonObject = { trusted: vscode.workspace.isTrusted };
  for (const name of SERVER_SETTINGS) {
    const value = setValue(configuration, name);
    if (value !== undefined) put(settings, name.split("."), value);
  }
  for (const [provider, key] of keys.entries()) put(settings, ["providers", provider, "apiKey"], key);
  return settings;
}

/** A setting of the extension itself. */
export function option<T>(name: string, fallback: T): T {
  return vscode.workspace.getConfiguration("pi").get<T>(name, fallback);
}

function setValue(configuration: vscode.WorkspaceConfiguration, name: string): unknown {
  const found = configuration.inspect(name);
  const own = found?.globalValue;
  // VS Code itself ignores what a folder says of settings with machine scope.
  const folders = vscode.workspace.isTrusted ? found?.workspaceValue : undefined;
  if (own === undefined && folders === undefined) return undefined;
  const value = configuration.get(name);
  return saysNothing(value) ? undefined : value;
}

/** An emptied field of the settings page stands for the default. */
function saysNothing(value: unknown): boolean {
  return value === "" || (Array.isArray(value) && value.length === 0);
}

function put(target: JsonObject, path: string[], value: unknown): void {
  const [head, ...rest] = path;
  if (head === undefined) return;
  if (rest.length === 0) {
    target[head] = value;
    return;
  }
  const inner = (target[head] ??= {}) as JsonObject;
  put(inner, rest, value);
}
