import { describe, expect, it } from "vitest";
import type { TreeNode } from "../src/protocol";
import { type Item, layOut } from "../src/trees/branchLayout";

function node(id: string, parentId: string | null, onPath = true): TreeNode {
  return { id, parentId, type: "message", role: "user", text: id, timestamp: "", onPath };
}

function drawn(items: readonly Item[], indent = ""): string[] {
  return items.flatMap((item) => [`${indent}${item.node.id}`, ...drawn(item.below, `${indent}  `)]);
}

describe("the tree of branches", () => {
  it("is a list while nothing branches", () => {
    expect(drawn(layOut([node("a", null), node("b", "a"), node("c", "b")]))).toEqual(["a", "b", "c"]);
  });

  it("opens a level only for a branch that was left", () => {
    const nodes = [
      node("a", null),
      node("old", "a", false),
      node("old2", "old", false),
      node("new", "a"),
      node("new2", "new"),
    ];
    expect(drawn(layOut(nodes))).toEqual(["a", "  old", "    old2", "new", "new2"]);
  });

  it("shows several beginnings side by side, the active one last", () => {
    const nodes = [node("first", null, false), node("its answer", "first", false), node("second", null)];
    expect(drawn(layOut(nodes))).toEqual(["first", "  its answer", "second"]);
  });

  it("keeps branches of branches", () => {
    const nodes = [
      node("a", null),
      node("b", "a", false),
      node("c", "b", false),
      node("d", "b", false),
      node("e", "a"),
    ];
    expect(drawn(layOut(nodes))).toEqual(["a", "  b", "    c", "    d", "e"]);
  });

  it("takes a node without its parent for a beginning", () => {
    expect(drawn(layOut([node("b", "missing")]))).toEqual(["b"]);
  });

  it("lays 100,000 messages out in one row without recursion", () => {
    const nodes = Array.from({ length: 100_000 }, (_, i) => node(String(i), i === 0 ? null : String(i - 1)));
    expect(layOut(nodes)).toHaveLength(100_000);
  });
});
