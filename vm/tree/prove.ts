/** Makes proofs. They show leaves as the two halves of their hash, so the values come from the state. */
import { assert } from "../../base/errors.ts";
import { hashSubtrees, type NodeRow } from "./hash-subtrees.ts";
import { bitAt } from "./keys.ts";
import { copyBytes, ID_BYTES, isLeafTag } from "./node-id.ts";
import { entryChild, entryGap, entryTag, HEADER_BYTES, idOffset, keyOf, pageEntries } from "./page.ts";
import { leafName, type ProofLeaf, type TreeProof } from "./proof.ts";
import type { NodeId, Page, PageSource, TreeHead, TreeKey } from "./types.ts";

/** The values of the state, as leaves commit to them. */
export interface PayloadSource {
  /** Of an account, `accountPayload`; of a slot, its value in 32 bytes. Asserts that the key is in the state. */
  payload(key: TreeKey): Uint8Array;
}

/** The way to a leaf: where it ends, and the subtrees beside it, from the root down. */
export interface Walk {
  readonly key: TreeKey;
  readonly beside: readonly Beside[];
}

interface Beside {
  readonly depth: number;
  /** True when the subtree lies left of the way. */
  readonly isLeft: boolean;
  readonly row: NodeRow;
}

export function proveKey(head: TreeHead, source: PageSource, payloads: PayloadSource, key: TreeKey): TreeProof {
  if (head.rootPage === 0) return { steps: [], leaf: undefined };
  const { key: end, beside } = walkTo(head, source, key);
  const siblings = rootsOf(beside.map(({ row }) => row));
  const steps = beside.map(({ depth }, i) => ({ depth, sibling: siblings[i] as NodeId }));
  return { steps, leaf: proofLeaf(payloads, end) };
}

export function proofLeaf(payloads: PayloadSource, key: TreeKey): ProofLeaf {
  const tag = key.length === 32 ? 0xffff : 0xfffe;
  return { tag, name: leafName(key), payload: payloads.payload(key) };
}

/** Walks by the bits of a key to the leaf at the end; the tree is not empty. */
export function walkTo(head: TreeHead, source: PageSource, key: TreeKey): Walk {
  const beside: Beside[] = [];
  let page = source.page(head.rootPage);
  for (;;) {
    const entry = walkPage(page, key, beside);
    if (page.level === 0) {
      const end = pageEntries(page)[entry];
      assert(end !== undefined && isLeafTag(entryTag(page, entry)), "a way through the tree ends at a leaf");
      return { key: keyOf(end), beside };
    }
    page = source.page(entryChild(page, entry));
  }
}

/** Walks through one page; adds what lies beside the way and returns the entry it ends at. */
function walkPage(page: Page, key: TreeKey, beside: Beside[]): number {
  let start = 0;
  let end = page.count;
  while (end - start > 1) {
    const middle = rootEntry(page, start, end);
    const depth = entryGap(page, middle);
    if (bitAt(key, depth) === 0) {
      beside.push({ depth, isLeft: false, row: rowOf(page, middle, end) });
      end = middle;
    } else {
      beside.push({ depth, isLeft: true, row: rowOf(page, start, middle) });
      start = middle;
    }
  }
  return start;
}

/** The first entry right of the root of the subtree [start, end): the one with the least gap. */
function rootEntry(page: Page, start: number, end: number): number {
  let least = start + 1;
  for (let i = start + 2; i < end; i++) if (entryGap(page, i) < entryGap(page, least)) least = i;
  return least;
}

/** Some entries of a page as a row of nodes. */
function rowOf(page: Page, start: number, end: number): NodeRow {
  const ids: NodeId[] = [];
  const gaps: number[] = [];
  for (let i = start; i < end; i++) {
    ids.push(page.bytes.subarray(idOffset(i), idOffset(i) + ID_BYTES));
    gaps.push(entryGap(page, i));
  }
  return nodeRow(ids, gaps);
}

/** A row of nodes; the first gap does not matter. */
export function nodeRow(ids: readonly NodeId[], gaps: readonly number[]): NodeRow {
  const count = ids.length;
  const bytes = new Uint8Array(HEADER_BYTES + count * (ID_BYTES + 2));
  for (const [i, id] of ids.entries()) {
    copyBytes(id, 0, bytes, idOffset(i), ID_BYTES);
    const gap = gaps[i] as number;
    bytes[idOffset(count) + i * 2] = gap >> 8;
    bytes[idOffset(count) + i * 2 + 1] = gap;
  }
  return { count, bytes };
}

export function rootsOf(rows: readonly NodeRow[]): NodeId[] {
  const roots = rows.map(() => new Uint8Array(ID_BYTES));
  hashSubtrees(rows, (i, id, at) => copyBytes(id, at, roots[i] as NodeId, 0, ID_BYTES));
  return roots;
}
