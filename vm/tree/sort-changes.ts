/** The changes of an update in the order of their keys. */
import { compareBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { bitAt, criticalBitOf, isTreeKey } from "./keys.ts";
import { KEY_BITS, leafTag, tagOf } from "./node-id.ts";
import type { LeafChange } from "./types.ts";

export interface SortedChanges {
  readonly changes: readonly LeafChange[];
  /** Per change, the first bit in which its key differs from the one before; the first is 0. */
  readonly gaps: Uint16Array;
}

/** Asserts that the keys are distinct, and that leaves are of their key's kind. */
export function sortChanges(changes: readonly LeafChange[]): SortedChanges {
  let ordered = changes;
  let gaps = gapsOfAscending(ordered);
  if (gaps === undefined) {
    ordered = sortByPrefix(changes);
    gaps = gapsOfAscending(ordered);
  }
  if (gaps === undefined) {
    ordered = [...ordered].sort((a, b) => compareBytes(a.key, b.key));
    gaps = gapsOfAscending(ordered);
  }
  assert(gaps !== undefined, "sorting sorts");
  for (let i = 0; i < ordered.length; i++) {
    const { key, leaf } = ordered[i] as LeafChange;
    assert(isTreeKey(key), "a change has no key of the tree");
    assert(leaf === undefined || tagOf(leaf) === leafTag(key.length), "a change gives a key the wrong kind of leaf");
  }
  return { changes: ordered, gaps };
}

/** `undefined` when the changes are not in order. */
function gapsOfAscending(changes: readonly LeafChange[]): Uint16Array | undefined {
  const gaps = new Uint16Array(changes.length);
  for (let i = 1; i < changes.length; i++) {
    const { key } = changes[i] as LeafChange;
    const gap = criticalBitOf((changes[i - 1] as LeafChange).key, key);
    assert(gap < KEY_BITS, "a key is changed twice");
    if (bitAt(key, gap) === 0) return undefined;
    gaps[i] = gap;
  }
  return gaps;
}

/**
 * Sorts by the first 32 bits of the keys, as numbers that carry the index in the rest: five times as fast as
 * comparing bytes (measured), and almost always all that hashed keys of accounts need.
 */
function sortByPrefix(changes: readonly LeafChange[]): readonly LeafChange[] {
  assert(changes.length <= MAX_CHANGES, "too many changes for one update");
  const order = new Float64Array(changes.length);
  for (let i = 0; i < changes.length; i++) {
    const { key } = changes[i] as LeafChange;
    const word = ((key[0] ?? 0) << 24) | ((key[1] ?? 0) << 16) | ((key[2] ?? 0) << 8) | (key[3] ?? 0);
    order[i] = (word >>> 0) * MAX_CHANGES + i;
  }
  order.sort();
  const sorted: LeafChange[] = [];
  for (let i = 0; i < order.length; i++) sorted.push(changes[(order[i] as number) % MAX_CHANGES] as LeafChange);
  return sorted;
}

/** Beside 32 bits of a key, as many indices as fit in a number's 53 bits. */
const MAX_CHANGES = 2 ** 21;
