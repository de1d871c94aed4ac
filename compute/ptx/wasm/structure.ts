/**
 * Turns the graph of a region's basic blocks into nested blocks and loops, which is all that WebAssembly has. Each block
 * is placed inside its immediate dominator; where paths meet again there is a `block` to jump out of, and where a path
 * comes back there is a `loop` (N. Ramsey, "Beyond Relooper", 2022). A graph with a loop that has two entrances, one
 * that nests too deep for us to recurse, or one that takes too long to order, becomes a `loop` around a `br_table` instead.
 */
import { type Block, type Kernel, successors } from "../ir.ts";
import { MAX_DOMINATOR_STEPS } from "../limits.ts";

export interface RegionGraph {
  /** Blocks in reverse postorder; the first is the root. */
  readonly order: readonly number[];
  /** Targets of jumps back. */
  readonly loops: ReadonlySet<number>;
  /** Blocks with several ways in, jumps back not counted. */
  readonly merges: ReadonlySet<number>;
  /** Block -> blocks that it immediately dominates. */
  readonly children: ReadonlyMap<number, readonly number[]>;
  readonly rank: ReadonlyMap<number, number>;
  readonly nestable: boolean;
}

/** Deeper trees are compiled with a `br_table`. */
const MAX_DEPTH = 400;

/** Where control may go within the region: a wait ends it. */
export function regionSuccessors(block: Block): readonly number[] {
  return block.end.kind === "sync" ? [] : successors(block.end);
}

function reversePostorder(kernel: Kernel, root: number): readonly number[] {
  const seen = new Set([root]);
  const order: number[] = [];
  // With the targets of each, found once: a table has up to a thousand.
  const visit = (block: number): { block: number; targets: readonly number[]; next: number } => ({
    block,
    targets: regionSuccessors(kernel.blocks[block] as Block),
    next: 0,
  });
  const stack = [visit(root)];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const target = top.targets[top.next++];
    if (target === undefined) {
      order.push(top.block);
      stack.pop();
    } else if (!seen.has(target)) {
      seen.add(target);
      stack.push(visit(target));
    }
  }
  return order.reverse();
}

export function regionGraph(kernel: Kernel, root: number): RegionGraph {
  const order = reversePostorder(kernel, root);
  const rank = new Map(order.map((block, i) => [block, i]));
  const predecessors: number[][] = order.map(() => []);
  order.forEach((block, from) => {
    for (const to of regionSuccessors(kernel.blocks[block] as Block)) predecessors[rank.get(to) as number]?.push(from);
  });
  const dominators = immediateDominators(predecessors);
  if (dominators === undefined) return { ...NOTHING_NESTED, order, rank };
  const loops = new Set<number>();
  const merges = new Set<number>();
  let nestable = true;
  predecessors.forEach((from, to) => {
    const forward = from.filter((source) => source < to);
    if (forward.length > 1) merges.add(order[to] as number);
    for (const source of from) {
      if (source < to) continue;
      loops.add(order[to] as number);
      if (!dominates(dominators, to, source)) nestable = false;
    }
  });
  for (const block of order) {
    const { end } = kernel.blocks[block] as Block;
    // A table jumps to labels only, so each target needs one.
    if (end.kind === "table") for (const target of end.targets) if (!isBack(rank, block, target)) merges.add(target);
  }
  const children = childrenOf(order, dominators);
  if (depthOf(dominators) > MAX_DEPTH) nestable = false;
  return { order, loops, merges, children, rank, nestable };
}

const NOTHING_NESTED: Pick<RegionGraph, "loops" | "merges" | "children" | "nestable"> = {
  loops: new Set(),
  merges: new Set(),
  children: new Map(),
  nestable: false,
};

function isBack(rank: ReadonlyMap<number, number>, from: number, to: number): boolean {
  return (rank.get(to) as number) <= (rank.get(from) as number);
}

/**
 * By rank, on ranks (K. Cooper, T. Harvey, K. Kennedy, "A simple, fast dominance algorithm", 2001). `undefined` when it takes
 * too long: a hostile graph takes the third power of its blocks.
 */
function immediateDominators(predecessors: readonly (readonly number[])[]): readonly number[] | undefined {
  const dominators = predecessors.map(() => -1);
  dominators[0] = 0;
  let steps = 0;
  const intersect = (first: number, second: number): number => {
    let [a, b] = [first, second];
    for (; a !== b; steps++) {
      if (a > b) a = dominators[a] as number;
      else b = dominators[b] as number;
    }
    return a;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (let to = 1; to < predecessors.length; to++) {
      let best = -1;
      for (const from of predecessors[to] ?? []) {
        if (++steps > MAX_DOMINATOR_STEPS) return undefined;
        if (dominators[from] === -1) continue;
        best = best === -1 ? from : intersect(best, from);
      }
      if (best !== dominators[to]) {
        dominators[to] = best;
        changed = true;
      }
    }
  }
  return dominators;
}

function dominates(dominators: readonly number[], upper: number, lower: number): boolean {
  let at = lower;
  while (at > upper) at = dominators[at] as number;
  return at === upper;
}

function childrenOf(order: readonly number[], dominators: readonly number[]): ReadonlyMap<number, readonly number[]> {
  const children = new Map<number, number[]>(order.map((block) => [block, []]));
  for (let i = 1; i < order.length; i++) {
    children.get(order[dominators[i] as number] as number)?.push(order[i] as number);
  }
  return children;
}

function depthOf(dominators: readonly number[]): number {
  const depths = dominators.map(() => 0);
  let deepest = 0;
  for (let i = 1; i < dominators.length; i++) {
    depths[i] = (depths[dominators[i] as number] as number) + 1;
    deepest = Math.max(deepest, depths[i] as number);
  }
  return deepest;
}
