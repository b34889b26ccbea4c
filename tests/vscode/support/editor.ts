/** A person at VS Code: what they press, click and see. */

import { mkdir } from "node:fs/promises";
import * as path from "node:path";
import {
  type Browser,
  type BrowserContext,
  chromium,
  type FrameLocator,
  type Locator,
  type Page,
} from "playwright-core";
import { REPOSITORY } from "./codeServer.ts";

export const PICTURES = path.join(REPOSITORY, "artifacts/vscode");
/** How long anything may take; longer on a machine that has much else to do. */
const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 60_000);

let browser: Browser | undefined;

/** One browser for all stories of a file. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  browser ??= await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  return browser;
}

export async function closeBrowser(): Promise<void> {
  await browser?.close();
  browser = undefined;
}

export class Editor {
  readonly page: Page;
  readonly chat: FrameLocator;
  private readonly context: BrowserContext;
  private readonly address: string;

  private constructor(page: Page, context: BrowserContext, address: string) {
    this.page = page;
    this.context = context;
    this.address = address;
    this.chat = page.frameLocator("iframe.webview.ready").frameLocator("#active-frame");
  }

  /** Open a folder (or a workspace file) in a window. */
  static async open(url: string, folder: string, size = { width: 1280, height: 800 }): Promise<Editor> {
    const context = await (
      await openBrowser()
    ).newContext({ viewport: size, permissions: ["clipboard-read", "clipboard-write"] });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const kind = folder.endsWith(".code-workspace") ? "workspace" : "folder";
    const editor = new Editor(
      page,
      context,
      folder === "" ? `${url}/?ew=true` : `${url}/?${kind}=${encodeURIComponent(folder)}`,
    );
    await editor.load();
    return editor;
  }

  async load(): Promise<void> {
    await this.page.goto(this.address);
    await this.page.locator(".monaco-workbench").waitFor();
    await this.page.locator(".statusbar-item").first().waitFor();
  }

  /** Reload the window in the middle of whatever goes on, as a person would, and open the chat. */
  async reload(): Promise<void> {
    await this.load();
    await this.openChat();
  }

  async close(): Promise<void> {
    await this.context.close();
  }

  /** Run a command by its name in the palette. */
  async command(title: string): Promise<void> {
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first();
    const attempts = 10;
    const timeout = PATIENCE_MS / attempts;
    // A window that has just opened may not know the extension's commands yet, and what opens
    // meanwhile may take the focus, which closes the palette.
    for (let attempt = 1; ; attempt++) {
      await this.page.keyboard.press("F1");
      try {
        await this.page.locator(".quick-input-widget input[type=text]").fill(`>${title}`, { timeout });
        await row.click({ timeout });
        return;
      } catch (error) {
        if (attempt === attempts) throw error;
        await this.page.keyboard.press("Escape");
      }
    }
  }

  async openChat(): Promise<void> {
    await this.command("pi: Open Chat");
    await this.composer.waitFor();
  }

  /** Open a file of the folder by the quick open. */
  async openFile(name: string): Promise<void> {
    await this.command("Go to File");
    await this.page.locator(".quick-input-widget input[type=text]").fill(name);
    await this.page.locator(`.quick-input-list .monaco-list-row[aria-label^="${name}"]`).first().click();
    await this.page.locator(".tab.active", { hasText: name }).waitFor();
  }

  get composer(): Locator {
    return this.chat.getByRole("textbox", { name: "Message to pi" });
  }

  get approval(): Locator {
    return this.chat.getByRole("region", { name: "Questions" });
  }

  get transcript(): Locator {
    return this.chat.getByRole("log", { name: "Conversation" });
  }

  /** The text of the active editor, as it is shown. */
  get editorText(): Locator {
    return this.page.locator(".editor-instance .view-lines").first();
  }

  async ask(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.composer.press("Enter");
  }

  /** Wait until this stands in the composer. */
  async composed(text: string | RegExp): Promise<void> {
    const until = Date.now() + PATIENCE_MS;
    const fits = (value: string): boolean => (typeof text === "string" ? value === text : text.test(value));
    for (let value = ""; ; await this.page.waitForTimeout(50)) {
      value = await this.composer.inputValue();
      if (fits(value)) return;
      if (Date.now() > until) throw new Error(`the composer says “${value}”, not ${String(text)}`);
    }
  }

  /** Wait until nothing runs. */
  async idle(): Promise<void> {
    await this.chat.locator(".activity").waitFor({ state: "hidden" });
    await this.chat.getByRole("button", { name: "Stop (Esc)" }).waitFor({ state: "hidden" });
  }

  /** Choose an item of a quick pick. */
  async pick(label: string): Promise<void> {
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: label }).first().click();
  }

  /** Type into an input box at the top. */
  async type(text: string): Promise<void> {
    const input = this.page.locator(".quick-input-widget input").last();
    await input.fill(text);
    await input.press("Enter");
  }

  /** Open or close a section of the view, such as Branches. */
  async section(name: string, open = true): Promise<void> {
    const header = this.page.getByRole("button", { name: `${name} Section` });
    if ((await header.getAttribute("aria-expanded")) !== String(open)) await header.click();
  }

  /** Choose a colour theme by its name; `kind` is the class that the workbench then has. */
  async useTheme(name: string, kind: string): Promise<void> {
    await this.command("Preferences: Color Theme");
    await this.page.locator(".quick-input-widget input[type=text]").fill(name);
    await this.page.locator(`.quick-input-list .monaco-list-row[aria-label^="${name}"]`).first().click();
    await this.page.locator(`.monaco-workbench.${kind}`).waitFor();
    await this.chat.locator("body[data-vscode-theme-kind]").waitFor();
    await this.page.waitForTimeout(500); // the webview draws in the new colours a moment later
  }

  /** Make the side bar as wide as a person would who works with the chat. */
  async widen(by: number): Promise<void> {
    const box = await this.page.locator(".part.sidebar").boundingBox();
    if (!box) throw new Error("there is no side bar");
    const edge = { x: box.x + box.width + 2, y: box.y + box.height / 2 };
    await this.page.mouse.move(edge.x, edge.y);
    await this.page.mouse.down();
    await this.page.mouse.move(edge.x + by, edge.y, { steps: 5 });
    await this.page.mouse.up();
    await this.page.mouse.move(edge.x + by + 200, 20);
  }

  /** Keep a picture of the window. */
  async picture(name: string): Promise<void> {
    await mkdir(PICTURES, { recursive: true });
    await this.page.screenshot({ path: path.join(PICTURES, `${name}.png`) });
  }
}
