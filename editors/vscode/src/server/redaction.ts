/** Keeps keys out of the trace: at its most talkative the client logs whole messages. */

import type * as vscode from "vscode";

const HIDDEN = "…";

/** A view of a log channel in which no secret is ever written. */
export function redacted(
  channel: vscode.LogOutputChannel,
  secrets: () => Iterable<string>,
): vscode.LogOutputChannel {
  const clean = (text: string): string => {
    let cleaned = text;
    for (const secret of secrets()) {
      if (secret) cleaned = cleaned.replaceAll(secret, HIDDEN);
    }
    return cleaned;
  };
  return new Proxy(channel, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown =>
        Reflect.apply(
          member,
          target,
          args.map((arg) => (typeof arg === "string" ? clean(arg) : arg)),
        );
    },
  });
}
