/** Quick picks for the model, thinking, the queues, approval, and the figures of a session. */

import * as vscode from "vscode";
import type { App } from "../app";
import type { ApprovalMode, ModelInfo, QueueMode } from "../protocol";
import { dollars, shortCount } from "../shared/format";
import type { Commands } from "./command";

export function modelCommands(app: App): Commands {
  return {
    "pi.selectModel": () => selectModel(app),
    "pi.useDemoModel": () => setModel(app, "demo", "demo"),
    "pi.selectThinkingLevel": () => selectThinkingLevel(app),
    "pi.selectQueueModes": () => selectQueueModes(app),
    "pi.selectApprovalMode": () => selectApprovalMode(app),
    "pi.toggleAutoCompaction": () => toggleAutoCompaction(app),
    "pi.showStatistics": () => showStatistics(app),
  };
}

async function setModel(app: App, provider: string, modelId: string): Promise<void> {
  await app.server.started();
  await app.conversations.currentOrThrow.request("pi/setModel", { provider, modelId });
}

async function selectModel(app: App): Promise<void> {
  await app.server.started();
  const conversation = app.conversations.currentOrThrow;
  const { models } = await conversation.request("pi/models", {});
  const current = conversation.state?.model;
  const isCurrent = (model: ModelInfo): boolean =>
    model.provider === current?.provider && model.id === current.id;
  const item = (model: ModelInfo): vscode.QuickPickItem & { model: ModelInfo } => ({
    label: `${isCurrent(model) ? "$(check) " : ""}${model.name}`,
    description: `${model.provider} · ${shortCount(model.contextWindow)} tokens`,
    detail: model.available ? undefined : "needs an API key",
    model,
  });
  const sorted = [...models].sort((a, b) => Number(b.available) - Number(a.available));
  const choice = await vscode.window.showQuickPick(sorted.map(item), {
    title: "Model",
    placeHolder: "The model of this session",
    matchOnDescription: true,
  });
  if (!choice) return;
  if (!choice.model.available) await vscode.commands.executeCommand("pi.setApiKey");
  await setModel(app, choice.model.provider, choice.model.id);
}

async function selectThinkingLevel(app: App): Promise<void> {
  await app.server.started();
  const conversation = app.conversations.currentOrThrow;
  const state = conversation.state;
  const levels = state?.model.thinkingLevels ?? [];
  if (levels.length === 0) throw new Error("This model does not think before it answers.");
  const choices = levels.map((level) => ({
    label: level,
    description: level === state?.thinkingLevel ? "current" : undefined,
  }));
  const choice = await vscode.window.showQuickPick(choices, {
    title: "Thinking",
    placeHolder: "How much the model thinks before it answers",
  });
  if (choice) await conversation.request("pi/setThinkingLevel", { level: choice.label });
}

async function selectQueueModes(app: App): Promise<void> {
  await app.server.started();
  const conversation = app.conversations.currentOrThrow;
  const state = conversation.state;
  const queues = [
    { label: "Steering messages", description: state?.steeringMode, name: "steering" as const },
    { label: "Follow-ups", description: state?.followUpMode, name: "followUp" as const },
  ];
  const queue = await vscode.window.showQuickPick(queues, { title: "Queue Modes" });
  if (!queue) return;
  const modes: { label: string; detail: string; mode: QueueMode }[] = [
    { label: "One at a time", detail: "Each waits for its own turn.", mode: "one-at-a-time" },
    { label: "All", detail: "All that wait go out together.", mode: "all" },
  ];
  const choice = await vscode.window.showQuickPick(modes, { title: queue.label });
  if (!choice) return;
  await conversation.request("pi/setQueueMode", { [queue.name]: choice.mode });
  await conversation.refreshState();
}

const APPROVAL_MODES: { label: string; detail: string; mode: ApprovalMode }[] = [
  { label: "$(question) Ask", detail: "Edits, commands and anything outside the folder ask.", mode: "ask" },
  {
    label: "$(edit) Allow edits",
    detail: "Edits inside the folder are allowed; commands ask.",
    mode: "edits",
  },
  { label: "$(eye) Read only", detail: "Nothing is changed and no command runs.", mode: "readonly" },
  {
    label: "$(zap) Allow everything",
    detail: "Nothing asks. Only for folders and tasks that you trust.",
    mode: "auto",
  },
];

async function selectApprovalMode(app: App): Promise<void> {
  await app.server.started();
  const conversation = app.conversations.currentOrThrow;
  const current = conversation.state?.approvalMode;
  const choices = APPROVAL_MODES.map((item) => ({
    ...item,
    description: item.mode === current ? "current" : undefined,
  }));
  const choice = await vscode.window.showQuickPick(choices, { title: "Approval" });
  if (choice) await conversation.request("pi/setApprovalMode", { mode: choice.mode });
}

async function toggleAutoCompaction(app: App): Promise<void> {
  await app.server.started();
  const conversation = app.conversations.currentOrThrow;
  const wanted = !conversation.state?.autoCompaction;
  const { enabled } = await conversation.request("pi/setAutoCompaction", { enabled: wanted });
  await conversation.refreshState();
  void vscode.window.showInformationMessage(`Automatic compaction is ${enabled ? "on" : "off"}.`);
}

async function showStatistics(app: App): Promise<void> {
  await app.server.started();
  const conversation = app.conversations.currentOrThrow;
  const stats = await conversation.request("pi/stats", {});
  const { tokens, context } = stats;
  const lines: [string, string][] = [
    ["Your messages", stats.userMessages.toLocaleString()],
    ["Answers", stats.assistantMessages.toLocaleString()],
    ["Tool calls", stats.toolCalls.toLocaleString()],
    ["Tokens sent", shortCount(tokens.input + tokens.cacheRead + tokens.cacheWrite)],
    ["of them from the cache", shortCount(tokens.cacheRead)],
    ["Tokens received", shortCount(tokens.output)],
    [
      "Context",
      `${context.tokens === null ? "?" : shortCount(context.tokens)} of ${shortCount(context.window)}`,
    ],
    ["Cost", dollars(stats.cost)],
  ];
  const choices = lines.map(([label, description]) => ({ label, description }));
  await vscode.window.showQuickPick(choices, { title: "Statistics of This Session" });
}
