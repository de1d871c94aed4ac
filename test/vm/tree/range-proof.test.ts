import fc from "fast-check";
import { describe, expect, test as it } from "vitest";
import { compareBytes } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";
import {
  decodeRangeProof,
  encodeRangeProof,
  type KeyRange,
  proveRange,
  type RangeProof,
  verifyRange,
} from "../../../vm/tree/range-proof.ts";
import type { Leaf } from "../../../vm/tree/scan.ts";
import { anyKey } from "./arbitraries.ts";
import { someLeaf } from "./naive-tree.ts";
import { anyState, SampleState } from "./sample-state.ts";
import { hashedKeys } from "./sample-tree.ts";

function within({ first, last }: KeyRange, leaves: readonly Leaf[]): Leaf[] {
  return leaves.filter(({ key }) => compareBytes(key, first) >= 0 && compareBytes(key, last) <= 0);
}

function prove(state: SampleState, range: KeyRange): RangeProof {
  return decodeRangeProof(encodeRangeProof(proveRange(state.head, state.pages, state, range)));
}

function accepts(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (isCoded(error, "PROOF_INVALID")) return false;
    throw error;
  }
}

const anyRange = fc.tuple(anyKey, anyKey).map(([a, b]) => {
  const [first, last] = compareBytes(a, b) <= 0 ? [a, b] : [b, a];
  return { first, last };
});

const STATE = new SampleState(hashedKeys(200));
const KEYS = STATE.leaves.map(({ key }) => key);
const RANGE = { first: KEYS[50] as Uint8Array, last: KEYS[90] as Uint8Array };
const WHOLE = { first: new Uint8Array(32), last: new Uint8Array(64).fill(0xff) };

describe("a proof of a range", () => {
  it("shows that the leaves are all that the tree has there", () => {
    fc.assert(
      fc.property(anyState, anyRange, (state, range) => {
        verifyRange(state.head.root, range, within(range, state.leaves), prove(state, range));
        verifyRange(state.head.root, WHOLE, state.leaves, prove(state, WHOLE));
      }),
      { numRuns: 60 },
    );
  });

  it("refuses a list with a leaf dropped, added, changed or moved", () => {
    fc.assert(
      fc.property(anyState, anyRange, anyKey, fc.nat(), (state, range, other, pick) => {
        const { root } = state.head;
        const entries = within(range, state.leaves);
        const proof = prove(state, range);
        const refuses = (list: readonly Leaf[]): void => {
          expect(accepts(() => verifyRange(root, range, list, proof))).toBe(false);
        };
        if (!state.has(other)) {
          const added = [...entries, { key: other, leaf: someLeaf(other, 0) }];
          refuses(added.sort((a, b) => compareBytes(a.key, b.key)));
        }
        if (entries.length === 0) return;
        const at = pick % entries.length;
        const { key } = entries[at] as Leaf;
        refuses(entries.toSpliced(at, 1));
        refuses(entries.with(at, { key, leaf: someLeaf(key, 1) }));
        refuses([...entries, entries[at] as Leaf]);
        if (entries.length > 1) refuses(entries.toReversed());
      }),
      { numRuns: 60 },
    );
  });

  it("refuses the leaves of one range for another", () => {
    const entries = within(RANGE, STATE.leaves);
    const { root } = STATE.head;
    const proof = prove(STATE, RANGE);
    const wider = [
      { first: KEYS[49] as Uint8Array, last: RANGE.last },
      { first: RANGE.first, last: KEYS[91] as Uint8Array },
      { first: KEYS[51] as Uint8Array, last: RANGE.last },
      WHOLE,
    ];
    for (const range of wider) {
      expect(accepts(() => verifyRange(root, range, entries, proof))).toBe(false);
    }
    verifyRange(root, RANGE, entries, proof);
  });

  it("refuses to do without a neighbour, or without the subtrees beside it", () => {
    const entries = within(RANGE, STATE.leaves);
    const { root } = STATE.head;
    const proof = prove(STATE, RANGE);
    const [step] = proof.left as [RangeProof["left"][0]];
    const variants: RangeProof[] = [
      { ...proof, before: undefined },
      { ...proof, after: undefined },
      { ...proof, before: undefined, left: [] },
      { ...proof, after: undefined, right: [] },
      { ...proof, left: [] },
      { ...proof, right: [] },
      { ...proof, left: proof.right, right: proof.left },
      { ...proof, left: [step, ...proof.left] },
      { ...proof, left: [{ ...step, depth: 511 }] },
      { ...proof, left: [{ ...step, depth: Number.NaN }] },
      { ...proof, before: proof.after, after: proof.before },
      { left: [], before: undefined, after: undefined, right: [] },
    ];
    for (const variant of variants) {
      expect(accepts(() => verifyRange(root, RANGE, entries, variant))).toBe(false);
    }
    expect(
      accepts(() => verifyRange(root, RANGE, [], { left: [], before: undefined, after: undefined, right: [] })),
    ).toBe(false);
  });

  it("is refused after a change of any byte", () => {
    const entries = within(RANGE, STATE.leaves);
    const bytes = encodeRangeProof(prove(STATE, RANGE));
    for (let i = 0; i < bytes.length; i++) {
      for (const flip of [1, 0x80]) {
        const changed = bytes.slice();
        changed[i] = (changed[i] as number) ^ flip;
        expect(accepts(() => verifyRange(STATE.head.root, RANGE, entries, decodeRangeProof(changed)))).toBe(false);
      }
    }
  });

  it("never makes the verifier throw anything but PROOF_INVALID", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(accepts(() => verifyRange(STATE.head.root, RANGE, [], decodeRangeProof(bytes)))).toBe(false);
      }),
    );
  });
});
