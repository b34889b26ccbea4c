import { describe, expect, it } from "vitest";
import { drawDiff, parseDiff } from "../webview/diff";

const UNIFIED = `--- a/app.py
+++ b/app.py
@@ -1,3 +1,4 @@
 one
-two
+2
+2b
 three
@@ -20,2 +21,2 @@ def far():
 x
--- dashes that were removed
+++ pluses that came
\\ No newline at end of file
`;

describe("a unified diff", () => {
  it("is read with numbers of the side that each line is on", () => {
    const { lines, added, removed } = parseDiff(UNIFIED);
    expect(lines.map(({ kind, number }) => `${kind} ${number ?? ""}`)).toEqual([
      "same 1",
      "removed 2",
      "added 2",
      "added 3",
      "same 4",
      "gap ",
      "same 21",
      "removed 21",
      "added 22",
    ]);
    expect([added, removed]).toEqual([3, 2]);
  });

  it("keeps lines that look like headers inside a hunk", () => {
    const { lines } = parseDiff(UNIFIED);
    expect(lines.at(-2)?.text).toBe("-- dashes that were removed");
  });

  it("is said to screen readers by its figures", () => {
    expect(drawDiff(parseDiff(UNIFIED)).getAttribute("aria-label")).toBe("3 lines added, 2 removed");
  });

  it("shows the beginning of a very long one, and says how much is left", () => {
    const long = `@@ -0,0 +1,1000 @@\n${"+x\n".repeat(1000)}`;
    expect(drawDiff(parseDiff(long)).textContent).toContain("600 more lines");
  });
});
