import { describe, expect, it } from "vitest";
import { redacted } from "../src/server/redaction";
import { counted, dollars, duration, shortCount, shortName, timeAgo } from "../src/shared/format";
import { bestMatches } from "../src/shared/matching";
import { toolLook } from "../webview/items/toolText";

describe("figures", () => {
  it("are short", () => {
    expect([0, 999, 1200, 12_345, 200_000, 1_000_000].map(shortCount)).toEqual([
      "0",
      "999",
      "1.2k",
      "12k",
      "200k",
      "1M",
    ]);
    expect([0, 0.0004, 0.004, 0.12, 12.3].map(dollars)).toEqual([
      "$0.00",
      "<$0.001",
      "$0.004",
      "$0.12",
      "$12.30",
    ]);
    expect([5, 4200, 59_990, 185_000].map(duration)).toEqual(["5 ms", "4.2 s", "1 min 0 s", "3 min 5 s"]);
    expect([counted(1, "message"), counted(3, "message")]).toEqual(["1 message", "3 messages"]);
    expect(shortName("Demo model (built in)")).toBe("Demo model");
  });

  it("say how long ago something was", () => {
    const now = new Date("2026-05-10T12:00:00Z");
    const ago = (minutes: number): string => timeAgo(new Date(now.getTime() - minutes * 60_000), now);
    expect([0, 5, 180, 1500, 4 * 1440].map(ago)).toEqual([
      "just now",
      "5 min ago",
      "3 h ago",
      "yesterday",
      "4 days ago",
    ]);
  });
});

describe("a file by a few letters", () => {
  const files = ["src/cart.py", "tests/test_cart.py", "docs/index.md", "car.txt"];
  it("is found by its name before its path", () => {
    expect(bestMatches(files, "car", (file) => file)).toEqual([
      "car.txt",
      "src/cart.py",
      "tests/test_cart.py",
    ]);
    expect(bestMatches(files, "zzz", (file) => file)).toEqual([]);
  });
});

describe("a tool call's line", () => {
  it.each([
    ["read", { path: "a.py", offset: 10, limit: 5 }, "Read a.py:10-14"],
    ["bash", { command: "make\nmake test" }, "Run make …"],
    ["grep", { pattern: "x", path: "src" }, "Search “x” in src"],
    ["ls", {}, "List ."],
    ["unheard_of", {}, "unheard_of "],
    ["edit", { path: 3 }, "Edit "],
  ])("%s", (name, args, expected) => {
    const { verb, target } = toolLook(name, args);
    expect(`${verb} ${target}`).toBe(expected);
  });
});

describe("the trace", () => {
  it("never holds a key", () => {
    const lines: string[] = [];
    const channel = { trace: (line: string) => lines.push(line), logLevel: 1 };
    const clean = redacted(channel as never, () => ["sk-secret"]);
    clean.trace('Sending request pi/setApiKey {"key":"sk-secret"}');
    expect(lines).toEqual(['Sending request pi/setApiKey {"key":"…"}']);
    expect(clean.logLevel).toBe(1);
  });
});
