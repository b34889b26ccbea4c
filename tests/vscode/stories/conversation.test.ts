/** A longer conversation with a scripted model: a key, queues, stopping, branches, summaries, reloads. */

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import * as path from "node:path";
import { after, before } from "node:test";
import { CodeServer } from "../support/codeServer.ts";
import { closeBrowser, Editor } from "../support/editor.ts";
import { KEY, Provider } from "../support/provider.ts";
import { storyOf } from "../support/story.ts";

const SLOW = "A long answer that takes its time. ".repeat(40);

const REPLIES = [
  {
    when: "wait and run",
    text: "Soon I will run something. ".repeat(20),
    pieces: 100,
    delayMs: 50,
    toolCalls: [{ name: "bash", arguments: { command: "echo from afar" } }],
  },
  { when: "^hello", thinking: "They greet me, so I greet back.", text: "Hello! **What** can I do?" },
  { when: "^work slowly", text: SLOW, pieces: 400, delayMs: 30 },
  { when: "^be brief", text: "Being brief now." },
  { when: "^and then", text: "Then this came." },
  { when: "^never end", text: "I begin and", hang: true },
  {
    when: "summar|conversation so far|<conversation>",
    text: "## Goal\nTest the extension.\n\n## Progress\n### Done\nGreetings.",
  },
  { when: "^fail", error: { status: 400, type: "invalid_request_error", message: "This cannot be done." } },
];

let provider: Provider;
let server: CodeServer;
let folder: string;
let editor: Editor;
const step = storyOf(() => editor);

before(async () => {
  provider = await Provider.start(REPLIES);
  server = await CodeServer.start({
    settings: { "pi.compaction.keepRecentTokens": 50 },
    machine: { "pi.providers.anthropic.baseUrl": provider.url },
  });
  folder = await server.folder("project", { "main.py": "print('hi')\n" });
  editor = await Editor.open(server.url, folder, { width: 1280, height: 1100 });
});

after(async () => {
  await closeBrowser();
  await server.stop();
  await provider.stop();
});

step("a key is asked for once, and a real model answers with it", async () => {
  await editor.openChat();
  await editor.chat.getByRole("button", { name: "Set API Key" }).click();
  await editor.type(KEY);
  await editor.chat.getByRole("button", { name: /^Model: .*Sonnet/ }).waitFor();
  await editor.chat.getByText("No API key yet").waitFor({ state: "hidden" });
});

step("thinking is a line that opens, and Markdown is drawn", async () => {
  await editor.ask("hello");
  await editor.transcript.locator("strong", { hasText: "What" }).waitFor();
  await editor.idle();
  await editor.transcript.getByText("Thought").click();
  await editor.transcript.getByText("They greet me").waitFor();
});

step(
  "while it works, Enter steers and Alt+Enter follows up; what waits is shown and can be taken back",
  async () => {
    await editor.ask("work slowly");
    await editor.chat.getByRole("button", { name: "Stop (Esc)" }).waitFor();
    await editor.ask("be brief");
    await editor.chat.locator(".queued", { hasText: "Steering" }).waitFor();
    await editor.composer.fill("and then");
    await editor.composer.press("Alt+Enter");
    await editor.chat.locator(".queued", { hasText: "Follow-up" }).waitFor();
    await editor.composer.fill("one too many");
    await editor.composer.press("Enter");
    await editor.picture("queues");
    await editor.chat.getByRole("button", { name: "Take back: one too many" }).click();
    await editor.chat.locator(".queued", { hasText: "one too many" }).waitFor({ state: "detached" });
    await editor.composed("one too many");
    await editor.composer.fill("");
  },
);

step("the steer is answered before the follow-up", async () => {
  await editor.transcript.getByText("Then this came.").waitFor();
  await editor.idle();
  const users = await editor.transcript.locator("article.user .text").allTextContents();
  assert.deepEqual(users.slice(-3), ["work slowly", "be brief", "and then"]);
});

step("Esc stops, keeps what came, and gives queued texts back; Continue goes on", async () => {
  await editor.ask("never end");
  await editor.transcript.getByText("I begin and").waitFor();
  await editor.ask("queued meanwhile");
  await editor.chat.locator(".queued").waitFor();
  await editor.composer.press("Escape");
  await editor.transcript.getByText("Stopped").waitFor();
  await editor.idle();
  await editor.composed("queued meanwhile");
  await editor.picture("stopped");
  await editor.composer.fill("");
  await editor.chat.getByRole("button", { name: "Continue" }).waitFor();
});

step("an error says what happened, and stays in the conversation", async () => {
  await editor.ask("fail please");
  await editor.transcript.locator(".notice.error", { hasText: "This cannot be done." }).waitFor();
  await editor.idle();
  await editor.picture("error");
});

step("the pencil edits an old message; what followed stays on a branch of its own", async () => {
  const message = editor.transcript.locator("article.user", { hasText: "never end" });
  await message.hover();
  await message.getByRole("button", { name: /^Edit this message/ }).click();
  await editor.chat.getByText("Editing an earlier message").waitFor();
  await editor.picture("editing");
  await editor.ask("be brief instead");
  await editor.transcript.locator("article.user", { hasText: "be brief instead" }).waitFor();
  await message.waitFor({ state: "detached" });
  await editor.idle();
});

step("Branches shows both ways, and switches back", async () => {
  await editor.section("Branches");
  const tree = editor.page.getByRole("treeitem");
  await tree.filter({ hasText: "be brief instead" }).first().waitFor();
  await editor.picture("branches");
  const branch = tree.filter({ hasText: "never end" }).first();
  await branch.waitFor();
  await branch.click();
  await editor.pick("Switch Here");
  await editor.transcript
    .locator("article.user", { hasText: "be brief instead" })
    .waitFor({ state: "detached" });
  await editor.composed(/never end/);
  await editor.composer.fill("");
});

step("a fork is a session of its own, with the old one in Sessions", async () => {
  const message = editor.transcript.locator("article.user", { hasText: "be brief" }).first();
  await message.hover();
  await message.getByRole("button", { name: /^Fork the session/ }).click();
  await message.waitFor({ state: "detached" });
  await editor.composed("be brief");
  await editor.ask("and then the fork");
  await editor.transcript.getByText("Then this came.").waitFor();
  await editor.idle();
  await editor.section("Sessions");
  await editor.page.getByRole("treeitem").filter({ hasText: "message" }).nth(1).waitFor();
  await editor.picture("sessions");
  assert.equal((await sessionFiles(folder)).length, 2);
});

step("a compaction is a card with its summary", async () => {
  await editor.command("pi: Compact Conversation");
  await editor.type("");
  await editor.transcript.getByText("Compacted").click();
  await editor.transcript.getByText("Test the extension.").waitFor();
  await editor.picture("compacted");
});

step("a reload in the middle of an answer: the part stands as stopped, and Continue goes on", async () => {
  await editor.ask("never end again");
  await editor.transcript.getByText("I begin and").waitFor();
  await editor.reload();
  await editor.transcript.getByText("I begin and").waitFor();
  await editor.transcript.getByText("Stopped").last().waitFor();
  await editor.picture("reloaded");
  await editor.chat.getByRole("button", { name: "Continue" }).click();
  await editor.chat.getByRole("button", { name: "Stop (Esc)" }).waitFor();
  await editor.composer.press("Escape");
  await editor.idle();
});

step("a server that is restarted in mid-answer leaves the part, and queued texts come back", async () => {
  await editor.ask("never end, please");
  await editor.transcript.locator("article.streaming", { hasText: "I begin and" }).waitFor();
  await editor.ask("said in the meantime");
  await editor.chat.locator(".queued", { hasText: "said in the meantime" }).waitFor();
  await editor.command("pi: Restart Server");
  await editor.chat.getByRole("button", { name: "Continue" }).waitFor();
  await editor.composed("said in the meantime");
  await editor.composer.fill("");
});

step("with the chat hidden, a question comes as a notification, and its answer counts", async () => {
  await editor.ask("wait and run something");
  await editor.transcript.getByText("Soon").waitFor();
  await editor.command("View: Toggle Primary Side Bar Visibility");
  const notification = editor.page.locator(".notification-toast", { hasText: "pi asks: Run echo from afar" });
  await notification.waitFor();
  await editor.picture("notification");
  await notification.getByRole("button", { name: "Allow", exact: true }).click();
  await editor.page.locator(".notification-toast", { hasText: "pi is done." }).waitFor();
  await editor.openChat();
  await editor.chat.getByRole("button", { name: /^Run echo from afar, done/ }).waitFor();
});

step("no key is in a session file", async () => {
  for (const file of await sessionFiles(folder)) {
    assert.ok(!(await readFile(file, "utf8")).includes(KEY));
  }
});

async function sessionFiles(of: string): Promise<string[]> {
  const directory = path.join(of, ".pi/sessions");
  return (await readdir(directory))
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => path.join(directory, name));
}
