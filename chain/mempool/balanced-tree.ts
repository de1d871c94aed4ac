/**
 * An ordered set as an AVL tree whose nodes also hold the size and a summary of everything below them (a sum, a
 * minimum, the best of it): so ranks and questions about a prefix take O(log n), whatever order things came in.
 */
import { assert } from "../../base/errors.ts";

export interface TreeNode<Item, Summary> {
  readonly item: Item;
  readonly left: TreeNode<Item, Summary> | undefined;
  readonly right: TreeNode<Item, Summary> | undefined;
  readonly height: number;
  readonly size: number;
  readonly summary: Summary;
}

export interface TreeRules<Item, Summary> {
  /** Negative when `a` is before `b`; zero only for the same place. */
  compare(a: Item, b: Item): number;
  summaryOf(item: Item): Summary;
  /** Of two neighbouring parts, `a` before `b`. */
  join(a: Summary, b: Summary): Summary;
}

interface MutableNode<Item, Summary> extends TreeNode<Item, Summary> {
  item: Item;
  left: MutableNode<Item, Summary> | undefined;
  right: MutableNode<Item, Summary> | undefined;
  height: number;
  size: number;
  summary: Summary;
}

type Branch<Item, Summary> = MutableNode<Item, Summary> | undefined;

export class BalancedTree<Item, Summary> {
  private readonly rules: TreeRules<Item, Summary>;
  private top: Branch<Item, Summary>;

  constructor(rules: TreeRules<Item, Summary>) {
    this.rules = rules;
  }

  get root(): TreeNode<Item, Summary> | undefined {
    return this.top;
  }

  get size(): number {
    return this.top?.size ?? 0;
  }

  /** Nothing may be at the item's place. */
  insert(item: Item): void {
    this.top = this.inserted(this.top, item);
  }

  /** The item, or one that compares as equal, must be there. */
  remove(item: Item): void {
    this.top = this.removed(this.top, item);
  }

  /** Takes the first so many out, in O(log n) each or, where fewer stay than go, O(1) for each that there was. */
  removeFirst(count: number): readonly Item[] {
    const stay = this.size - count;
    if (stay < count) {
      const all = collect(this.top, []);
      this.top = this.built(all, count, all.length);
      return all.slice(0, count);
    }
    const first: Item[] = [];
    while (this.top !== undefined && first.length < count) {
      first.push(this.at(0) as Item);
      this.top = this.withoutFirst(this.top);
    }
    return first;
  }

  /** `place` is negative for items that come after what is looked for, positive for those before, zero for it. */
  find(place: (item: Item) => number): Item | undefined {
    let node = this.top;
    while (node !== undefined) {
      const order = place(node.item);
      if (order === 0) return node.item;
      node = order < 0 ? node.left : node.right;
    }
    return undefined;
  }

  at(rank: number): Item | undefined {
    let node = this.top;
    let before = 0;
    while (node !== undefined) {
      const own = before + (node.left?.size ?? 0);
      if (rank === own) return node.item;
      if (rank < own) node = node.left;
      else {
        before = own + 1;
        node = node.right;
      }
    }
    return undefined;
  }

  /**
   * How many items come before the first for which `holds` is false; it must be true up to some place and false from
   * there on. `holds` also gets the item's rank and the summary of everything before the item.
   */
  countWhile(holds: (item: Item, rank: number, before: Summary | undefined) => boolean): number {
    return this.descend(holds).count;
  }

  /** The summary of the first `count` items. */
  prefix(count: number): Summary | undefined {
    return this.descend((_item, rank) => rank < count).before;
  }

  private descend(holds: (item: Item, rank: number, before: Summary | undefined) => boolean): {
    readonly count: number;
    readonly before: Summary | undefined;
  } {
    let node = this.top;
    let count = 0;
    let before: Summary | undefined;
    while (node !== undefined) {
      const rank = count + (node.left?.size ?? 0);
      const joined = this.joined(before, node.left?.summary);
      if (holds(node.item, rank, joined)) {
        count = rank + 1;
        before = this.joined(joined, this.rules.summaryOf(node.item));
        node = node.right;
      } else node = node.left;
    }
    return { count, before };
  }

  private joined(a: Summary | undefined, b: Summary | undefined): Summary | undefined {
    if (a === undefined) return b;
    return b === undefined ? a : this.rules.join(a, b);
  }

  private inserted(node: Branch<Item, Summary>, item: Item): MutableNode<Item, Summary> {
    if (node === undefined) {
      const summary = this.rules.summaryOf(item);
      return { item, left: undefined, right: undefined, height: 1, size: 1, summary };
    }
    const order = this.rules.compare(item, node.item);
    assert(order !== 0, "two items at one place");
    if (order < 0) node.left = this.inserted(node.left, item);
    else node.right = this.inserted(node.right, item);
    return this.balanced(node);
  }

  private removed(node: Branch<Item, Summary>, item: Item): Branch<Item, Summary> {
    assert(node !== undefined, "the item to remove is there");
    const order = this.rules.compare(item, node.item);
    if (order < 0) node.left = this.removed(node.left, item);
    else if (order > 0) node.right = this.removed(node.right, item);
    else {
      if (node.left === undefined) return node.right;
      if (node.right === undefined) return node.left;
      let next = node.right;
      while (next.left !== undefined) next = next.left;
      node.item = next.item;
      node.right = this.withoutFirst(node.right);
    }
    return this.balanced(node);
  }

  /** Of those that are in order already. */
  private built(items: readonly Item[], start: number, end: number): Branch<Item, Summary> {
    if (start >= end) return undefined;
    const middle = (start + end) >> 1;
    const item = items[middle] as Item;
    const [left, right] = [this.built(items, start, middle), this.built(items, middle + 1, end)];
    return this.updated({ item, left, right, height: 1, size: 1, summary: this.rules.summaryOf(item) });
  }

  private withoutFirst(node: MutableNode<Item, Summary>): Branch<Item, Summary> {
    if (node.left === undefined) return node.right;
    node.left = this.withoutFirst(node.left);
    return this.balanced(node);
  }

  private balanced(node: MutableNode<Item, Summary>): MutableNode<Item, Summary> {
    const tilt = height(node.left) - height(node.right);
    if (tilt > 1) {
      const left = node.left as MutableNode<Item, Summary>;
      if (height(left.left) < height(left.right)) node.left = this.turnedLeft(left);
      return this.turnedRight(node);
    }
    if (tilt < -1) {
      const right = node.right as MutableNode<Item, Summary>;
      if (height(right.right) < height(right.left)) node.right = this.turnedRight(right);
      return this.turnedLeft(node);
    }
    return this.updated(node);
  }

  private turnedLeft(node: MutableNode<Item, Summary>): MutableNode<Item, Summary> {
    const up = node.right as MutableNode<Item, Summary>;
    node.right = up.left;
    up.left = this.updated(node);
    return this.updated(up);
  }

  private turnedRight(node: MutableNode<Item, Summary>): MutableNode<Item, Summary> {
    const up = node.left as MutableNode<Item, Summary>;
    node.left = up.right;
    up.right = this.updated(node);
    return this.updated(up);
  }

  private updated(node: MutableNode<Item, Summary>): MutableNode<Item, Summary> {
    const { left, right } = node;
    node.height = 1 + Math.max(height(left), height(right));
    node.size = 1 + (left?.size ?? 0) + (right?.size ?? 0);
    const { rules } = this;
    const own = rules.summaryOf(node.item);
    const upToOwn = left === undefined ? own : rules.join(left.summary, own);
    node.summary = right === undefined ? upToOwn : rules.join(upToOwn, right.summary);
    return node;
  }
}

function collect<Item, Summary>(node: Branch<Item, Summary>, into: Item[]): Item[] {
  if (node === undefined) return into;
  collect(node.left, into).push(node.item);
  return collect(node.right, into);
}

function height(node: { readonly height: number } | undefined): number {
  return node?.height ?? 0;
}
