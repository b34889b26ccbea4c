/** The main screens in the themes that people use, narrow and wide. The pictures were looked at. */

import { after, before } from "node:test";
import { CodeServer } from "../support/codeServer.ts";
import { closeBrowser, Editor } from "../support/editor.ts";
import { KEY, Provider } from "../support/provider.ts";
import { storyOf } from "../support/story.ts";

const CART = `from dataclasses import dataclass


@dataclass
class Item:
    name: str
    price: float
    count: int = 1


def total(items: list[Item]) -> float:
    return sum(item.price for item in items)
`;

const ANSWER = `The total forgot the **count**: two loaves cost as much as one. \`total\` in \`src/cart.py:12\` now multiplies it in:

\`\`\`python
def total(items: list[Item]) -> float:
    """The sum of all items, in euros."""
    return sum(item.price * item.count for item in items)
\`\`\`

The test that I added covers

1. an empty cart,
2. several of one item.

| Cart | Before | Now |
| --- | ---: | ---: |
| 2 loaves | 3.20 | 6.40 |
`;

const EDIT = {
  path: "src/cart.py",
  edits: [{ oldText: "item.price for item", newText: "item.price * item.count for item" }],
};

const REPLIES = [
  {
    thinking: "The total is too low when there are several of one item. I should look at the cart first.",
    text: "I'll look at the cart and its tests.",
    toolCalls: [
      { name: "read", arguments: { path: "src/cart.py" } },
      { name: "grep", arguments: { pattern: "total\\(", path: "." } },
    ],
  },
  { text: "The count is not used. I'll fix it.", toolCalls: [{ name: "edit", arguments: EDIT }] },
  { toolCalls: [{ name: "bash", arguments: { command: "python3 -m unittest discover -s tests" } }] },
  { text: ANSWER },
  { text: "`round(total(items), 2)` is enough for showing it; for adding up, `Decimal` is the safer type." },
  { text: "Done: `Item.price` is a `Decimal` now, and `total` starts from `Decimal(0)`." },
];

let provider: Provider;
let server: CodeServer;
let editor: Editor;
const step = storyOf(() => editor);

before(async () => {
  provider = await Provider.start(REPLIES);
  server = await CodeServer.start({
    machine: { "pi.providers.anthropic.baseUrl": provider.url },
    environment: { ANTHROPIC_API_KEY: KEY },
  });
  const folder = await server.folder("bakery", {
    "src/cart.py": CART,
    "tests/test_cart.py":
      "import unittest\n\n\nclass CartTest(unittest.TestCase):\n    def test_empty(self):\n        self.assertEqual(0, 0)\n",
    "README.md": "# Bakery\n",
  });
  editor = await Editor.open(server.url, folder, { width: 1360, height: 860 });
});

after(async () => {
  await closeBrowser();
  await server.stop();
  await provider.stop();
});

step("a real task: thinking, tools, an edit that asks, a command that asks, an answer", async () => {
  await editor.openFile("cart.py");
  await editor.openChat();
  await editor.widen(120);
  await editor.ask("The total in the cart is wrong when I buy two loaves. Find out why and fix it.");
  await editor.approval.locator(".line.added", { hasText: "item.count" }).waitFor();
  await editor.picture("task-approval");
  await editor.composer.press("Control+Enter");
  await editor.approval.getByText("unittest").first().waitFor();
  await editor.picture("task-command");
  await editor.composer.press("Control+Enter");
  await editor.transcript.locator("li", { hasText: "several of one item" }).waitFor();
  await editor.idle();
  await editor.picture("task-dark");
});

for (const [name, theme, kind] of [
  ["light", "Light Modern", "vs"],
  ["high-contrast", "Dark High Contrast", "hc-black"],
  ["high-contrast-light", "Light High Contrast", "hc-light"],
  ["solarized", "Solarized Light", "vs"],
  ["dark", "Dark Modern", "vs-dark"],
] as const) {
  step(`it looks right in ${theme}`, async () => {
    await editor.useTheme(theme, kind);
    await editor.picture(`task-${name}`);
  });
}

step("it branches", async () => {
  await editor.ask("How do I show it with two digits?");
  await editor.transcript.getByText("is enough for showing it").waitFor();
  await editor.idle();
  const question = editor.transcript.locator("article.user", { hasText: "two digits" });
  await question.hover();
  await question.getByRole("button", { name: /^Edit this message/ }).click();
  await editor.ask("Use Decimal for prices.");
  await editor.transcript.getByText("starts from").waitFor();
  await editor.idle();
  await editor.section("Branches");
  await editor.page.getByRole("treeitem").filter({ hasText: "two digits" }).waitFor();
  await editor.page.mouse.move(900, 500);
  await editor.picture("task-branches");
  await editor.section("Branches", false);
});

step("the walkthrough and the settings page are complete", async () => {
  await editor.command("pi: Open Walkthrough");
  await editor.page.getByText("Choose who answers").first().click();
  await editor.page.getByText("Without a key a built-in demo model answers").waitFor();
  await editor.picture("walkthrough");
  await editor.command("pi: Open Settings");
  await editor.page
    .locator(".settings-editor .setting-item-title", { hasText: "Notify When Finished" })
    .first()
    .waitFor();
  await editor.picture("settings");
  await editor.page.keyboard.press("Escape");
  await editor.page.locator(".settings-editor").waitFor({ state: "hidden" });
  await editor.command("View: Close Editor");
});

step("it works in a narrow side bar", async () => {
  await editor.widen(-250);
  await editor.picture("task-narrow");
});

step("and fills a wide one without long lines", async () => {
  await editor.widen(750);
  await editor.picture("task-wide");
});
