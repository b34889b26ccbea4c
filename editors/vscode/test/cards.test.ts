import { beforeEach, describe, expect, it, vi } from "vitest";
import { ApprovalDock } from "../webview/approvalDock";
import { attachAgain, sentAttachment } from "../webview/attachmentText";
import { Notices } from "../webview/notices";
import { ServerCard } from "../webview/serverCard";
import { Tail } from "../webview/tail";
import { state } from "./examples";
import { FakeHost } from "./fakeHost";

const command = {
  toolCallId: "c1",
  toolName: "bash",
  args: { command: "rm -r build" },
  title: "Run rm -r build",
};
const edit = {
  toolCallId: "c2",
  toolName: "edit",
  args: { path: "a.py" },
  title: "Edit a.py",
  diff: "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n",
  beforeUri: "pi:/before/c2/a.py",
  afterUri: "pi:/after/c2/a.py",
};

let host: FakeHost;

beforeEach(() => {
  host = new FakeHost();
});

describe("the card of a question", () => {
  let dock: ApprovalDock;

  beforeEach(() => {
    dock = new ApprovalDock(host.asHost, vi.fn(), vi.fn());
    document.body.replaceChildren(dock.element);
  });

  function press(key: string): void {
    dock.focus();
    document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  }

  it("shows the whole command, and takes no focus", () => {
    dock.update(state({ pendingApprovals: [command] }));
    expect(dock.element.querySelector("pre")?.textContent).toBe("rm -r build");
    expect(dock.element.contains(document.activeElement)).toBe(false);
  });

  it.each([
    ["a", "allow"],
    ["s", "allowSession"],
    ["A", "allowAlways"],
  ])("is answered by the key %s", (key, decision) => {
    dock.update(state({ pendingApprovals: [command] }));
    press(key);
    expect(host.lastSent("approve")).toEqual({
      type: "approve",
      toolCallId: "c1",
      decision,
      reason: undefined,
    });
  });

  it("asks why when the answer is no", () => {
    dock.update(state({ pendingApprovals: [command] }));
    press("d");
    const why = dock.element.querySelector("input")!;
    expect(document.activeElement).toBe(why);
    why.value = "not the build folder";
    why.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    expect(host.lastSent("approve")).toMatchObject({ decision: "deny", reason: "not the build folder" });
  });

  it("types letters into the reason instead of answering by them", () => {
    dock.update(state({ pendingApprovals: [command] }));
    press("d");
    dock.element
      .querySelector("input")!
      .dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true }));
    expect(host.lastSent("approve")).toBeUndefined();
  });

  it("shows an edit as its differences, and opens them in the editor", () => {
    dock.update(state({ pendingApprovals: [edit] }));
    expect(dock.element.querySelectorAll(".line.added, .line.removed")).toHaveLength(2);
    [...dock.element.querySelectorAll("button")]
      .find((button) => button.textContent === "Open Diff")
      ?.click();
    expect(host.lastSent("openDiff")).toMatchObject({ beforeUri: edit.beforeUri, afterUri: edit.afterUri });
  });

  it("shows one question after the other, and goes when none is left", () => {
    dock.update(state({ pendingApprovals: [command, edit] }));
    expect(dock.element.textContent).toContain("1 more");
    dock.update(state({ pendingApprovals: [edit] }));
    expect(dock.element.textContent).toContain("Edit a.py");
    dock.update(state());
    expect(dock.element.hidden).toBe(true);
    expect(dock.diffOf("c2")).toBeDefined();
  });
});

describe("what stands below the conversation", () => {
  it("says what goes on, and offers to go on", () => {
    const tail = new Tail(host.asHost);
    tail.update(state({ phase: "turn" }));
    expect(tail.element.textContent).toContain("Working");
    tail.update(
      state({ phase: "turn", retry: { attempt: 1, maxAttempts: 3, delayMs: 2000, error: "Overloaded" } }),
    );
    expect(tail.element.textContent).toContain("Overloaded — trying again in 2 s (1 of 3)");
    tail.update(state({ canContinue: true }));
    expect(tail.element.querySelector(".activity")).toHaveProperty("hidden", true);
    tail.element.querySelector<HTMLElement>(".proceed button")?.click();
    expect(host.commands).toEqual(["pi.continue"]);
  });

  it("offers a key and the demo model when a key is missing", () => {
    const tail = new Tail(host.asHost);
    tail.showProblem("There is no key for anthropic.", "auth");
    for (const button of tail.element.querySelectorAll<HTMLElement>(".problem button")) button.click();
    expect(host.commands).toEqual(["pi.setApiKey", "pi.useDemoModel", "pi.showLogs"]);
    expect(tail.element.querySelector(".problem")).toHaveProperty("hidden", true);
  });
});

describe("notices and the server's card", () => {
  it("says once what should be known, until it is dismissed", () => {
    const notices = new Notices(host.asHost);
    notices.update(state({ trusted: false, warnings: ["Line 7 of the session is damaged."] }));
    expect(notices.element.querySelectorAll(".notice-line")).toHaveLength(2);
    for (const button of notices.element.querySelectorAll<HTMLElement>("[aria-label=Dismiss]"))
      button.click();
    notices.update(state({ trusted: false, warnings: ["Line 7 of the session is damaged."] }));
    expect(notices.element.hidden).toBe(true);
  });

  it("says where the server was looked for, and helps", () => {
    const card = new ServerCard(host.asHost);
    card.update({ kind: "missing", lookedFor: ["pi-lsp on the PATH"] });
    expect(card.element.textContent).toContain("pi-lsp on the PATH");
    for (const button of card.element.querySelectorAll("button")) button.click();
    expect(host.commands).toEqual(["pi.installServer", "pi.restartServer", "pi.openSettings"]);
    card.update({ kind: "running" });
    expect(card.element.hidden).toBe(true);
  });
});

describe("an attachment of a sent message", () => {
  it("is read from its text, and can be attached again", () => {
    const sent = sentAttachment('<file path="src/my file.py" lines="3-5">\ncode\n</file>');
    expect(sent).toMatchObject({ label: "src/my file.py:3-5", target: "src/my file.py:3" });
    expect(sent && attachAgain(sent, "file:///folder")).toEqual({
      uri: "file:///folder/src/my%20file.py",
      label: "src/my file.py:3-5",
      range: { start: { line: 2, character: 0 }, end: { line: 5, character: 0 } },
    });
    expect(sentAttachment("just words")).toBeUndefined();
  });
});
