/** What the palette and the menus offer besides asking, each used once as a person would. */

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import * as path from "node:path";
import { after, before } from "node:test";
import { CodeServer } from "../support/codeServer.ts";
import { closeBrowser, Editor } from "../support/editor.ts";
import { storyOf } from "../support/story.ts";

let server: CodeServer;
let folder: string;
let editor: Editor;
const step = storyOf(() => editor);

before(async () => {
  server = await CodeServer.start();
  folder = await server.folder("garden", { "plants.txt": "rose\ntulip\n", "README.md": "# Garden\n" });
  editor = await Editor.open(server.url, folder, { width: 1280, height: 1000 });
});

after(async () => {
  await closeBrowser();
  await server.stop();
});

function row(text: string) {
  return editor.page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first();
}

step("a question from anywhere shows in the chat", async () => {
  await editor.command("pi: Ask…");
  await editor.type("read README.md");
  await editor.transcript.getByText("Its title is").waitFor();
  await editor.idle();
});

step("a word for later waits as a chip, and goes with the next message", async () => {
  await editor.command("pi: Add to Next Prompt…");
  await editor.type("answer in one line");
  await editor.chat.locator(".queued", { hasText: "Next prompt" }).waitFor();
  await editor.ask("list the files");
  await editor.transcript.locator("article.user", { hasText: "answer in one line" }).waitFor();
  await editor.chat.locator(".queued").waitFor({ state: "detached" });
  await editor.idle();
});

step("with edits allowed, an edit inside the folder asks nothing", async () => {
  await editor.chat.getByRole("button", { name: /^Approval: Ask/ }).click();
  await editor.pick("Allow edits");
  await editor.chat.getByRole("button", { name: /^Approval: Edits/ }).waitFor();
  await editor.ask("replace tulip with daisy in plants.txt");
  await editor.chat.getByRole("button", { name: /^Edit plants\.txt, done/ }).waitFor();
  await editor.idle();
  assert.equal(await readFile(path.join(folder, "plants.txt"), "utf8"), "rose\ndaisy\n");
});

step("the differences of an edit that did not ask open as a text", async () => {
  const edit = editor.chat.locator(".tool", { hasText: "plants.txt" }).last();
  await edit.getByRole("button", { name: "Open Diff" }).click();
  await editor.page.locator(".tab.active", { hasText: "plants.txt (edited by pi)" }).waitFor();
  await editor.command("View: Close Editor");
});

step("a session has a name", async () => {
  await editor.command("pi: Rename Session…");
  await editor.type("Daisies");
  await editor.section("Sessions");
  await editor.page.getByRole("treeitem").filter({ hasText: "Daisies" }).waitFor();
});

step("a message gets a label, and its text can be copied", async () => {
  await editor.section("Branches");
  const message = editor.page.getByRole("treeitem").filter({ hasText: "list the files" });
  await message.hover();
  await message.getByRole("button", { name: "Label…" }).click();
  await editor.type("the list");
  await message.filter({ hasText: "⚑ the list" }).waitFor();
  await message.click({ button: "right" });
  await editor.page.getByRole("menuitem", { name: "Copy Text" }).click();
  await editor.picture("label");
});

step("statistics and health are a glance away", async () => {
  await editor.command("pi: Show Statistics");
  await row("Your messages").waitFor();
  await editor.picture("statistics");
  await editor.page.keyboard.press("Escape");
  await editor.command("pi: Check Health");
  await row("server").waitFor();
  await editor.picture("health");
  await editor.page.keyboard.press("Escape");
});

step("queue modes and thinking have their pickers", async () => {
  await editor.command("pi: Select Queue Modes…");
  await editor.pick("Steering messages");
  await editor.pick("All");
  await editor.command("pi: Select Queue Modes…");
  await row("Steering messages").filter({ hasText: "all" }).waitFor();
  await editor.page.keyboard.press("Escape");
});

step("the conversation is exported", async () => {
  await editor.command("pi: Export Session…");
  await editor.pick("Markdown");
  const target = path.join(folder, "daisies.md");
  const input = editor.page.locator(".quick-input-widget input[type=text]");
  await input.fill(target);
  await editor.page.locator(".quick-input-widget").getByRole("button", { name: "OK" }).click();
  await editor.page.locator(".notification-toast", { hasText: "Exported to" }).waitFor();
  assert.match(await readFile(target, "utf8"), /replace tulip with daisy/);
});

step("a new session begins empty; the old one is a pick away", async () => {
  await editor.command("pi: New Session");
  await editor.chat.getByText("What should be done in garden?").waitFor();
  await editor.ask("read plants.txt");
  await editor.idle();
  await editor.command("pi: Switch Session…");
  await editor.pick("Daisies");
  await editor.transcript.locator("article.user", { hasText: "list the files" }).waitFor();
});

step("another session is deleted after a question", async () => {
  const other = editor.page.getByRole("treeitem").filter({ hasText: "read plants.txt" }).last();
  await other.hover();
  await other.getByRole("button", { name: "Delete Session…" }).click();
  await editor.page.locator(".monaco-dialog-box").getByRole("button", { name: "Delete" }).click();
  await other.waitFor({ state: "detached" });
  const left = (await readdir(path.join(folder, ".pi/sessions"))).filter((name) => name.endsWith(".jsonl"));
  assert.equal(left.length, 1);
});

step("a report is copied that holds nothing private", async () => {
  await editor.command("pi: Copy Debug Information");
  await editor.page.locator(".notification-toast", { hasText: "It holds no keys" }).waitFor();
  const report = await editor.page.evaluate(() => navigator.clipboard.readText());
  assert.match(report, /"server": "pi-lsp/);
  assert.doesNotMatch(report, /Daisies|plants/);
});
