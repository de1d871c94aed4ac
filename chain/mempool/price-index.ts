/**
 * An order by effective tip at any base fee. The effective tip is min(tip, maxFee - baseFee): up to the base fee
 * maxFee - tip, a transaction's *knee*, it is the tip, and above it falls with the base fee. So among those whose knee is
 * not below the base fee the order is that of the tips, among the others that of the maximal fees. In a tree in order
 * of knees, both are a prefix and a suffix, and each subtree knows the first of it by either fee. Nothing has to be
 * sorted anew when the base fee changes, and nothing depends on the base fees of before.
 */
import { BalancedTree, type TreeNode } from "./balanced-tree.ts";
import { Heap } from "./heap.ts";
import { effectiveTip, type Priced } from "./waiting.ts";

/** "best": highest tip first, among equals who came first. "worst" is the reverse. */
export type Direction = "best" | "worst";

interface First<T> {
  readonly byTip: T;
  readonly byMaxFee: T;
}

type Node<T> = TreeNode<T, First<T>>;

/** Whether one with `key` and `sequence` comes before another. */
type Precedes = (key: bigint, sequence: number, otherKey: bigint, otherSequence: number) => boolean;

const PRECEDES: Readonly<Record<Direction, Precedes>> = {
  best: (key, sequence, otherKey, otherSequence) => (key === otherKey ? sequence < otherSequence : key > otherKey),
  worst: (key, sequence, otherKey, otherSequence) => (key === otherKey ? sequence > otherSequence : key < otherKey),
};

export class PriceIndex<T extends Priced> {
  private readonly precedes: Precedes;
  private readonly tree: BalancedTree<T, First<T>>;

  constructor(direction: Direction) {
    const precedes = PRECEDES[direction];
    this.precedes = precedes;
    this.tree = new BalancedTree<T, First<T>>({
      compare: compareKnees,
      summaryOf: (item) => ({ byTip: item, byMaxFee: item }),
      join: (a, b) => ({
        byTip: precedes(a.byTip.tip, a.byTip.sequence, b.byTip.tip, b.byTip.sequence) ? a.byTip : b.byTip,
        byMaxFee: precedes(a.byMaxFee.maxFee, a.byMaxFee.sequence, b.byMaxFee.maxFee, b.byMaxFee.sequence)
          ? a.byMaxFee
          : b.byMaxFee,
      }),
    });
  }

  get size(): number {
    return this.tree.size;
  }

  insert(item: T): void {
    this.tree.insert(item);
  }

  remove(item: T): void {
    this.tree.remove(item);
  }

  /** The order at that base fee. The index must not change while somebody walks. */
  walk(baseFee: bigint): PriceWalk<T> {
    return new PriceWalk(this.tree.root, baseFee, this.precedes);
  }
}

function compareKnees(a: Priced, b: Priced): number {
  const [kneeA, kneeB] = [a.maxFee - a.tip, b.maxFee - b.tip];
  if (kneeA === kneeB) return a.sequence - b.sequence;
  return kneeA < kneeB ? -1 : 1;
}

/** The first of a subtree, or an item alone. */
interface Candidate<T> {
  readonly item: T;
  readonly key: bigint;
  readonly subtree: Node<T> | undefined;
  /** Whether the subtree is in order of tips, not of maximal fees. */
  readonly isFlat: boolean;
}

/** Takes k of n items in O(k log n), without changing the index. */
export class PriceWalk<T extends Priced> {
  private readonly baseFee: bigint;
  private readonly heap: Heap<Candidate<T>>;

  constructor(root: Node<T> | undefined, baseFee: bigint, precedes: Precedes) {
    this.baseFee = baseFee;
    this.heap = new Heap((a, b) => precedes(a.key, a.item.sequence, b.key, b.item.sequence));
    let node = root;
    while (node !== undefined) {
      this.push(node.item);
      const isFlat = node.item.maxFee - node.item.tip >= baseFee;
      this.pushTree(isFlat ? node.right : node.left, isFlat);
      node = isFlat ? node.left : node.right;
    }
  }

  /** One more that takes part, whether or not it comes after those already taken. */
  push(item: T): void {
    this.heap.push({ item, key: effectiveTip(item, this.baseFee), subtree: undefined, isFlat: false });
  }

  pop(): T | undefined {
    const first = this.heap.pop();
    if (first === undefined) return undefined;
    const { item, isFlat } = first;
    let node = first.subtree;
    while (node !== undefined) {
      const { left, right } = node;
      if (node.item === item) {
        this.pushTree(left, isFlat);
        this.pushTree(right, isFlat);
        break;
      }
      this.push(node.item);
      const isLeft = left !== undefined && firstOf(left, isFlat) === item;
      this.pushTree(isLeft ? right : left, isFlat);
      node = isLeft ? left : right;
    }
    return item;
  }

  private pushTree(subtree: Node<T> | undefined, isFlat: boolean): void {
    if (subtree === undefined) return;
    const item = firstOf(subtree, isFlat);
    this.heap.push({ item, key: isFlat ? item.tip : item.maxFee - this.baseFee, subtree, isFlat });
  }
}

function firstOf<T>({ summary }: Node<T>, isFlat: boolean): T {
  return isFlat ? summary.byTip : summary.byMaxFee;
}
