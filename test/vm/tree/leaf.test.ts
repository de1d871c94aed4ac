import fc from "fast-check";
import { describe, expect, test as it } from "vitest";
import { padLeft } from "../../../base/bytes.ts";
import { accountLeaves, slotLeaves } from "../../../vm/tree/leaf.ts";
import { accountPayload, hashNode, leafName } from "../../../vm/tree/proof.ts";
import { naiveAccountLeaf, naiveSlotLeaf } from "./naive-tree.ts";

const word = fc.uint8Array({ minLength: 32, maxLength: 32 });
const integer = fc.uint8Array({ maxLength: 32 });

describe("leaves", () => {
  it("of accounts are the specification's, in any number at once", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ key: word, nonce: integer, balance: integer, codeHash: word }), { maxLength: 40 }),
        (accounts) => {
          const expected = accounts.map(({ key, nonce, balance, codeHash }) =>
            naiveAccountLeaf(key, nonce, balance, codeHash),
          );
          expect(accountLeaves(accounts)).toEqual(expected);
        },
      ),
    );
  });

  it("of slots are the specification's, in any number at once", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ key: fc.uint8Array({ minLength: 64, maxLength: 64 }), value: integer }), {
          maxLength: 40,
        }),
        (slots) => {
          expect(slotLeaves(slots)).toEqual(slots.map(({ key, value }) => naiveSlotLeaf(key, value)));
        },
      ),
    );
  });

  it("hash as proofs show them: a name and a payload", () => {
    const key = new Uint8Array(32).fill(7);
    const codeHash = new Uint8Array(32).fill(9);
    const payload = accountPayload({ nonce: 3n, balance: 5n, codeHash: `0x${"09".repeat(32)}` });
    const [leaf] = accountLeaves([{ key, nonce: new Uint8Array([3]), balance: new Uint8Array([5]), codeHash }]);
    expect(hashNode(0xffff, leafName(key), payload)).toEqual(leaf);
    const slot = new Uint8Array(64).fill(8);
    const value = new Uint8Array([1, 2]);
    expect(hashNode(0xfffe, leafName(slot), padLeft(value, 32))).toEqual(slotLeaves([{ key: slot, value }])[0]);
  });
});
