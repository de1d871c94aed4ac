/**
 * Proofs that a list of leaves is all that a tree has between two keys: for snapshots, whose chunks are ranges.
 *
 * The proof shows the leaf before the range and the one after it, and the subtrees left and right of them. With the
 * leaves of the range these form the whole tree, in order, so that nothing can be missing between the two neighbours.
 */
import { compareBytes, equalBytes } from "../../base/bytes.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpBytes, rlpInteger, rlpList, rlpOfInteger } from "../../base/rlp.ts";
import { bitAt, criticalBitOf, isTreeKey } from "./keys.ts";
import { EMPTY_ROOT, ID_BYTES, KEY_BITS, leafTag, tagOf } from "./node-id.ts";
import { decodedProof, hashNode, invalidProof, leafName, type ProofStep } from "./proof.ts";
import { nodeRow, type PayloadSource, rootsOf, type Walk, walkTo } from "./prove.ts";
import { type Leaf, leafBefore, leavesFrom } from "./scan.ts";
import type { NodeId, PageSource, TreeHead, TreeKey } from "./types.ts";

/** Both ends included. */
export interface KeyRange {
  readonly first: TreeKey;
  readonly last: TreeKey;
}

/** A leaf next to the range, with its whole key. */
export interface Neighbour {
  readonly key: TreeKey;
  readonly payload: Uint8Array;
}

export interface RangeProof {
  /** Subtrees left of the leaf before the range, from the root down. */
  readonly left: readonly ProofStep[];
  /** `undefined` when no leaf is before the range. */
  readonly before: Neighbour | undefined;
  readonly after: Neighbour | undefined;
  /** Subtrees right of the leaf after the range, from the root down. */
  readonly right: readonly ProofStep[];
}

export function proveRange(head: TreeHead, source: PageSource, payloads: PayloadSource, range: KeyRange): RangeProof {
  const before = leafBefore(head, source, range.first);
  const after = leafAfter(head, source, range.last);
  const neighbour = ({ key }: Leaf): Neighbour => ({ key, payload: payloads.payload(key) });
  return {
    left: before === undefined ? [] : steps(walkTo(head, source, before.key), true),
    before: before && neighbour(before),
    after: after && neighbour(after),
    right: after === undefined ? [] : steps(walkTo(head, source, after.key), false),
  };
}

function leafAfter(head: TreeHead, source: PageSource, key: TreeKey): Leaf | undefined {
  for (const leaf of leavesFrom(head, source, key)) if (compareBytes(leaf.key, key) > 0) return leaf;
  return undefined;
}

/** The subtrees on one side of a way. */
function steps({ beside }: Walk, isLeft: boolean): ProofStep[] {
  const side = beside.filter((each) => each.isLeft === isLeft);
  const roots = rootsOf(side.map(({ row }) => row));
  return side.map(({ depth }, i) => ({ depth, sibling: roots[i] as NodeId }));
}

/**
 * Throws PROOF_INVALID unless `entries` are exactly the leaves of the tree with that root in the range, in order. The
 * caller computes each entry's leaf from its key and its value, as `accountLeaves` and `slotLeaves` do: a leaf taken
 * from somebody's word would not be bound to the key beside it.
 */
export function verifyRange(root: NodeId, range: KeyRange, entries: readonly Leaf[], proof: RangeProof): void {
  checkKeys(range, entries, proof);
  const { left, before, after, right } = proof;
  if (before === undefined && left.length > 0) invalidProof("there are leaves before the range");
  if (after === undefined && right.length > 0) invalidProof("there are leaves after the range");
  const leaves = [...neighbourLeaf(before), ...entries, ...neighbourLeaf(after)];
  const first = leaves[0];
  const last = leaves.at(-1);
  if (first === undefined || last === undefined) {
    if (!equalBytes(root, EMPTY_ROOT)) invalidProof("there are no leaves, but the tree has some");
    return;
  }
  checkSteps(left, first.key, 1);
  checkSteps(right, last.key, 0);
  if (!equalBytes(wholeRoot(left, leaves, right), root)) invalidProof("the leaves do not make the root");
}

function checkKeys({ first, last }: KeyRange, entries: readonly Leaf[], { before, after }: RangeProof): void {
  let previous: TreeKey | undefined;
  for (const { key, leaf } of entries) {
    if (!isTreeKey(key) || leaf.length !== ID_BYTES || tagOf(leaf) !== leafTag(key.length)) {
      invalidProof("an entry has no such key or leaf");
    }
    if (previous !== undefined && compareBytes(previous, key) >= 0) invalidProof("entries are not in order");
    previous = key;
  }
  const lowest = entries[0]?.key ?? first;
  if (compareBytes(lowest, first) < 0 || compareBytes(previous ?? last, last) > 0) {
    invalidProof("an entry is not in the range");
  }
  for (const neighbour of [before, after]) {
    if (neighbour === undefined) continue;
    if (!isTreeKey(neighbour.key) || neighbour.payload.length !== 32) invalidProof("a neighbour is no leaf");
  }
  if (before !== undefined && compareBytes(before.key, first) >= 0) invalidProof("a neighbour is in the range");
  if (after !== undefined && compareBytes(after.key, last) <= 0) invalidProof("a neighbour is in the range");
}

function neighbourLeaf(neighbour: Neighbour | undefined): Leaf[] {
  if (neighbour === undefined) return [];
  const { key, payload } = neighbour;
  return [{ key, leaf: hashNode(leafTag(key.length), leafName(key), payload) }];
}

/** The way to `key` turns to the side `bit` where a subtree is left on the other side. */
function checkSteps(side: readonly ProofStep[], key: TreeKey, bit: number): void {
  let above = -1;
  for (const { depth, sibling } of side) {
    if (!Number.isInteger(depth) || depth <= above || depth >= KEY_BITS) invalidProof("a path does not go down");
    if (sibling.length !== ID_BYTES) invalidProof("there is no such node");
    if (bitAt(key, depth) !== bit) invalidProof("a path turns the wrong way");
    above = depth;
  }
}

/** The root of the tree of these subtrees and leaves, from left to right. */
function wholeRoot(left: readonly ProofStep[], leaves: readonly Leaf[], right: readonly ProofStep[]): NodeId {
  const rightward = right.toReversed();
  const ids = [
    ...left.map(({ sibling }) => sibling),
    ...leaves.map(({ leaf }) => leaf),
    ...rightward.map(({ sibling }) => sibling),
  ];
  const gaps = [0, ...left.map(({ depth }) => depth)];
  for (let i = 1; i < leaves.length; i++) {
    gaps.push(criticalBitOf((leaves[i - 1] as Leaf).key, (leaves[i] as Leaf).key));
  }
  gaps.push(...rightward.map(({ depth }) => depth));
  if (!formsTrie(gaps)) invalidProof("the leaves and subtrees do not form a tree");
  return rootsOf([nodeRow(ids, gaps)])[0] as NodeId;
}

/** True when no two of the nodes that part neighbours would have to be one. The first gap does not count. */
function formsTrie(gaps: readonly number[]): boolean {
  const way: number[] = [];
  for (const gap of gaps.slice(1)) {
    while (way.length > 0 && (way.at(-1) as number) > gap) way.pop();
    if (gap >= KEY_BITS || way.at(-1) === gap) return false;
    way.push(gap);
  }
  return true;
}

/** RLP: [[[depth, sibling]...], before, after, [[depth, sibling]...]]; a neighbour is [] or [key, payload]. */
export function encodeRangeProof({ left, before, after, right }: RangeProof): Uint8Array {
  const encodeSteps = (side: readonly ProofStep[]): RlpItem =>
    side.map(({ depth, sibling }) => [rlpOfInteger(BigInt(depth)), sibling]);
  const encodeNeighbour = (neighbour: Neighbour | undefined): RlpItem =>
    neighbour === undefined ? [] : [neighbour.key, neighbour.payload];
  return encodeRlp([encodeSteps(left), encodeNeighbour(before), encodeNeighbour(after), encodeSteps(right)]);
}

/** Throws PROOF_INVALID for everything that `encodeRangeProof` does not write. */
export function decodeRangeProof(bytes: Uint8Array): RangeProof {
  return decodedProof(() => {
    const [left = [], before = [], after = [], right = []] = rlpList(decodeRlp(bytes), 4);
    return {
      left: decodeSteps(left),
      before: decodeNeighbour(before),
      after: decodeNeighbour(after),
      right: decodeSteps(right),
    };
  });
}

function decodeSteps(item: RlpItem): ProofStep[] {
  return rlpList(item).map((step) => {
    const [depth = [], sibling = []] = rlpList(step, 2);
    return { depth: Number(rlpInteger(depth, 2)), sibling: rlpBytes(sibling, ID_BYTES) };
  });
}

function decodeNeighbour(item: RlpItem): Neighbour | undefined {
  if (rlpList(item).length === 0) return undefined;
  const [key = [], payload = []] = rlpList(item, 2);
  return { key: rlpBytes(key), payload: rlpBytes(payload, 32) };
}
