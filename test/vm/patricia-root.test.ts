import { MerklePatriciaTrie } from "@ethereumjs/mpt";
import fc from "fast-check";
import { expect, test as it } from "vitest";
import { bytesToHex, type Hex, hexToBytes } from "../../base/bytes.ts";
import { encodeRlp, rlpOfInteger } from "../../base/rlp.ts";
import { EMPTY_PATRICIA_ROOT, orderedRoot, patriciaRoot } from "../../vm/patricia-root.ts";

async function theirRoot(entries: readonly (readonly [Uint8Array, Uint8Array])[]): Promise<Hex> {
  const trie = new MerklePatriciaTrie();
  for (const [key, value] of entries) await trie.put(key, value);
  return bytesToHex(trie.root());
}

it("any set of entries has the root that @ethereumjs/mpt gives it", async () => {
  const keys = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 4 }),
    // Few different bytes: long shared prefixes, keys that are prefixes of others.
    fc.array(fc.constantFrom(0x00, 0x01, 0x10), { minLength: 1, maxLength: 6 }).map((bytes) => Uint8Array.from(bytes)),
  );
  const sets = fc.uniqueArray(fc.tuple(keys, fc.uint8Array({ minLength: 1, maxLength: 40 })), {
    selector: ([key]) => bytesToHex(key),
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(sets, async (entries) => {
      const ours = patriciaRoot(entries.map(([key, value]) => ({ key, value })));
      expect(bytesToHex(ours)).toBe(await theirRoot(entries));
    }),
    { numRuns: 200 },
  );
});

it("a list of 300 values has the ordered root that @ethereumjs/mpt gives it", async () => {
  const values = Array.from({ length: 300 }, (_, i) => Uint8Array.from({ length: (i % 50) + 1 }, (_, j) => i ^ j));
  const entries = values.map((value, i) => [encodeRlp(rlpOfInteger(BigInt(i))), value] as const);
  expect(bytesToHex(orderedRoot(values))).toBe(await theirRoot(entries));
});

it("the root of nothing is Ethereum's empty root", () => {
  expect(orderedRoot([])).toEqual(EMPTY_PATRICIA_ROOT);
  expect(EMPTY_PATRICIA_ROOT).toEqual(hexToBytes("0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"));
});
