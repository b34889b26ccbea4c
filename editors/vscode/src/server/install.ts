/** Installs the server into a private virtual environment in the extension's storage. */

import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { environmentPython, onPath } from "./locate";

export interface Installation {
  /** The folder to make. */
  environment: string;
  /** What pip is asked for: a requirement, a file or a URL. */
  requirement: string;
  /** Gets each line that the tools print. */
  onLine: (line: string) => void;
  /** Stops the installation. */
  signal: AbortSignal;
}

/**
 * Make the environment and install the package; a failed attempt leaves nothing behind.
 *
 * @throws Error with a sentence that says what to do.
 */
export async function installServer(installation: Installation): Promise<void> {
  const python = (await onPath("python3")) ?? (await onPath("python"));
  if (!python) {
    throw new Error("No Python was found on the PATH. Install Python 3.10 or newer and try again.");
  }
  const { environment, requirement } = installation;
  try {
    await runTool(python, ["-m", "venv", "--clear", environment], installation);
    const pip = ["-m", "pip", "install", "--disable-pip-version-check", "--upgrade", requirement];
    await runTool(environmentPython(environment), pip, installation);
  } catch (error) {
    await rm(environment, { recursive: true, force: true });
    throw error;
  }
}

function runTool(program: string, args: string[], { onLine, signal }: Installation): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { signal, stdio: ["ignore", "pipe", "pipe"] });
    let last = "";
    const take = (chunk: Buffer): void => {
      for (const line of chunk.toString().split(/\r?\n/)) {
        if (line.trim() === "") continue;
        last = line.trim();
        onLine(last);
      }
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`Installing the server failed: ${last || `exit code ${code}`}`));
    });
  });
}
