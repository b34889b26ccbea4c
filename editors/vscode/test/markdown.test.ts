import { describe, expect, it } from "vitest";
import { looksLikePath, renderMarkdown, topLevelBlocks } from "../webview/markdown";
import { StreamingMarkdown } from "../webview/streamingMarkdown";

function html(source: string): string {
  const place = document.createElement("div");
  place.append(renderMarkdown(source));
  return place.innerHTML;
}

describe("Markdown of an answer", () => {
  it.each([
    ["<script>alert(1)</script>", "script"],
    ['<img src=x onerror="alert(1)">', "img"],
    ["<iframe src='https://evil.example'></iframe>", "iframe"],
    ["![picture](https://evil.example/track.png)", "img"],
    ["[click](javascript:alert(1))", '[href^="javascript"]'],
    ["[click](vbscript:x)", '[href^="vbscript"]'],
    ["[click](command:workbench.action.quit)", '[href^="command"]'],
    ["[click](data:text/html,<script>alert(1)</script>)", '[href^="data"]'],
    ["<style>body{display:none}</style>", "style"],
    ["<form action='https://evil.example'><input></form>", "form, input"],
  ])("never lets %s into the page", (source, selector) => {
    const place = document.createElement("div");
    place.append(renderMarkdown(source));
    expect(place.querySelector(selector)).toBeNull();
  });

  it("gives the link of a picture instead of the picture", () => {
    expect(html("![a cat](https://example.org/cat.png)")).toContain(
      '<a href="https://example.org/cat.png">a cat</a>',
    );
  });

  it("colours code whose language it knows, and leaves other code as it is", () => {
    expect(html("```python\ndef f(): pass\n```")).toContain("hljs-keyword");
    expect(html("```nonsense\n<b>\n```")).toContain("&lt;b&gt;");
  });

  it("makes links of paths in inline code, but not of other code", () => {
    expect(html("see `src/app.py:12`")).toContain('<a href="src/app.py:12" class="path">');
    expect(html("call `foo()`")).not.toContain("<a");
    expect(html("```\nsrc/app.py\n```")).not.toContain("<a");
  });

  it.each([
    ["app.py", true],
    ["src/app.py:12", true],
    ["./a/b.ts:3-9", true],
    ["~/notes.md", true],
    ["Item.price", false],
    ["3.14", false],
    ["npm install", false],
    ["a.b.c()", false],
    ["https://example.org", false],
  ])("knows whether %s is a path", (text, expected) => {
    expect(looksLikePath(text)).toBe(expected);
  });
});

describe("top-level blocks", () => {
  it("together are the text", () => {
    const source =
      "# Title\n\npara\nmore\n\n- a\n\n  b\n- c\n\n```py\nx\n\ny\n```\n\n> q\n\n| a |\n| - |\n| 1 |\n\nend";
    const blocks = topLevelBlocks(source);
    expect(blocks.map((block) => block.source).join("")).toBe(source);
    expect(blocks.length).toBe(7);
  });

  it("of blank text are the text", () => {
    expect(
      topLevelBlocks("\n\n")
        .map((block) => block.source)
        .join(""),
    ).toBe("\n\n");
    expect(topLevelBlocks("")).toEqual([]);
  });
});

describe("a text that streams", () => {
  const source =
    "# Title\n\nSome *text* here.\n\n```python\ndef f():\n    pass\n```\n\n1. one\n2. two\n\nlast [link](a.md)";

  function streamed(step: number): { view: StreamingMarkdown; code: number } {
    let code = 0;
    const view = new StreamingMarkdown({ onCode: () => code++ });
    for (let end = step; end < source.length; end += step) view.update(source.slice(0, end), false);
    view.update(source, true);
    return { view, code };
  }

  it.each([1, 3, 7, 1000])("looks the same in the end, in steps of %i", (step) => {
    const whole = document.createElement("div");
    whole.append(renderMarkdown(source));
    const { view, code } = streamed(step);
    const elements = [...view.element.children].flatMap((block) => [...block.children]);
    expect(elements.map((element) => element.outerHTML)).toEqual(
      [...whole.children].map((element) => element.outerHTML),
    );
    expect(code).toBe(1);
  });

  it("leaves finished blocks alone while the last one grows", () => {
    const view = new StreamingMarkdown({ onCode: () => undefined });
    view.update("first\n\nsecond", false);
    view.update("first\n\nsecond\n\nthird", false);
    const first = view.element.children[0]?.firstChild;
    view.update("first\n\nsecond\n\nthird and more", false);
    expect(view.element.children[0]?.firstChild).toBe(first);
    expect(view.element.children).toHaveLength(3);
  });

  it("tells of each block once, when it stands", () => {
    const told: string[] = [];
    const view = new StreamingMarkdown({ onCode: () => undefined, onBlock: (block) => told.push(block) });
    view.update("one\n\ntw", false);
    view.update("one\n\ntwo", false);
    view.update("one\n\ntwo", true);
    expect(told).toEqual(["one", "two"]);
  });

  it("draws anew when an attempt began again", () => {
    const view = new StreamingMarkdown({ onCode: () => undefined });
    view.update("wrong start", false);
    view.update("right", true);
    expect(view.element.textContent.trim()).toBe("right");
  });

  it("finds link definitions that come later", () => {
    const view = new StreamingMarkdown({ onCode: () => undefined });
    const text = "see [it][1]\n\n[1]: https://example.org";
    view.update("see [it][1]\n\n", false);
    view.update(text, true);
    expect(view.element.querySelector("a")?.getAttribute("href")).toBe("https://example.org");
  });
});
