/**
 * Lays the flat nodes of `pi/tree` out for a tree view: what follows one another stands one below
 * the other, and only a branch that was left opens a level of its own. So a conversation of a
 * thousand messages is a list, not a staircase.
 */

import type { TreeNode } from "../protocol";

/** A node as it is shown; `below` are the branches that leave here, or what follows in a branch. */
export interface Item {
  node: TreeNode;
  /** The first node of a branch that was left. */
  startsBranch: boolean;
  below: Item[];
}

/** The items of the top level, oldest first. */
export function layOut(nodes: readonly TreeNode[]): Item[] {
  const children = childrenOf(nodes);
  const heads = children.get(null) ?? [];
  const main = mainOf(heads);
  const top = main ? lane(main, children) : [];
  const others = heads.filter((head) => head !== main).map((head) => branch(head, children));
  return [...others, ...top];
}

/** A node, and all that follows it without leaving the branch. */
function lane(start: TreeNode, children: Map<string | null, TreeNode[]>): Item[] {
  const items: Item[] = [];
  const pending: TreeNode[] = [start];
  for (let node = pending.pop(); node; node = pending.pop()) {
    const next = children.get(node.id) ?? [];
    const main = mainOf(next);
    const others = next.filter((child) => child !== main);
    items.push({ node, startsBranch: false, below: others.map((child) => branch(child, children)) });
    if (main) pending.push(main);
  }
  return items;
}

/** A branch that was left: its first node, with the rest of it below. */
function branch(head: TreeNode, children: Map<string | null, TreeNode[]>): Item {
  const [first, ...rest] = lane(head, children);
  const leaving = first?.below ?? [];
  return { node: head, startsBranch: true, below: [...leaving, ...rest] };
}

/** The child that goes on in the same lane: the one on the active path, else the newest. */
function mainOf(siblings: readonly TreeNode[]): TreeNode | undefined {
  return siblings.find((node) => node.onPath) ?? siblings.at(-1);
}

function childrenOf(nodes: readonly TreeNode[]): Map<string | null, TreeNode[]> {
  const known = new Set(nodes.map((node) => node.id));
  const children = new Map<string | null, TreeNode[]>();
  for (const node of nodes) {
    const parent = node.parentId !== null && known.has(node.parentId) ? node.parentId : null;
    const siblings = children.get(parent);
    if (siblings) siblings.push(node);
    else children.set(parent, [node]);
  }
  return children;
}
