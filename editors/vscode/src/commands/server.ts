/** Commands about the server, keys and help. */

import * as vscode from "vscode";
import type { App } from "../app";
import { log, sentence } from "../log";
import { installServer } from "../server/install";
import { serverSettings } from "../settings";
import { type Commands, tell } from "./command";

const WALKTHROUGH = "pi-lsp.pi-lsp#start";
const KEY_HELP = "Kept in the secret storage of VS Code, never in settings or files.";

export function serverCommands(app: App): Commands {
  return {
    "pi.installServer": () => install(app),
    "pi.restartServer": () => app.server.restart(),
    "pi.showLogs": () => log.show(),
    "pi.openSettings": () =>
      vscode.commands.executeCommand("workbench.action.openSettings", `@ext:${app.context.extension.id}`),
    "pi.openWalkthrough": () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", WALKTHROUGH, false),
    "pi.setApiKey": () => setApiKey(app),
    "pi.removeApiKey": () => removeApiKey(app),
    "pi.checkHealth": () => checkHealth(app),
    "pi.copyDebugInformation": () => copyDebugInformation(app),
  };
}

async function install(app: App): Promise<void> {
  const requirement = vscode.workspace.getConfiguration("pi").get("server.installFrom", "pi-lsp");
  const environment = app.server.environment;
  const onLine = (line: string): void => {
    log.info(line);
    app.server.showInstallation(line);
  };
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: "Installing the pi server…",
    cancellable: true,
  };
  try {
    await vscode.window.withProgress(options, (_progress, token) => {
      const controller = new AbortController();
      token.onCancellationRequested(() => controller.abort());
      const { signal } = controller;
      return app.server.whileStopped(() => installServer({ environment, requirement, onLine, signal }));
    });
  } finally {
    app.server.restart();
  }
}

async function setApiKey(app: App): Promise<void> {
  const key = await vscode.window.showInputBox({
    title: "Anthropic API Key",
    prompt: KEY_HELP,
    placeHolder: "sk-ant-…",
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) => (/\s/.test(value.trim()) ? "A key has no spaces in it." : undefined),
  });
  if (!key?.trim()) return;
  await app.server.started();
  await app.conversations.currentOrThrow.request("pi/setApiKey", { provider: "anthropic", key: key.trim() });
  await app.keys.set("anthropic", key.trim());
  await leaveDemoModel(app);
  tell("The key is set.");
}

/** Who sets a key wants a real model; the server takes one by itself only in a new session. */
async function leaveDemoModel(app: App): Promise<void> {
  const conversation = app.conversations.current;
  if (conversation?.state?.model.provider !== "demo") return;
  await vscode.commands.executeCommand("pi.selectModel");
}

async function removeApiKey(app: App): Promise<void> {
  await app.server.started();
  await app.conversations.currentOrThrow.request("pi/setApiKey", { provider: "anthropic", key: "" });
  await app.keys.remove("anthropic");
  tell("The key is forgotten.");
}

async function checkHealth(app: App): Promise<void> {
  await app.server.started();
  const { checks } = await app.conversations.currentOrThrow.request("pi/health", {});
  const icons = { ok: "pass", warn: "warning", error: "error" };
  const items = checks.map((check) => ({
    label: `$(${icons[check.status]}) ${check.name}`,
    description: check.message,
    detail: check.hint ?? undefined,
  }));
  await vscode.window.showQuickPick(items, { title: "Health of pi" });
}

async function copyDebugInformation(app: App): Promise<void> {
  const state = app.conversations.current?.state;
  const settings = serverSettings(app.keys);
  const information = {
    extension: (app.context.extension.packageJSON as { version: string }).version,
    vscode: `${vscode.version} (${vscode.env.appHost}${vscode.env.remoteName ? `, ${vscode.env.remoteName}` : ""})`,
    platform: `${process.platform} ${process.arch}`,
    server: app.server.description,
    status: app.server.status,
    trusted: vscode.workspace.isTrusted,
    folders: app.conversations.all.length,
    // Values may be private; their names are enough to understand a report.
    settings: Object.keys(settings),
    session: state && {
      phase: state.phase,
      model: `${state.model.provider}/${state.model.id}`,
      messages: state.messageCount,
      context: state.context,
      warnings: state.warnings,
    },
    health: await healthOf(app),
  };
  const text = `\`\`\`json\n${JSON.stringify(information, null, 2)}\n\`\`\`\n`;
  await vscode.env.clipboard.writeText(text);
  tell("Copied. It holds no keys and nothing of your conversations.");
}

async function healthOf(app: App): Promise<unknown> {
  try {
    return (await app.conversations.currentOrThrow.request("pi/health", {})).checks;
  } catch (error) {
    return sentence(error);
  }
}
