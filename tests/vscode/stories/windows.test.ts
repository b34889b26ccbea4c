/** Windows of all kinds: without a server, without a folder, restricted, a second one, several folders. */

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import * as path from "node:path";
import { after, test } from "node:test";
import { CodeServer, type CodeServerOptions, REPOSITORY } from "../support/codeServer.ts";
import { closeBrowser, Editor } from "../support/editor.ts";

/** Opens a folder in a window of its own. */
type OpenWindow = (folder: string) => Promise<Editor>;

/** A test with a code-server of its own; when it fails, pictures of its windows are kept. */
function windowTest(
  name: string,
  options: CodeServerOptions,
  story: (server: CodeServer, open: OpenWindow) => Promise<void>,
): void {
  void test(name, async () => {
    const server = await CodeServer.start(options);
    const windows: Editor[] = [];
    const open: OpenWindow = async (folder) => {
      const editor = await Editor.open(server.url, folder);
      windows.push(editor);
      return editor;
    };
    try {
      await story(server, open);
    } catch (error) {
      const slug = name.replace(/\W+/g, "-").slice(0, 60);
      for (const [index, editor] of windows.entries()) await editor.picture(`failed-${slug}-${index}`);
      throw error;
    } finally {
      for (const editor of windows) await editor.close();
      await server.stop();
    }
  });
}

windowTest(
  "without a server a card says what was looked for, and Install makes one",
  { findServer: true, machine: { "pi.server.installFrom": REPOSITORY } },
  async (server, open) => {
    const editor = await open(await server.folder("fresh", { "README.md": "# Fresh\n" }));
    await editor.command("pi: Open Chat");
    await editor.chat.getByText("Install the server").waitFor();
    await editor.chat.getByText("pi-lsp on the PATH").waitFor();
    await editor.picture("install");
    await editor.chat.getByRole("button", { name: "Install" }).click();
    await editor.chat.getByText("Installing the server").waitFor();
    await editor.composer.waitFor({ timeout: 240_000 });
    await editor.ask("read README.md");
    await editor.transcript.getByText("Its title is").waitFor();
  },
);

windowTest(
  "a folder that is not trusted is restricted, and says so",
  { settings: { "security.workspace.trust.enabled": true } },
  async (server, open) => {
    const editor = await open(await server.folder("strange", { "README.md": "# Strange\n" }));
    await editor.openChat();
    await editor.chat.getByText("Restricted mode").waitFor();
    await editor.picture("restricted");
    await editor.chat.getByRole("button", { name: "Manage" }).click();
    await editor.page
      .locator(".workspace-trust-editor")
      .getByRole("button", { name: "Trust", exact: true })
      .click();
    await editor.chat.getByText("Restricted mode").waitFor({ state: "hidden" });
  },
);

windowTest("a window without a folder says that one is needed", {}, async (_server, open) => {
  const editor = await open("");
  await editor.command("pi: Open Chat");
  await editor.chat.getByRole("button", { name: "Open Folder" }).waitFor();
  await editor.picture("no-folder");
});

windowTest(
  "a second window on the same folder gets a session of its own, and is told why",
  {},
  async (server, open) => {
    const folder = await server.folder("shared", { "README.md": "# Shared\n" });
    const first = await open(folder);
    await first.openChat();
    await first.ask("read README.md");
    await first.transcript.getByText("Its title is").waitFor();
    const second = await open(folder);
    await second.openChat();
    await second.chat.locator(".notice-line").first().waitFor();
    await second.picture("second-window");
    await second.ask("list the files");
    await second.idle();
    assert.equal(await first.transcript.getByText("list the files").count(), 0);
  },
);

windowTest("several folders: the chat follows the editor, and can be pinned", {}, async (server, open) => {
  await server.folder("one", { "one.md": "# One\n" });
  const two = await server.folder("two", { "two.md": "# Two\n" });
  const workspace = path.join(path.dirname(two), "both.code-workspace");
  await writeFile(workspace, JSON.stringify({ folders: [{ path: "one" }, { path: "two" }] }));
  const editor = await open(workspace);
  await editor.openFile("one.md");
  await editor.openChat();
  const shown = (name: string): Promise<void> =>
    editor.chat.locator(".folder-bar .picker", { hasText: name }).waitFor();
  await shown("one");
  await editor.openFile("two.md");
  await shown("two");
  await editor.ask("read two.md");
  await editor.transcript.getByText("Its title is").waitFor();
  await editor.chat.getByRole("button", { name: "Stay with this folder" }).click();
  await editor.openFile("one.md");
  await editor.chat.getByRole("button", { name: "Follow the active editor's folder again" }).waitFor();
  await shown("two");
  await editor.picture("several-folders");
});

after(closeBrowser);
