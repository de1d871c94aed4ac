/**
 * An order by effective tip at any base fee. The effective tip is min(tip, maxFee - baseFee): up to the base fee
 * maxFee - tip, a transaction's *knee*, it is the tip, and above it falls with the base fee. So among those whose knee is
 * not below the base fee the order is that of the tips, among the others that of the maximal fees. In a tree in order
 * of knees, both are a suffix and a prefix, and each subtree knows the best of it by either fee. Nothing has to be
 * sorted anew when the base fee changes, and nothing depends on the base fees of before.
 */
import { BalancedTree, type TreeNode } from "./balanced-tree.ts";
import { Heap } from "./heap.ts";
import { effectiveTip, type Priced } from "./waiting.ts";

/** The best of some. */
interface Best<T> {
  readonly byTip: Slot<T>;
  readonly byMaxFee: Slot<T>;
}

/**
 * An item in the tree, and its own summary. Comparing numbers first, which are as near to the integers as they can be
 * and never in another order, is faster than comparing integers, most of which differ.
 */
interface Slot<T> extends Best<T> {
  readonly item: T;
  readonly sequence: number;
  readonly knee: bigint;
  readonly kneeNumber: number;
  readonly tip: bigint;
  readonly tipNumber: number;
  readonly maxFee: bigint;
  readonly maxFeeNumber: number;
}

type Node<T> = TreeNode<Slot<T>, Best<T>>;

class ItemSlot<T extends Priced> implements Slot<T> {
  readonly item: T;
  readonly sequence: number;
  readonly knee: bigint;
  readonly kneeNumber: number;
  readonly tip: bigint;
  readonly tipNumber: number;
  readonly maxFee: bigint;
  readonly maxFeeNumber: number;
  readonly byTip: Slot<T>;
  readonly byMaxFee: Slot<T>;

  constructor(item: T) {
    this.item = item;
    this.sequence = item.sequence;
    this.knee = item.maxFee - item.tip;
    this.kneeNumber = Number(this.knee);
    this.tip = item.tip;
    this.tipNumber = Number(item.tip);
    this.maxFee = item.maxFee;
    this.maxFeeNumber = Number(item.maxFee);
    this.byTip = this;
    this.byMaxFee = this;
  }
}

export class PriceIndex<T extends Priced> {
  private readonly tree = new BalancedTree<Slot<T>, Best<T>>({
    compare: compareKnees,
    summaryOf: (slot) => slot,
    join: betterOf,
  });

  get size(): number {
    return this.tree.size;
  }

  insert(item: T): void {
    this.tree.insert(new ItemSlot(item));
  }

  remove(item: T): void {
    this.tree.remove(new ItemSlot(item));
  }

  /** Highest effective tip first, among equals who came first. The index must not change while somebody walks. */
  walk(baseFee: bigint): PriceWalk<T> {
    return new PriceWalk(this.tree.root, baseFee);
  }
}

function compareKnees<T>(a: Slot<T>, b: Slot<T>): number {
  if (a.kneeNumber !== b.kneeNumber) return a.kneeNumber - b.kneeNumber;
  if (a.knee !== b.knee) return a.knee < b.knee ? -1 : 1;
  return a.sequence - b.sequence;
}

function betterOf<T>(a: Best<T>, b: Best<T>): Best<T> {
  const isTipOfA = isBetterByTip(a.byTip, b.byTip);
  const isFeeOfA = isBetterByMaxFee(a.byMaxFee, b.byMaxFee);
  if (isTipOfA === isFeeOfA) return isTipOfA ? a : b;
  return { byTip: isTipOfA ? a.byTip : b.byTip, byMaxFee: isFeeOfA ? a.byMaxFee : b.byMaxFee };
}

function isBetterByTip<T>(a: Slot<T>, b: Slot<T>): boolean {
  if (a.tipNumber !== b.tipNumber) return a.tipNumber > b.tipNumber;
  return a.tip === b.tip ? a.sequence < b.sequence : a.tip > b.tip;
}

function isBetterByMaxFee<T>(a: Slot<T>, b: Slot<T>): boolean {
  if (a.maxFeeNumber !== b.maxFeeNumber) return a.maxFeeNumber > b.maxFeeNumber;
  return a.maxFee === b.maxFee ? a.sequence < b.sequence : a.maxFee > b.maxFee;
}

/** The best of a subtree, or an item alone. */
interface Candidate<T> {
  readonly item: T;
  readonly tip: bigint;
  readonly tipNumber: number;
  readonly subtree: Node<T> | undefined;
  /** Whether the subtree is in order of tips, not of maximal fees. */
  readonly isFlat: boolean;
}

function isBetter<T extends Priced>(a: Candidate<T>, b: Candidate<T>): boolean {
  if (a.tipNumber !== b.tipNumber) return a.tipNumber > b.tipNumber;
  return a.tip === b.tip ? a.item.sequence < b.item.sequence : a.tip > b.tip;
}

/** Takes k of n items in O(k log n), without changing the index. */
export class PriceWalk<T extends Priced> {
  private readonly baseFee: bigint;
  private readonly heap = new Heap<Candidate<T>>(isBetter);

  constructor(root: Node<T> | undefined, baseFee: bigint) {
    this.baseFee = baseFee;
    let node = root;
    while (node !== undefined) {
      this.push(node.item.item);
      const isFlat = node.item.knee >= baseFee;
      this.pushTree(isFlat ? node.right : node.left, isFlat);
      node = isFlat ? node.left : node.right;
    }
  }

  /** One more that takes part, whether or not it comes after those already taken. */
  push(item: T): void {
    const tip = effectiveTip(item, this.baseFee);
    this.heap.push({ item, tip, tipNumber: Number(tip), subtree: undefined, isFlat: false });
  }

  pop(): T | undefined {
    const first = this.heap.pop();
    if (first === undefined) return undefined;
    const { item, isFlat } = first;
    let node = first.subtree;
    while (node !== undefined) {
      const { left, right } = node;
      if (node.item.item === item) {
        this.pushTree(left, isFlat);
        this.pushTree(right, isFlat);
        break;
      }
      this.push(node.item.item);
      const isLeft = left !== undefined && bestOf(left, isFlat).item === item;
      this.pushTree(isLeft ? right : left, isFlat);
      node = isLeft ? left : right;
    }
    return item;
  }

  private pushTree(subtree: Node<T> | undefined, isFlat: boolean): void {
    if (subtree === undefined) return;
    const { item, tip: ownTip, maxFee } = bestOf(subtree, isFlat);
    const tip = isFlat ? ownTip : maxFee - this.baseFee;
    this.heap.push({ item, tip, tipNumber: Number(tip), subtree, isFlat });
  }
}

function bestOf<T>({ summary }: Node<T>, isFlat: boolean): Slot<T> {
  return isFlat ? summary.byTip : summary.byMaxFee;
}
