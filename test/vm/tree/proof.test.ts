import fc from "fast-check";
import { describe, expect, test as it } from "vitest";
import { equalBytes } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";
import {
  decodeProof,
  encodeProof,
  type TreeProof,
  verifyAccount,
  verifyKey,
  verifySlot,
} from "../../../vm/tree/proof.ts";
import { proveKey } from "../../../vm/tree/prove.ts";
import type { TreeKey } from "../../../vm/tree/types.ts";
import { anyKey } from "./arbitraries.ts";
import { accountOf, anyState, SampleState, slotValue } from "./sample-state.ts";
import { hashedKeys } from "./sample-tree.ts";

function prove(state: SampleState, key: TreeKey): TreeProof {
  return proveKey(state.head, state.pages, state, key);
}

/** False for PROOF_INVALID; anything else that is thrown is a bug. */
function accepts(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (isCoded(error, "PROOF_INVALID")) return false;
    throw error;
  }
}

const KEYS = hashedKeys(120);
const STATE = new SampleState([...KEYS.slice(0, 100), ...KEYS.slice(0, 40).map((key, i) => slotUnder(key, i))]);
const PRESENT = KEYS[3] as Uint8Array;
const ABSENT = KEYS[110] as Uint8Array;

function slotUnder(account: Uint8Array, index: number): Uint8Array {
  const key = new Uint8Array(64);
  key.set(account);
  key.set(KEYS[119 - index] as Uint8Array, 32);
  return key;
}

describe("a proof of one key", () => {
  it("shows the leaf of every key that the tree has, and that it has none for any other", () => {
    fc.assert(
      fc.property(anyState, fc.array(anyKey, { maxLength: 20 }), (state, others) => {
        const leaves = new Map(state.leaves.map(({ key, leaf }) => [key.join(), leaf]));
        for (const key of [...state.leaves.map((leaf) => leaf.key), ...others]) {
          const proof = decodeProof(encodeProof(prove(state, key)));
          expect(verifyKey(state.head.root, key, proof).leaf).toEqual(leaves.get(key.join()));
        }
      }),
      { numRuns: 25 },
    );
  });

  it("shows an account and a slot with their values, and no other values", () => {
    const { root } = STATE.head;
    const account = accountOf(PRESENT);
    verifyAccount(root, PRESENT, account, prove(STATE, PRESENT));
    verifyAccount(root, ABSENT, undefined, prove(STATE, ABSENT));
    const slot = slotUnder(PRESENT, 3);
    verifySlot(root, slot, slotValue(slot), prove(STATE, slot));
    const noSlot = slotUnder(PRESENT, 4);
    verifySlot(root, noSlot, new Uint8Array(), prove(STATE, noSlot));

    const refused = [
      () => verifyAccount(root, PRESENT, { ...account, balance: account.balance + 1n }, prove(STATE, PRESENT)),
      () => verifyAccount(root, PRESENT, { ...account, nonce: account.nonce + 1n }, prove(STATE, PRESENT)),
      () => verifyAccount(root, PRESENT, undefined, prove(STATE, PRESENT)),
      () => verifyAccount(root, ABSENT, account, prove(STATE, ABSENT)),
      () => verifyAccount(root, slot, account, prove(STATE, slot)),
      () => verifySlot(root, slot, new Uint8Array([7]), prove(STATE, slot)),
      () => verifySlot(root, slot, new Uint8Array(), prove(STATE, slot)),
      () => verifySlot(root, slot, new Uint8Array([0, ...slotValue(slot)]), prove(STATE, slot)),
      () => verifySlot(root, noSlot, new Uint8Array([1]), prove(STATE, noSlot)),
      () => verifySlot(root, PRESENT, new Uint8Array([1]), prove(STATE, PRESENT)),
    ];
    for (const check of refused) expect(accepts(check)).toBe(false);
  });

  it("of one key says nothing about another key", () => {
    fc.assert(
      fc.property(fc.nat(119), fc.nat(119), (a, b) => {
        const asked = KEYS[a] as Uint8Array;
        const proof = prove(STATE, KEYS[b] as Uint8Array);
        const has = STATE.has(asked);
        // The proof may happen to be the other key's proof as well; it must never say what is not so.
        accepts(() => {
          const { leaf } = verifyKey(STATE.head.root, asked, proof);
          expect(leaf !== undefined).toBe(has);
        });
      }),
    );
  });

  it("is refused after a change of any byte, for present and absent keys", () => {
    const slot = slotUnder(PRESENT, 3);
    for (const key of [PRESENT, ABSENT, slot, slotUnder(PRESENT, 4)]) {
      const bytes = encodeProof(prove(STATE, key));
      for (let i = 0; i < bytes.length; i++) {
        for (const flip of [1, 0x80, 0xff]) {
          const changed = bytes.slice();
          changed[i] = (changed[i] as number) ^ flip;
          expect(accepts(() => verifyKey(STATE.head.root, key, decodeProof(changed)))).toBe(false);
        }
      }
      expect(accepts(() => decodeProof(bytes.subarray(1)))).toBe(false);
      expect(accepts(() => decodeProof(new Uint8Array([...bytes, 0])))).toBe(false);
    }
  });

  it("is refused when steps are missing, doubled, swapped or not numbers", () => {
    const { steps, leaf } = prove(STATE, PRESENT);
    const [first, second, ...rest] = steps as [TreeProof["steps"][0], TreeProof["steps"][0]];
    const variants: TreeProof[] = [
      { steps: steps.slice(1), leaf },
      { steps: steps.slice(0, -1), leaf },
      { steps: [first, ...steps], leaf },
      { steps: [second, first, ...rest], leaf },
      { steps, leaf: undefined },
      { steps: [], leaf: undefined },
      { steps: [{ ...first, depth: Number.NaN }, second, ...rest], leaf },
      { steps: [{ ...first, depth: -1 }, second, ...rest], leaf },
      { steps: [{ ...first, depth: first.depth + 0.5 }, second, ...rest], leaf },
      { steps: [{ ...first, sibling: first.sibling.subarray(1) }, second, ...rest], leaf },
    ];
    for (const proof of variants) expect(accepts(() => verifyKey(STATE.head.root, PRESENT, proof))).toBe(false);
  });

  it("is refused when an inner node is shown as a leaf", () => {
    const { steps } = prove(STATE, PRESENT);
    const [top] = steps as [TreeProof["steps"][0]];
    const children = [top.sibling, top.sibling] as const;
    for (const tag of [0xffff, 0xfffe, top.depth, 511, 512]) {
      const proof = { steps: [], leaf: { tag, name: children[0], payload: children[1] } };
      expect(accepts(() => verifyKey(STATE.head.root, PRESENT, proof))).toBe(false);
    }
  });

  it("in the empty tree is empty, and proves nothing in another", () => {
    const empty = new SampleState([]);
    const proof = decodeProof(encodeProof(prove(empty, PRESENT)));
    verifyAccount(empty.head.root, PRESENT, undefined, proof);
    expect(accepts(() => verifyAccount(STATE.head.root, PRESENT, undefined, proof))).toBe(false);
    expect(accepts(() => verifyKey(empty.head.root, PRESENT, prove(STATE, PRESENT)))).toBe(false);
    expect(accepts(() => verifyKey(STATE.head.root, new Uint8Array(64), prove(STATE, PRESENT)))).toBe(false);
  });

  it("never makes the verifier throw anything but PROOF_INVALID", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), anyKey, (bytes, key) => {
        expect(accepts(() => verifyKey(STATE.head.root, key, decodeProof(bytes)))).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it("shows the halves of a leaf, whose first names its key", () => {
    const { leaf } = prove(STATE, PRESENT);
    expect(leaf?.tag).toBe(0xffff);
    expect(equalBytes(leaf?.name ?? new Uint8Array(), PRESENT)).toBe(true);
  });
});
