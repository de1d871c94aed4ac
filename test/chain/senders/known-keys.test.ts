import { secp256k1 } from "@noble/curves/secp256k1.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytes32, bytesToHex, equalBytes } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { Prng } from "../../../base/prng.ts";
import { SECP256K1_ORDER as N, publicKeyToAddress, recoverPublicKey } from "../../../base/secp256k1.ts";
import { claimOf } from "../../../chain/senders/claim.ts";
import { type ClaimedSignature, type KeyAddon, KnownKeys, loadKeyAddon } from "../../../chain/senders/known-keys.ts";

const loaded = loadKeyAddon();

/** Where sums of points meet their special cases: small, large and negative multiples, and those that tables hold. */
const SPECIAL = [1n, 2n, 3n, 15n, 31n, 32n, 2n ** 128n, 3n * 2n ** 128n, N - 1n, N - 2n, N - 2n ** 128n, (N + 1n) / 2n];

interface Signed {
  readonly hash: bigint;
  readonly r: bigint;
  readonly s: bigint;
  readonly yParity: 0 | 1;
  /** Of `publicKeys`. */
  readonly key: number;
}

const mod = (value: bigint): bigint => ((value % N) + N) % N;

function publicKeyOf(secret: bigint): Uint8Array {
  return secp256k1.Point.BASE.multiply(secret).toBytes(false).slice(1);
}

/** With a nonce of our choice, as the formula says; `undefined` where it gives no signature. */
function sign(hash: bigint, secret: bigint, nonce: bigint, key: number): Signed | undefined {
  const { x, y } = secp256k1.Point.BASE.multiply(nonce).toAffine();
  const s = mod(secp256k1.Point.Fn.inv(nonce) * (hash + x * secret));
  return x < N && s !== 0n ? { hash, r: x, s, yParity: y & 1n ? 1 : 0, key } : undefined;
}

const secret = fc.oneof(fc.constantFrom(...SPECIAL), fc.bigInt({ min: 1n, max: N - 1n }));
const hash = fc.oneof(
  fc.constantFrom(0n, 1n, N - 1n, N, 2n ** 256n - 1n),
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
);
const batch = fc
  .array(secret, { minLength: 1, maxLength: 4 })
  .chain((secrets) =>
    fc.array(fc.tuple(hash, fc.nat(secrets.length - 1), secret), { minLength: 1, maxLength: 9 }).map((wanted) => ({
      publicKeys: secrets.map(publicKeyOf),
      signed: wanted
        .map(([message, key, nonce]) => sign(message, secrets[key] as bigint, nonce, key))
        .filter((one) => one !== undefined),
    })),
  )
  .filter(({ signed }) => signed.length > 0);

describe.runIf(loaded !== undefined)("the check of many signatures", () => {
  const addon = loaded as KeyAddon;

  function check(publicKeys: readonly Uint8Array[], signed: readonly Signed[], random: Uint8Array): boolean {
    const packed = signed.map(({ hash: message, r, s, yParity }) => [
      ...bytes32(message),
      ...bytes32(r),
      ...bytes32(s),
      yParity,
    ]);
    const tables = publicKeys.map((key) => addon.makeTable(key) as Uint8Array);
    return addon.check(new Uint8Array(packed.flat()), new Uint32Array(signed.map(({ key }) => key)), tables, random);
  }

  /** What it must say: that recovering each gives its key. */
  function expected(publicKeys: readonly Uint8Array[], signed: readonly Signed[]): boolean {
    return signed.every(({ hash: message, r, s, yParity, key }) => {
      const found = recoverPublicKey(bytes32(message), bytes32(r), bytes32(s), yParity);
      return found !== undefined && equalBytes(found, publicKeys[key] as Uint8Array);
    });
  }

  const random = (count: number, seed: number) => new Prng(`factors ${seed}`).bytes(16 * count);

  it("takes what was signed, whatever the keys, nonces and factors, also where points are equal or opposite", () => {
    const factor = fc.constantFrom(1n, 2n, 3n, 16n, 2n ** 64n, 2n ** 127n, 2n ** 128n - 1n);
    fc.assert(
      fc.property(batch, fc.array(factor, { minLength: 9, maxLength: 9 }), ({ publicKeys, signed }, factors) => {
        expect(expected(publicKeys, signed)).toBe(true);
        const bytes = factors.slice(0, signed.length).flatMap((one) => [...bytes32(one).subarray(16)].reverse());
        expect(check(publicKeys, signed, new Uint8Array(bytes))).toBe(true);
        expect(check(publicKeys, signed, random(signed.length, 0))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it("says exactly what recovering says when one thing of one signature is another", () => {
    const anything = fc.oneof(
      fc.constantFrom(0n, 1n, N - 1n, N, N + 1n, 2n ** 256n - 1n, 2n ** 256n - 2n ** 32n - 977n),
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    );
    const change = fc.oneof(
      anything.map(
        (value) =>
          (one: Signed): Signed => ({ ...one, hash: value }),
      ),
      anything.map(
        (value) =>
          (one: Signed): Signed => ({ ...one, r: value }),
      ),
      anything.map(
        (value) =>
          (one: Signed): Signed => ({ ...one, s: value }),
      ),
      fc.nat(255).map(
        (bit) =>
          (one: Signed): Signed => ({ ...one, hash: one.hash ^ (1n << BigInt(bit)) }),
      ),
      fc.nat(255).map(
        (bit) =>
          (one: Signed): Signed => ({ ...one, s: one.s ^ (1n << BigInt(bit)) }),
      ),
      // The other parity, with or without the other s: one is another key's, one the same key's.
      fc.constant((one: Signed): Signed => ({ ...one, yParity: one.yParity === 0 ? 1 : 0 })),
      fc.constant((one: Signed): Signed => ({ ...one, s: N - one.s })),
      fc.constant((one: Signed): Signed => ({ ...one, s: N - one.s, yParity: one.yParity === 0 ? 1 : 0 })),
      fc.nat(3).map(
        (key) =>
          (one: Signed): Signed => ({ ...one, key }),
      ),
    );
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(batch, change, fc.nat(), fc.nat(), ({ publicKeys, signed }, changed, at, seed) => {
        const place = at % signed.length;
        const others = signed.map((one, index) => (index === place ? changed(one) : one));
        if (others.some(({ key }) => key >= publicKeys.length)) return;
        const want = expected(publicKeys, others);
        seen.add(want);
        expect(check(publicKeys, others, random(others.length, seed))).toBe(want);
      }),
      { numRuns: 500 },
    );
    expect(seen.size).toBe(2);
  });

  it("has no key outside the curve, and refuses to read outside of what it is given", () => {
    const key = publicKeyOf(5n);
    expect(addon.makeTable(key.map((byte, index) => (index === 63 ? byte ^ 1 : byte)))).toBeUndefined();
    expect(addon.makeTable(new Uint8Array(64))).toBeUndefined();
    expect(() => addon.makeTable(key.subarray(1))).toThrow("64 bytes");
    const table = addon.makeTable(key) as Uint8Array;
    const one = [new Uint8Array(97), new Uint32Array(1), [table], new Uint8Array(16)] as const;
    expect(() => addon.check(new Uint8Array(96), one[1], one[2], one[3])).toThrow("length");
    expect(() => addon.check(one[0], one[1], one[2], new Uint8Array(15))).toThrow("length");
    expect(() => addon.check(one[0], one[1], [table.subarray(1)], one[3])).toThrow("table");
    expect(() => addon.check(one[0], Uint32Array.of(1), one[2], one[3])).toThrow("not there");
    expect(() => addon.check(one[0], one[1], [], one[3])).toThrow("not there");
    for (const wrong of [undefined, 1, "text", {}, new Uint16Array(64)]) {
      expect(() => addon.makeTable(wrong as never)).toThrow();
      for (let place = 0; place < 4; place++) {
        const given = one.map((argument, index) => (index === place ? wrong : argument));
        expect(() => (addon.check as (...all: unknown[]) => boolean)(...given)).toThrow();
      }
    }
  });
});

describe("known keys", () => {
  /** Believes everything, and tells what it was asked. */
  function credulous(): { readonly addon: KeyAddon; readonly tables: Uint8Array[]; readonly checks: number[] } {
    const tables: Uint8Array[] = [];
    const checks: number[] = [];
    const addon: KeyAddon = {
      makeTable: (key) => {
        tables.push(key);
        return key;
      },
      check: (_, keyOf) => {
        checks.push(keyOf.length);
        return true;
      },
    };
    return { addon, tables, checks };
  }

  /** Of no curve, which nobody asks about here. */
  const keyOf = (index: number): Uint8Array => new Uint8Array([...keccak256(bytes32(BigInt(index))), ...bytes32(7n)]);
  const claimOfKey = (key: Uint8Array): bigint => claimOf(bytesToHex(publicKeyToAddress(key)));
  const signatureOf = (key: Uint8Array): ClaimedSignature => {
    const [bytes, claim] = [bytes32(1n), claimOfKey(key)];
    return { claim, hash: bytes, r: bytes, s: bytes, yParity: 0 };
  };

  it("are those that were remembered, the last ones, however many come", () => {
    const keys = new KnownKeys(credulous().addon);
    const all = Array.from({ length: 5_000 }, (_, index) => keyOf(index));
    const favourite = all[0] as Uint8Array;
    for (const key of all) {
      keys.remember(key);
      // Whoever goes on sending stays known.
      expect(keys.confirm(new Array<ClaimedSignature>(4).fill(signatureOf(favourite)))?.length).toBe(4);
    }
    const known = all.filter((key) => keys.knows(claimOfKey(key)));
    expect(known.length).toBeLessThanOrEqual(2_049);
    expect(known).toEqual([favourite, ...all.slice(1 - known.length)]);
  });

  it("get their table once, when they are needed", () => {
    const { addon, tables, checks } = credulous();
    const keys = new KnownKeys(addon);
    const [first, second] = [keyOf(1), keyOf(2)];
    expect(keys.remember(first)).toEqual(publicKeyToAddress(first));
    keys.remember(second);
    expect(tables).toEqual([]);
    const signatures = [first, second, first, second].map(signatureOf);
    for (let i = 0; i < 3; i++) {
      keys.remember(first);
      expect(keys.confirm(signatures)).toEqual([first, second, first, second].map(publicKeyToAddress));
    }
    expect(tables).toEqual([first, second]);
    expect(checks).toEqual([4, 4, 4]);
  });

  it("confirm nothing of strangers", () => {
    const { addon, checks } = credulous();
    const keys = new KnownKeys(addon);
    keys.remember(keyOf(1));
    expect(keys.confirm([1, 1, 1, 2].map((index) => signatureOf(keyOf(index))))).toBeUndefined();
    expect(checks).toEqual([]);
  });
});
