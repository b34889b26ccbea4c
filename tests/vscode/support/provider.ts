/** The scripted provider (tests/messages_api) as a process of its own. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { REPOSITORY } from "./codeServer.ts";

const PYTHON = path.join(REPOSITORY, ".venv/bin/python");
export const KEY = "sk-ant-test-0123456789";

/** One reply; see `python -m tests.messages_api --help`. */
export interface Reply {
  when?: string;
  text?: string;
  thinking?: string;
  toolCalls?: { name: string; arguments: Record<string, unknown> }[];
  pieces?: number;
  delayMs?: number;
  hang?: boolean;
  error?: { status: number; type: string; message: string };
}

export class Provider {
  readonly url: string;
  private readonly child: ChildProcess;
  private readonly directory: string;

  private constructor(url: string, child: ChildProcess, directory: string) {
    this.url = url;
    this.child = child;
    this.directory = directory;
  }

  static async start(replies: Reply[]): Promise<Provider> {
    const directory = await mkdtemp(path.join(tmpdir(), "pi-provider-"));
    const script = path.join(directory, "script.json");
    await writeFile(script, JSON.stringify({ replies, otherwise: { text: "Understood." } }));
    const record = path.join(directory, "requests.jsonl");
    await writeFile(record, "");
    const args = ["-m", "tests.messages_api", "--script", script, "--record", record, "--key", KEY];
    const child = spawn(PYTHON, args, { cwd: REPOSITORY, stdio: ["pipe", "pipe", "inherit"] });
    const port = await new Promise<string>((resolve, reject) => {
      createInterface(child.stdout).once("line", resolve);
      child.once("exit", () => reject(new Error("the provider did not start")));
    });
    return new Provider(`http://127.0.0.1:${port}`, child, directory);
  }

  /** The bodies of the requests that came so far. */
  async requests(): Promise<{ messages: { role: string; content: unknown }[] }[]> {
    const text = await readFile(path.join(this.directory, "requests.jsonl"), "utf8");
    return text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { messages: { role: string; content: unknown }[] });
  }

  async stop(): Promise<void> {
    this.child.stdin?.end();
    await new Promise((resolve) => this.child.once("exit", resolve));
    await rm(this.directory, { recursive: true, force: true });
  }
}
