/** A person's first minutes, on the demo model: ask, watch, look at a change, allow it, undo it. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import * as path from "node:path";
import { after, before } from "node:test";
import { CodeServer } from "../support/codeServer.ts";
import { closeBrowser, Editor } from "../support/editor.ts";
import { storyOf } from "../support/story.ts";

const FILES = {
  "README.md": "# Shop\n\nA small shop in Python.\n",
  "app.py": 'def greet(name):\n    return "Hello, " + name\n\n\nprint(greet("world"))\n',
  "notes.txt": "one\ntwo\nthree\n",
};

let server: CodeServer;
let folder: string;
let editor: Editor;
const step = storyOf(() => editor);

before(async () => {
  server = await CodeServer.start();
  folder = await server.folder("shop", FILES);
  editor = await Editor.open(server.url, folder);
});

after(async () => {
  await closeBrowser();
  await server.stop();
});

step("an empty chat says how to begin, and that a key is missing", async () => {
  await editor.openFile("app.py");
  await editor.openChat();
  await editor.chat.getByText("What should be done in shop?").waitFor();
  await editor.chat.getByText("No API key yet").waitFor();
  await editor.picture("welcome");
});

step(
  "a suggestion goes to the composer, Enter sends it, and the answer streams with its tool call",
  async () => {
    await editor.chat.getByRole("button", { name: "Read README.md and say what this is" }).click();
    await editor.composer.press("Enter");
    await editor.chat.getByRole("button", { name: /^Read README\.md.*done/ }).waitFor();
    await editor.transcript.getByText("Its title is").waitFor();
    await editor.idle();
    await editor.picture("answer");
  },
);

step("a path in an answer opens the file", async () => {
  await editor.transcript.locator("a.path", { hasText: "README.md" }).first().click();
  await editor.page.locator(".tab.active", { hasText: "README.md" }).waitFor();
  await editor.openFile("app.py");
});

step("an edit asks with its differences, and Open Diff shows them in the editor", async () => {
  await editor.ask("replace Hello with Goodbye in app.py");
  await editor.approval.getByText("Edit app.py").waitFor();
  await editor.approval.locator(".line.added", { hasText: "Goodbye" }).waitFor();
  await editor.picture("approval");
  await editor.approval.getByRole("button", { name: "Open Diff" }).click();
  await editor.page.locator(".monaco-diff-editor").waitFor();
  await editor.picture("diff");
  await editor.command("View: Close Editor");
  assert.ok(await editor.approval.isVisible(), "closing the diff decides nothing");
});

step("a key on the card allows it; the change appears in the open editor and is saved", async () => {
  await editor.openFile("app.py");
  await editor.command("pi: Show Question");
  await editor.approval.getByRole("button", { name: "Allow" }).press("a");
  await editor.editorText.getByText("Goodbye").waitFor();
  await editor.idle();
  const saved = await readFile(path.join(folder, "app.py"), "utf8");
  assert.match(saved, /return "Goodbye, "/);
  await editor.chat.locator(".tool .counts", { hasText: "+1" }).waitFor();
  await editor.picture("edited");
});

step("one undo takes the edit back", async () => {
  await editor.editorText.click();
  await editor.page.keyboard.press("Control+Z");
  await editor.editorText.getByText("Hello").waitFor();
});

step("denying tells the agent why, and nothing changes", async () => {
  await editor.ask("replace two with 2 in notes.txt");
  await editor.approval.getByRole("button", { name: /^Deny/ }).click();
  const why = editor.approval.getByRole("textbox", { name: /Why not/ });
  await why.fill("leave my notes alone");
  await why.press("Enter");
  await editor.idle();
  await editor.chat.getByRole("button", { name: /^Edit notes\.txt, failed/ }).waitFor();
  assert.equal(await readFile(path.join(folder, "notes.txt"), "utf8"), FILES["notes.txt"]);
});

step("a command asks with the whole command and shows what it printed", async () => {
  await editor.ask("run `wc -l notes.txt`");
  await editor.approval.getByText("wc -l notes.txt").first().waitFor();
  await editor.composer.press("Control+Enter");
  await editor.chat.getByRole("button", { name: /^Run wc -l notes\.txt, done/ }).click();
  await editor.chat.locator(".tool-text.output", { hasText: "3 notes.txt" }).first().waitFor();
  await editor.idle();
});

step("an own command runs at once, and its output joins the conversation", async () => {
  await editor.ask("!echo from me");
  await editor.chat.locator("article.bash", { hasText: "from me" }).waitFor();
});

step("a mention attaches a file, and the message shows what went with it", async () => {
  await editor.composer.fill("");
  await editor.composer.pressSequentially("read @not");
  await editor.chat.getByRole("option", { name: /notes\.txt/ }).waitFor();
  await editor.composer.press("Enter");
  await editor.chat.locator(".box .chip", { hasText: "notes.txt" }).waitFor();
  await editor.picture("mention");
  await editor.composer.press("Enter");
  await editor.chat.locator("article.user .chip", { hasText: "notes.txt" }).waitFor();
  await editor.idle();
});

step("a selection is asked about from the editor", async () => {
  await editor.openFile("app.py");
  await editor.editorText.click();
  await editor.page.keyboard.press("Control+A");
  await editor.command("pi: Ask About Selection");
  await editor.chat.locator(".box .chip", { hasText: "app.py:1-5" }).waitFor();
  await editor.chat.getByRole("button", { name: /Remove app\.py/ }).click();
});

step("a code action explains what is selected, and leaves the focus in the editor", async () => {
  await editor.editorText.click();
  await editor.page.keyboard.press("Control+A");
  await editor.page.keyboard.press("Control+.");
  await editor.page.locator(".action-widget").getByText("Explain with pi").click();
  await editor.transcript.locator("article.user", { hasText: "Explain the attached code" }).waitFor();
  await editor.idle();
});

step("the draft survives a reload, and the conversation is drawn again", async () => {
  await editor.composer.fill("half a thought");
  await editor.page.waitForTimeout(600); // drafts are written a moment after the last key
  await editor.reload();
  await editor.composed("half a thought");
  await editor.transcript.getByText("replace Hello with Goodbye").waitFor();
});
