import { beforeEach, describe, expect, it, vi } from "vitest";
import { Composer, type ComposerEvents } from "../webview/composer/composer";
import { HostError } from "../webview/host";
import { state } from "./examples";
import { FakeHost, NoResizeObserver, settled } from "./fakeHost";

vi.stubGlobal("ResizeObserver", NoResizeObserver);

describe("the composer", () => {
  let host: FakeHost;
  let composer: Composer;
  let events: ComposerEvents;
  let field: HTMLTextAreaElement;

  beforeEach(() => {
    host = new FakeHost();
    events = { onError: vi.fn(), onCommand: vi.fn(), onSent: vi.fn() };
    composer = new Composer(host.asHost, events);
    document.body.replaceChildren(composer.element);
    composer.begin("file:///folder", { text: "", images: [], attachments: [] });
    composer.update(state());
    field = composer.element.querySelector("textarea")!;
  });

  function type(text: string): void {
    field.value = text;
    field.dispatchEvent(new InputEvent("input"));
  }

  function press(key: string, options: KeyboardEventInit = {}): KeyboardEvent {
    const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...options });
    field.dispatchEvent(event);
    return event;
  }

  it("sends with Enter, and is empty then", async () => {
    type("hello ");
    press("Enter");
    await settled();
    expect(host.requests).toEqual([{ method: "pi/prompt", params: { text: "hello", whenBusy: "steer" } }]);
    expect(field.value).toBe("");
    expect(events.onSent).toHaveBeenCalledOnce();
  });

  it("leaves Shift+Enter, and Enter that ends a composition, to the field", () => {
    type("hello");
    expect(press("Enter", { shiftKey: true }).defaultPrevented).toBe(false);
    expect(press("Enter", { isComposing: true }).defaultPrevented).toBe(false);
    expect(host.requests).toEqual([]);
  });

  it("sends nothing when there is nothing", () => {
    type("  \n ");
    press("Enter");
    expect(host.requests).toEqual([]);
  });

  it("follows up with Alt+Enter, or when the switch says so", async () => {
    composer.update(state({ phase: "turn" }));
    type("later");
    press("Enter", { altKey: true });
    await settled();
    composer.element.querySelectorAll<HTMLElement>("[role=radio]")[1]?.click();
    type("later too");
    press("Enter");
    await settled();
    expect(host.requests.map(({ params }) => params.whenBusy)).toEqual(["followUp", "followUp"]);
  });

  it("sends attachments and pictures without the names that people see", async () => {
    composer.attach(
      [{ uri: "file:///folder/a.py", label: "a.py" }],
      [{ data: "QUJD", mimeType: "image/png" }],
    );
    composer.attach([{ uri: "file:///folder/a.py", label: "a.py" }], []);
    expect(composer.element.querySelectorAll(".chip")).toHaveLength(2);
    press("Enter");
    await settled();
    expect(host.requests[0]?.params).toEqual({
      text: "",
      whenBusy: "steer",
      attachments: [{ uri: "file:///folder/a.py" }],
      images: [{ data: "QUJD", mimeType: "image/png" }],
    });
  });

  it("edits an old message by sending with its place, unless Esc cancels it", async () => {
    composer.edit("a1", { text: "old words", images: [], attachments: [] });
    expect(composer.element.querySelector(".banner")?.textContent).toContain("Editing an earlier message");
    expect(composer.cancelEditing()).toBe(true);
    expect(field.value).toBe("");
    composer.edit("a1", { text: "old words", images: [], attachments: [] });
    type("new words");
    press("Enter");
    await settled();
    expect(host.requests[0]?.params).toEqual({ text: "new words", whenBusy: "steer", at: "a1" });
    expect(composer.cancelEditing()).toBe(false);
  });

  it("runs a command of the person, with or without the model seeing it", async () => {
    type("!make test");
    press("Enter");
    await settled();
    type("!! env");
    press("Enter");
    await settled();
    expect(host.requests).toEqual([
      { method: "pi/bash", params: { command: "make test" } },
      { method: "pi/bash", params: { command: "env", excludeFromContext: true } },
    ]);
    expect(events.onCommand).toHaveBeenLastCalledWith(undefined);
  });

  it("gives back what could not be sent", async () => {
    host.answers["pi/prompt"] = new HostError({ code: "auth", message: "A key is needed." });
    type("precious");
    press("Enter");
    await settled();
    expect(field.value).toBe("precious");
    expect(events.onError).toHaveBeenCalledOnce();
  });

  it("takes a queued message back", async () => {
    host.answers["pi/unqueue"] = { removed: true };
    const waiting = { id: "q1", text: "wait", attachments: [{ uri: "file:///folder/my%20file.py" }] };
    composer.update(state({ phase: "turn", queues: { steer: [waiting] } }));
    composer.element.querySelector<HTMLElement>(".queued button")?.click();
    await settled();
    expect(host.requests[0]?.params).toEqual({ id: "q1" });
    expect(field.value).toBe("wait");
    expect(composer.element.querySelector(".chip-label")?.textContent).toBe("my file.py");
  });

  it("leaves a message that was delivered meanwhile where it is", async () => {
    host.answers["pi/unqueue"] = { removed: false };
    composer.update(state({ queues: { nextTurn: [{ id: "q1", text: "gone" }] } }));
    composer.element.querySelector<HTMLElement>(".queued button")?.click();
    await settled();
    expect(field.value).toBe("");
  });

  it("puts texts that come back before what is being written", () => {
    type("second");
    composer.compose("first", [], []);
    expect(field.value).toBe("first\n\nsecond");
  });

  it("tells the extension of each change, so that a reload loses nothing", () => {
    type("draft");
    expect(host.lastSent("draft")).toMatchObject({ folder: "file:///folder", draft: { text: "draft" } });
  });

  it("keeps what is written when the conversation is drawn anew, and takes another folder's draft", () => {
    type("mine");
    composer.begin("file:///folder", { text: "older", images: [], attachments: [] });
    expect(field.value).toBe("mine");
    composer.begin("file:///other", { text: "theirs", images: [], attachments: [] });
    expect(field.value).toBe("theirs");
  });

  it("mentions a file by a few letters", async () => {
    host.files = [{ uri: "file:///folder/src/app.py", label: "src/app.py" }];
    field.focus();
    type("see @ap");
    field.setSelectionRange(7, 7);
    field.dispatchEvent(new InputEvent("input"));
    Element.prototype.scrollIntoView = () => undefined;
    await settled();
    expect(composer.element.querySelector("[role=option]")?.textContent).toContain("app.py");
    press("Enter");
    expect(field.value).toBe("see @src/app.py ");
    expect(host.lastSent("draft")?.draft.attachments).toEqual(host.files);
    expect(host.requests).toEqual([]);
  });

  it("takes pictures from the clipboard, and says what it cannot take", async () => {
    const png = new File([new Uint8Array([1, 2, 3])], "shot.png", { type: "image/png" });
    const pdf = new File(["x"], "paper.pdf", { type: "application/pdf" });
    const clipboardData = { files: [png, pdf], types: ["Files"], getData: () => "" };
    field.dispatchEvent(Object.assign(new Event("paste", { cancelable: true }), { clipboardData }));
    await vi.waitFor(() => expect(composer.element.querySelectorAll(".picture-chip")).toHaveLength(1));
    expect(host.lastSent("draft")?.draft.images).toEqual([{ data: "AQID", mimeType: "image/png" }]);
    expect(host.lastSent("notice")?.message).toContain("paper.pdf");
  });

  it("hands files that are dropped from the explorer to the extension", async () => {
    const dataTransfer = {
      files: [],
      types: ["text/uri-list"],
      getData: (type: string) =>
        type === "text/uri-list" ? "file:///folder/a.py\r\nfile:///folder/b.py" : "",
    };
    const box = composer.element.querySelector(".box")!;
    box.dispatchEvent(Object.assign(new Event("drop", { cancelable: true }), { dataTransfer }));
    await settled();
    expect(host.lastSent("attachUris")?.uris).toEqual(["file:///folder/a.py", "file:///folder/b.py"]);
  });
});
