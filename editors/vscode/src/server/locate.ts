/**
 * Looks for the server, in this order: the command of the setting `pi.server.command`; the Python of
 * the private environment that the Install button makes; a Python on the PATH that has the package;
 * `pi-lsp` on the PATH. Folders of the workspace are never looked into.
 */

import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import * as path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const CHECK_TIMEOUT_MS = 15_000;

/** How to start the server. */
export interface ServerCommand {
  command: string;
  args: string[];
}

/** Where the search looked, for the person, and what it found. */
export interface Search {
  found?: ServerCommand;
  lookedFor: string[];
}

export interface Places {
  /** The setting: a program and its arguments. */
  configured: readonly string[];
  /** The folder of the private virtual environment. */
  environment: string;
  /** A folder that belongs to the extension; programs are started there. */
  workingFolder: string;
}

/** Find the server; never throws. */
export async function locateServer(places: Places): Promise<Search> {
  const [program, ...args] = places.configured;
  if (program) {
    const command = path.isAbsolute(program) ? program : await onPath(program);
    const lookedFor = [`the command of the setting pi.server.command: ${places.configured.join(" ")}`];
    return command && (await isProgram(command)) ? { found: { command, args }, lookedFor } : { lookedFor };
  }
  const own = environmentPython(places.environment);
  const lookedFor = ["a server installed by the extension"];
  if (await hasPackage(own, places.workingFolder)) return { found: asModule(own), lookedFor };
  for (const name of ["python3", "python"]) {
    lookedFor.push(`${name} on the PATH, with the package pi-lsp`);
    const python = await onPath(name);
    if (python && (await hasPackage(python, places.workingFolder))) {
      return { found: asModule(python), lookedFor };
    }
  }
  lookedFor.push("pi-lsp on the PATH");
  const script = await onPath("pi-lsp");
  return script ? { found: { command: script, args: [] }, lookedFor } : { lookedFor };
}

/** The Python of a virtual environment. */
export function environmentPython(environment: string): string {
  return process.platform === "win32"
    ? path.join(environment, "Scripts", "python.exe")
    : path.join(environment, "bin", "python");
}

/** The absolute path of a program on the PATH. Relative parts of the PATH are passed over. */
export async function onPath(name: string): Promise<string | undefined> {
  const extensions = process.platform === "win32" ? (process.env.PATHEXT ?? ".EXE").split(";") : [""];
  for (const folder of (process.env.PATH ?? "").split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    for (const extension of extensions) {
      const candidate = path.join(folder, name + extension);
      if (await isProgram(candidate)) return candidate;
    }
  }
  return undefined;
}

function asModule(python: string): ServerCommand {
  return { command: python, args: ["-m", "pi_lsp"] };
}

async function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function hasPackage(python: string, workingFolder: string): Promise<boolean> {
  if (!(await isProgram(python))) return false;
  const check = ["-c", "import importlib.util as u, sys; sys.exit(u.find_spec('pi_lsp') is None)"];
  return run(python, check, { cwd: workingFolder, timeout: CHECK_TIMEOUT_MS }).then(
    () => true,
    () => false,
  );
}
