/** A code-server with the extension installed, on a scratch profile. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { promisify } from "node:util";

export const REPOSITORY = path.resolve(import.meta.dirname, "../../..");
const ENTRY = path.join(import.meta.dirname, "../node_modules/code-server/out/node/entry.js");
const VSIX = path.join(REPOSITORY, "editors/vscode/pi-lsp.vsix");
const VENV = path.join(REPOSITORY, ".venv/bin");
const START_MS = 60_000;

export interface CodeServerOptions {
  settings?: Record<string, unknown>;
  /** Settings with machine scope; the server of the repository's environment is set already. */
  machine?: Record<string, unknown>;
  environment?: Record<string, string>;
  /** Leave the server's command to be found by the extension. */
  findServer?: boolean;
}

export class CodeServer {
  readonly url: string;
  readonly home: string;
  private readonly child: ChildProcess;

  private constructor(url: string, home: string, child: ChildProcess) {
    this.url = url;
    this.home = home;
    this.child = child;
  }

  /** Install the extension into a fresh profile, start, and wait until it answers. */
  static async start(options: CodeServerOptions = {}): Promise<CodeServer> {
    const home = await mkdtemp(path.join(tmpdir(), "pi-vscode-"));
    const data = path.join(home, "data");
    await mkdir(path.join(data, "User"), { recursive: true });
    await writeFile(path.join(data, "User/settings.json"), JSON.stringify(userSettings(options)));
    // In a remote window, which code-server's is, settings with machine scope come from here.
    await mkdir(path.join(data, "Machine"), { recursive: true });
    await writeFile(path.join(data, "Machine/settings.json"), JSON.stringify(machineSettings(options)));
    const env = environment(home, options);
    await promisify(execFile)(
      process.execPath,
      [ENTRY, "--user-data-dir", data, "--install-extension", VSIX],
      { env },
    );
    const port = await freePort();
    const args = [ENTRY, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--user-data-dir", data];
    const quiet = ["--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"];
    const child = spawn(process.execPath, [...args, ...quiet], { env, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.resume();
    child.stderr.resume();
    const server = new CodeServer(`http://127.0.0.1:${port}`, home, child);
    await server.answers();
    return server;
  }

  /** A new folder with files. */
  async folder(name: string, files: Record<string, string>): Promise<string> {
    const folder = path.join(this.home, name);
    for (const [file, content] of Object.entries(files)) {
      const target = path.join(folder, file);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, content);
    }
    return folder;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill("SIGTERM");
    await ended;
    await rm(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  private async answers(): Promise<void> {
    const until = Date.now() + START_MS;
    while (Date.now() < until) {
      if (this.child.exitCode !== null) throw new Error(`code-server ended with code ${this.child.exitCode}`);
      const answered = await fetch(this.url).then(
        (response) => response.ok,
        () => false,
      );
      if (answered) return;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error("code-server does not answer");
  }
}

function userSettings({ settings }: CodeServerOptions): Record<string, unknown> {
  return {
    "security.workspace.trust.enabled": false,
    "workbench.startupEditor": "none",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "chat.disableAIFeatures": true,
    "telemetry.telemetryLevel": "off",
    "extensions.ignoreRecommendations": true,
    "window.menuBarVisibility": "compact",
    "workbench.colorTheme": "Dark Modern",
    ...settings,
  };
}

function machineSettings({ machine, findServer }: CodeServerOptions): Record<string, unknown> {
  return { ...(findServer ? {} : { "pi.server.command": [path.join(VENV, "pi-lsp")] }), ...machine };
}

function environment(home: string, options: CodeServerOptions): NodeJS.ProcessEnv {
  const { ANTHROPIC_API_KEY: _key, VSCODE_IPC_HOOK_CLI: _hook, ...inherited } = process.env;
  return {
    ...inherited,
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, ".config"),
    XDG_DATA_HOME: path.join(home, ".local/share"),
    PI_CODING_AGENT_DIR: path.join(home, "agent"),
    ...options.environment,
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}
