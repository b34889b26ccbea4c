/** A conversation of 5,000 messages: opened from its end, older parts on demand, smooth while it streams. */

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import * as path from "node:path";
import { after, before } from "node:test";
import { CodeServer } from "../support/codeServer.ts";
import { closeBrowser, Editor } from "../support/editor.ts";
import { KEY, Provider } from "../support/provider.ts";
import { storyOf } from "../support/story.ts";

const MESSAGES = 5000;
const LONG = Array.from({ length: 120 }, (_, i) => `Paragraph ${i} has **bold** text and \`code\`.`).join(
  "\n\n",
);

let provider: Provider;
let server: CodeServer;
let editor: Editor;
const step = storyOf(() => editor);

before(async () => {
  provider = await Provider.start([
    { when: "^stream", text: `${LONG}\n\nThe end.`, pieces: 4000, delayMs: 2 },
  ]);
  server = await CodeServer.start({
    machine: { "pi.providers.anthropic.baseUrl": provider.url },
    environment: { ANTHROPIC_API_KEY: KEY },
  });
  const folder = await server.folder("long", { "README.md": "# Long\n" });
  await writeSession(folder);
  editor = await Editor.open(server.url, folder);
});

after(async () => {
  await closeBrowser();
  await server.stop();
  await provider.stop();
});

step("it is drawn from its end, and only what is seen", async () => {
  await editor.openChat();
  await editor.transcript.getByText(`Answer ${MESSAGES / 2 - 1} `).waitFor();
  const drawn = await editor.transcript.locator(".item").count();
  assert.ok(drawn <= 160, `${drawn} items are drawn`);
  // Measured from the moment at which the chat asks until the newest message is on the screen.
  await editor.command("Developer: Reload Webviews");
  const begun = Date.now();
  await editor.transcript.getByText(`Answer ${MESSAGES / 2 - 1} `).waitFor();
  console.log(`  drawn again ${Date.now() - begun} ms after the view was thrown away`);
});

step("scrolling up brings older messages, and the place stays", async () => {
  await editor.transcript.hover();
  for (let i = 0; i < 12; i++) await editor.page.mouse.wheel(0, -3000);
  await editor.chat.locator(".item").nth(200).waitFor({ state: "attached" });
  await editor.chat.getByRole("button", { name: "Go to the newest message" }).click();
  await editor.transcript.getByText(`Answer ${MESSAGES / 2 - 1} `).waitFor();
});

step("typing stays smooth while an answer streams", async () => {
  await editor.ask("stream it");
  await editor.transcript.getByText("Paragraph 2 ").waitFor();
  const slowest = await editor.chat.locator("body").evaluate(async () => {
    let [last, worst] = [performance.now(), 0];
    for (let frame = 0; frame < 120; frame++) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      worst = Math.max(worst, now - last);
      last = now;
    }
    return worst;
  });
  console.log(`  the slowest of 120 frames took ${Math.round(slowest)} ms`);
  await editor.composer.pressSequentially("typed meanwhile");
  await editor.composed("typed meanwhile");
  await editor.composer.fill("");
  await editor.transcript.getByText("The end.").waitFor();
  await editor.idle();
});

step("Branches shows all of it, and finds a message", async () => {
  await editor.command("pi: Search Branches");
  await editor.page.locator(".quick-input-widget input[type=text]").fill("Question 17 ");
  await editor.page
    .locator(".quick-input-list .monaco-list-row", { hasText: "Question 17 " })
    .first()
    .click();
  await editor.pick("Show in the Chat");
  await editor.transcript.locator("article.user", { hasText: /^Question 17 about/ }).waitFor();
});

async function writeSession(folder: string): Promise<void> {
  const id = "019b0000-0000-7000-8000-000000000001";
  const timestamp = "2026-01-31T09:15:02.118Z";
  const lines: object[] = [{ type: "session", version: 3, id, timestamp, cwd: folder }];
  let parentId: string | null = null;
  for (let i = 0; i < MESSAGES; i++) {
    const entryId = (i + 1).toString(16).padStart(8, "0");
    lines.push({
      type: "message",
      id: entryId,
      parentId,
      timestamp,
      message: i % 2 ? answer(i >> 1) : question(i >> 1),
    });
    parentId = entryId;
  }
  const directory = path.join(folder, ".pi/sessions");
  await mkdir(directory, { recursive: true });
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  await writeFile(path.join(directory, `2026-01-31T09-15-02-118Z_${id}.jsonl`), text);
}

function question(number: number): object {
  return {
    role: "user",
    content: [{ type: "text", text: `Question ${number} about the code` }],
    timestamp: 1769850902118,
  };
}

function answer(number: number): object {
  const text = `Answer ${number} with **some** Markdown.\n\n\`\`\`python\nprint(${number})\n\`\`\`\n\n- one\n- two`;
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return {
    role: "assistant",
    content: [{ type: "text", text }],
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-sonnet-5-5",
    usage: { input: 10, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: 20, cost },
    stopReason: "stop",
    timestamp: 1769850902118,
  };
}
