/** Keys and batches that are hard on the tree. */
import fc from "fast-check";

function bytes(length: number): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array({ minLength: length, maxLength: length });
}

/** Few distinct values per byte, most of them the same: long shared prefixes, neighbours in the last bit. */
function clustered(length: number): fc.Arbitrary<Uint8Array> {
  return fc
    .tuple(fc.nat(length - 1), fc.nat(255), fc.constantFrom(0, 0, 0x80, 0xff), fc.constantFrom(0, 1))
    .map(([position, value, fill, last]) => {
      const key = new Uint8Array(length).fill(fill);
      key[position] = value;
      key[length - 1] = (key[length - 1] as number) ^ last;
      return key;
    });
}

/** A comb: the first `n` bits of one path, then the other way. Splits of a page give one entry and the rest. */
function comb(length: number): fc.Arbitrary<Uint8Array> {
  return fc.nat(length * 8 - 2).map((turn) => {
    const key = new Uint8Array(length).fill(0x5a);
    key[turn >> 3] = (key[turn >> 3] as number) ^ (0x80 >> (turn & 7));
    return key;
  });
}

const FEW_ACCOUNTS = Array.from({ length: 6 }, (_, i) =>
  new Uint8Array(32).map((_, j) => (i * 59 + j * (i & 1)) & 0xff),
);

function slotOf(account: fc.Arbitrary<Uint8Array>, slot: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> {
  return fc.tuple(account, slot).map(([a, s]) => {
    const key = new Uint8Array(64);
    key.set(a);
    key.set(s, 32);
    // A slot key of zeros is its account's key; keccak does not give it.
    if (s.every((byte) => byte === 0)) key[63] = 1;
    return key;
  });
}

export const anyKey: fc.Arbitrary<Uint8Array> = fc.oneof(
  bytes(32),
  clustered(32),
  comb(32),
  fc.constantFrom(...FEW_ACCOUNTS),
  slotOf(fc.constantFrom(...FEW_ACCOUNTS), bytes(32)),
  slotOf(fc.constantFrom(...FEW_ACCOUNTS), clustered(32)),
  slotOf(fc.constantFrom(...FEW_ACCOUNTS), comb(32)),
);

export interface Step {
  /** Keys to set, and a version that makes their leaves. */
  readonly set: readonly Uint8Array[];
  readonly version: number;
  /** Of the leaves that exist, every how many-th is removed; 0: none, 1: all. */
  readonly removeEvery: number;
  /** Keys to remove that most likely do not exist. */
  readonly removeAbsent: readonly Uint8Array[];
}

export const anyStep: fc.Arbitrary<Step> = fc.record({
  set: fc.array(anyKey, { maxLength: 150, size: "max" }),
  version: fc.nat(255),
  removeEvery: fc.constantFrom(0, 0, 0, 1, 2, 2, 3, 7),
  removeAbsent: fc.array(anyKey, { maxLength: 5 }),
});
