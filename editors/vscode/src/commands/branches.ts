/** Commands of the tree view `Branches`. */

import * as vscode from "vscode";
import type { App } from "../app";
import type { Conversation } from "../conversation";
import type { AssistantBlock, ForkResult, TreeFilter, UserBlock } from "../protocol";
import type { Item } from "../trees/branchLayout";
import { type BranchesTree, FILTER_NAMES } from "../trees/branches";
import { type Commands, tell } from "./command";

const FILES_STAY = "Files are not rolled back.";

interface SwitchOptions {
  summarize: boolean;
  instructions?: string;
}

export function branchCommands(app: App, tree: BranchesTree): Commands {
  return {
    "pi.branches.switch": (item: Item) => askAndSwitch(app, item),
    "pi.branches.switchPlain": (item: Item) => switchTo(app, item, { summarize: false }),
    "pi.branches.switchWithSummary": (item: Item) => switchTo(app, item, { summarize: true }),
    "pi.branches.label": (item: Item) => label(app, tree, item),
    "pi.branches.fork": (item: Item) => fork(app, item.node.id),
    "pi.branches.copy": (item: Item) => copyText(app, item),
    "pi.branches.reveal": (item: Item) => reveal(app, item),
    "pi.branches.refresh": () => tree.loadNow(),
    "pi.branches.filter": () => chooseFilter(tree),
    "pi.branches.search": () => search(app, tree),
    "pi.fork": (entryId: string) => fork(app, entryId),
    "pi.clone": async () => forked(app, await app.conversations.currentOrThrow.request("pi/clone", {})),
  };
}

async function askAndSwitch(app: App, item: Item): Promise<void> {
  const conversation = app.conversations.currentOrThrow;
  if (conversation.state?.leafId === item.node.id) {
    reveal(app, item);
    return;
  }
  const ways: (vscode.QuickPickItem & { take: () => Promise<SwitchOptions | undefined> })[] = [
    {
      label: "$(arrow-swap) Switch Here",
      detail: "The conversation goes on from this message.",
      take: () => Promise.resolve({ summarize: false }),
    },
    {
      label: "$(note) Switch and Summarize What Is Left",
      detail: "The model is told in short what happened on the branch that you leave.",
      take: () => Promise.resolve({ summarize: true }),
    },
    {
      label: "$(edit) Switch and Summarize with Instructions…",
      take: async () => {
        const instructions = await vscode.window.showInputBox({
          title: "Summary of the Branch That Is Left",
          prompt: "What should the summary pay attention to?",
        });
        return instructions === undefined ? undefined : { summarize: true, instructions };
      },
    },
  ];
  if (item.node.onPath) {
    ways.unshift({
      label: "$(eye) Show in the Chat",
      take: () => {
        reveal(app, item);
        return Promise.resolve(undefined);
      },
    });
  }
  const title = `Go back to “${item.node.text}”`;
  const way = await vscode.window.showQuickPick(ways, { title, placeHolder: FILES_STAY });
  const options = await way?.take();
  if (options) await switchTo(app, item, options);
}

async function switchTo(app: App, item: Item, options: SwitchOptions): Promise<void> {
  const conversation = app.conversations.currentOrThrow;
  const params = { entryId: item.node.id, ...options };
  const result = options.summarize
    ? await withProgress("pi: summarizing the branch that is left…", (token) =>
        conversation.request("pi/navigate", params, token),
      )
    : await conversation.request("pi/navigate", params);
  if (!result) return;
  if (result.editorText) app.chat.say({ type: "compose", text: result.editorText });
  await app.chat.open();
}

/** Run with a notification that can be cancelled; undefined when it was. */
async function withProgress<T>(
  title: string,
  work: (token: vscode.CancellationToken) => Promise<T>,
): Promise<T | undefined> {
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, async (_progress, token) => {
    try {
      return await work(token);
    } catch (error) {
      if (token.isCancellationRequested) return undefined;
      throw error;
    }
  });
}

async function label(app: App, tree: BranchesTree, item: Item): Promise<void> {
  const text = await vscode.window.showInputBox({
    title: "Label",
    prompt: "A name for this point of the conversation; an empty one takes the label away.",
    value: item.node.label ?? "",
  });
  if (text === undefined) return;
  const conversation = app.conversations.currentOrThrow;
  await conversation.request("pi/label", { entryId: item.node.id, label: text || null });
  await tree.loadNow();
}

async function fork(app: App, entryId: string): Promise<void> {
  forked(app, await app.conversations.currentOrThrow.request("pi/fork", { entryId }));
  await app.chat.open();
}

function forked(app: App, result: ForkResult): void {
  if (result.editorText) app.chat.say({ type: "compose", text: result.editorText });
  tell("This is a new session now. The one that it was copied from is in the Sessions view.");
}

async function copyText(app: App, item: Item): Promise<void> {
  const text = await fullText(app.conversations.currentOrThrow, item.node.id);
  await vscode.env.clipboard.writeText(text ?? item.node.text);
}

/** The text of a message; the tree shows only its beginning. */
async function fullText(conversation: Conversation, entryId: string): Promise<string | undefined> {
  const { messages } = await conversation.request("pi/messages", { leafId: entryId });
  const content = messages.find((one) => one.entryId === entryId)?.message.content;
  if (typeof content === "string") return content;
  const blocks = (Array.isArray(content) ? content : []) as (UserBlock | AssistantBlock)[];
  return blocks.find((block) => block.type === "text")?.text;
}

function reveal(app: App, item: Item): void {
  app.chat.say({ type: "reveal", entryId: item.node.id });
}

async function chooseFilter(tree: BranchesTree): Promise<void> {
  const choices = (Object.keys(FILTER_NAMES) as TreeFilter[]).map((filter) => ({
    label: FILTER_NAMES[filter],
    description: filter === tree.filter ? "shown now" : undefined,
    filter,
  }));
  const choice = await vscode.window.showQuickPick(choices, { title: "Show in Branches" });
  if (choice) tree.filter = choice.filter;
}

async function search(app: App, tree: BranchesTree): Promise<void> {
  await tree.loadNow();
  const choices = tree.everything().map((item) => ({
    label: item.node.text,
    description: item.node.label ? `⚑ ${item.node.label}` : undefined,
    detail: item.node.onPath ? undefined : "on another branch",
    item,
  }));
  const choice = await vscode.window.showQuickPick(choices, {
    title: "Search Branches",
    matchOnDescription: true,
  });
  if (!choice) return;
  await tree.view.reveal(choice.item, { select: true, expand: true });
  await askAndSwitch(app, choice.item);
}
