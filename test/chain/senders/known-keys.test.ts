import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytes32, bytesToBigint, bytesToHex, equalBytes } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { SECP256K1_ORDER as N, publicKeyToAddress, recoverPublicKey } from "../../../base/secp256k1.ts";
import { claimOfBytes, NO_CLAIM } from "../../../chain/senders/claim.ts";
import { type ClaimedSignature, type KeyAddon, KnownKeys, loadKeyAddon } from "../../../chain/senders/known-keys.ts";

const loaded = loadKeyAddon();

/** Where sums of points meet their special cases: small, large and negative multiples, and those that tables hold. */
const SPECIAL = [1n, 2n, 3n, 15n, 31n, 32n, 2n ** 32n, 3n * 2n ** 64n, N - 1n, N - 2n, N - 2n ** 224n, (N + 1n) / 2n];

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

const inverse = (value: bigint): bigint => secp256k1.Point.Fn.inv(value);

const { Fp } = secp256k1.Point;
const PRIME = Fp.ORDER;

/** The first with that x or more. */
function pointOfX(least: bigint) {
  for (let x = least; ; x++) {
    try {
      return { point: secp256k1.Point.fromHex(`02${x.toString(16).padStart(64, "0")}`), x };
    } catch {
      // No point has this x.
    }
  }
}

/** The first with that y or more. */
function pointOfY(least: bigint) {
  for (let y = least; ; y++) {
    // A cube root, where there is one: the prime is 7 modulo 9.
    const cube = Fp.create(y * y - 7n);
    const x = Fp.pow(cube, (PRIME + 2n) / 9n);
    if (Fp.pow(x, 3n) === cube) return { point: secp256k1.Point.fromAffine({ x, y }), x, y };
  }
}

/** The key whose signature is s and that nonce's point. */
function keyOfNonce(nonce: InstanceType<typeof secp256k1.Point>, hash: bigint, s: bigint) {
  return nonce
    .multiply(s)
    .subtract(secp256k1.Point.BASE.multiply(hash))
    .multiply(inverse(mod(nonce.x)))
    .toBytes(false)
    .slice(1);
}

/** With a nonce of our choice, as the formula says; `undefined` where it gives no signature. */
function sign(hash: bigint, secret: bigint, nonce: bigint, key: number): Signed | undefined {
  const { x, y } = secp256k1.Point.BASE.multiply(nonce).toAffine();
  const s = mod(inverse(nonce) * (hash + x * secret));
  return x < N && s !== 0n ? { hash, r: x, s, yParity: y & 1n ? 1 : 0, key } : undefined;
}

/** With multiples of the generator and of the key that are of our choice. */
function signedBy(ofGenerator: bigint, ofKey: bigint, secret: bigint, key: number): Signed {
  const { x, y } = secp256k1.Point.BASE.multiply(mod(ofGenerator + ofKey * secret)).toAffine();
  const s = mod(x * inverse(ofKey));
  return { hash: mod(ofGenerator * s), r: x, s, yParity: y & 1n ? 1 : 0, key };
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

describe.runIf(loaded !== undefined)("the check of signatures", () => {
  const addon = loaded as KeyAddon;

  function check(publicKeys: readonly Uint8Array[], signed: readonly Signed[]): readonly boolean[] {
    const packed = signed.map(({ hash: message, r, s, yParity }) => [
      ...bytes32(message),
      ...bytes32(r),
      ...bytes32(s),
      yParity,
    ]);
    const tables = publicKeys.map((key) => addon.makeTable(key) as Uint8Array);
    const keyOf = new Uint32Array(signed.map(({ key }) => key));
    return [...addon.check(new Uint8Array(packed.flat()), keyOf, tables)].map((result) => result === 1);
  }

  /** What it must say: whether recovering each gives its key. */
  function expected(publicKeys: readonly Uint8Array[], signed: readonly Signed[]): readonly boolean[] {
    return signed.map(({ hash: message, r, s, yParity, key }) => {
      const found = recoverPublicKey(bytes32(message), bytes32(r), bytes32(s), yParity);
      return found !== undefined && equalBytes(found, publicKeys[key] as Uint8Array);
    });
  }

  it("takes what was signed, whatever the keys and nonces, also where points are equal or opposite", () => {
    fc.assert(
      fc.property(batch, ({ publicKeys, signed }) => {
        const all = new Array<boolean>(signed.length).fill(true);
        expect(expected(publicKeys, signed)).toEqual(all);
        expect(check(publicKeys, signed)).toEqual(all);
      }),
      { numRuns: 100 },
    );
  });

  it("says exactly what recovering says of each when one thing of one is another", () => {
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
      fc.property(batch, change, fc.nat(), ({ publicKeys, signed }, changed, at) => {
        const place = at % signed.length;
        const others = signed.map((one, index) => (index === place ? changed(one) : one));
        if (others.some(({ key }) => key >= publicKeys.length)) return;
        const want = expected(publicKeys, others);
        seen.add(want[place] as boolean);
        expect(check(publicKeys, others)).toEqual(want);
      }),
      { numRuns: 200 },
    );
    expect(seen.size).toBe(2);
  });

  it("refuses what says that the sum of the two multiples is no point", () => {
    // z = -r d, so that (z / s) G and (r / s) Q cancel each other.
    const secret = 12_345n;
    const { x } = secp256k1.Point.BASE.multiply(77n).toAffine();
    const none: Signed = { hash: mod(-x * secret), r: x, s: 5n, yParity: 0, key: 0 };
    const good = sign(123n, secret, 77n, 0) as Signed;
    expect(expected([publicKeyOf(secret)], [none, good])).toEqual([false, true]);
    expect(check([publicKeyOf(secret)], [none, good])).toEqual([false, true]);
    expect(check([publicKeyOf(secret)], [none])).toEqual([false]);
    expect(check([], [])).toEqual([]);
  });

  it("refuses r and s that are the order or more, where the equation holds", () => {
    // Some x between the order and the field's prime, and the key that fits.
    const { point, x } = pointOfX(N + 1n);
    const [s, message] = [7n, 11n];
    const fitting = keyOfNonce(point, message, s);
    const large = { hash: message, r: x, s, yParity: 0, key: 0 } as const;
    expect(recoverPublicKey(bytes32(message), bytes32(x), bytes32(s), 0)).toBeUndefined();
    expect(check([fitting], [large])).toEqual([false]);
    // Recovering takes r for the x of another point, if any has it.
    const reduced = [0, 1].map((yParity): Signed => ({ ...large, r: mod(x), yParity: yParity as 0 | 1 }));
    expect(expected([fitting], reduced)).toEqual([false, false]);
    expect(check([fitting], reduced)).toEqual([false, false]);
    // A small s, which fits in 32 bytes with the order added.
    const nonce = 1234n;
    const { x: r } = secp256k1.Point.BASE.multiply(nonce).toAffine();
    const secret = mod((s * nonce - message) * inverse(r));
    const small = sign(message, secret, nonce, 0) as Signed;
    expect(small.s).toBe(s);
    expect(check([publicKeyOf(secret)], [small])).toEqual([true]);
    expect(check([publicKeyOf(secret)], [{ ...small, s: s + N }])).toEqual([false]);
  });

  it("finds points whose coordinates are at either end of the field", () => {
    const [s, message] = [7n, 11n];
    for (const { point, y } of [pointOfY(1n), pointOfY(2n ** 40n), pointOfY(PRIME - 50n)]) {
      const yParity = y & 1n ? 1 : 0;
      const one: Signed = { hash: message, r: point.x, s, yParity, key: 0 };
      const other: Signed = { ...one, yParity: yParity === 0 ? 1 : 0 };
      const keys = [keyOfNonce(point, message, s)];
      expect(expected(keys, [one, other])).toEqual([true, false]);
      expect(check(keys, [one, other])).toEqual([true, false]);
    }
    const { point, x } = pointOfX(1n);
    const keys = [keyOfNonce(point, message, s)];
    const least: Signed = { hash: message, r: x, s, yParity: 0, key: 0 };
    expect(expected(keys, [least])).toEqual([true]);
    expect(check(keys, [least])).toEqual([true]);
  });

  it("divides by powers of two, where sums on the way to the inverse are the largest", () => {
    const { point, x } = pointOfX(1n);
    for (let s = 1n; s < N; s *= 2n) {
      // Alone: of several together the product is inverted.
      const one: Signed = { hash: 11n, r: x, s, yParity: 0, key: 0 };
      expect(check([keyOfNonce(point, 11n, s)], [one]), String(s)).toEqual([true]);
    }
  });

  it("takes multiples that may be found as the order or more", () => {
    // What a product modulo the order goes above 256 bits by comes back as so many times this.
    const above = 2n ** 256n - N;
    const some = [above - 1n, above, above + 1n, 2n ** 129n, 2n ** 130n, 2n ** 132n + 1n];
    const secrets = Array.from({ length: 4 }, (_, index) => mod(bytesToBigint(keccak256(new Uint8Array([index])))));
    for (const multiple of some) {
      const signed = secrets.flatMap((secret, key) => [
        signedBy(multiple, 3n, secret, key),
        signedBy(3n, multiple, secret, key),
      ]);
      expect(check(secrets.map(publicKeyOf), signed)).toEqual(new Array(8).fill(true));
    }
  });

  it("knows no parity but 0 and 1, and gives each result to its own signature", () => {
    const good = sign(1n, 5n, 7n, 0) as Signed;
    const bytes = [...bytes32(good.hash), ...bytes32(good.r), ...bytes32(good.s)];
    const keys = [publicKeyOf(5n), publicKeyOf(6n)].map((key) => addon.makeTable(key) as Uint8Array);
    const checked = (parities: readonly number[], keyOf: readonly number[]): readonly number[] => [
      ...addon.check(new Uint8Array(parities.flatMap((parity) => [...bytes, parity])), new Uint32Array(keyOf), keys),
    ];
    const { yParity } = good;
    expect(checked([2 + yParity, 255, 254, yParity, 128, yParity], [0, 0, 0, 1, 0, 0])).toEqual([0, 0, 0, 0, 0, 1]);
    expect(checked([yParity, 2, yParity], [0, 0, 1])).toEqual([1, 0, 0]);
  });

  it("has no key outside the curve or in another form, and refuses to read outside of what it is given", () => {
    const key = publicKeyOf(5n);
    expect(addon.makeTable(key.map((byte, index) => (index === 63 ? byte ^ 1 : byte)))).toBeUndefined();
    expect(addon.makeTable(new Uint8Array(64))).toBeUndefined();
    for (const { point } of [pointOfX(1n), pointOfY(1n)]) {
      const of = (x: bigint, y: bigint) => addon.makeTable(new Uint8Array([...bytes32(x), ...bytes32(y)]));
      const { x, y } = point.toAffine();
      expect(of(x, y)).toBeDefined();
      if (x + PRIME < 2n ** 256n) expect(of(x + PRIME, y)).toBeUndefined();
      else expect(of(x, y + PRIME)).toBeUndefined();
    }
    expect(() => addon.makeTable(key.subarray(1))).toThrow("64 bytes");
    const table = addon.makeTable(key) as Uint8Array;
    const one = [new Uint8Array(97), new Uint32Array(1), [table]] as const;
    expect(() => addon.check(new Uint8Array(96), one[1], one[2])).toThrow("length");
    expect(() => addon.check(one[0], one[1], [table.subarray(8)])).toThrow("another length");
    const elsewhere = new Uint8Array(table.length + 1).subarray(1);
    expect(() => addon.check(one[0], one[1], [elsewhere])).toThrow("begins");
    expect(() => addon.check(one[0], Uint32Array.of(1), one[2])).toThrow("not there");
    expect(() => addon.check(one[0], one[1], [])).toThrow("not there");
    // As many as it should be, and too few bytes.
    expect(() => addon.check(one[0], new Uint8Array(new ArrayBuffer(4), 0, 1) as never, one[2])).toThrow("Uint32Array");
    for (const wrong of [undefined, 1, "text", {}, new Uint16Array(64)]) {
      expect(() => addon.makeTable(wrong as never)).toThrow();
      for (let place = 0; place < one.length; place++) {
        const given = one.map((argument, index) => (index === place ? wrong : argument));
        expect(() => (addon.check as (...all: never[]) => unknown)(...(given as never[]))).toThrow();
      }
    }
  });
});

it("is loaded where it was compiled", () => {
  expect(loaded !== undefined).toBe(existsSync("build/native/senders.node"));
});

it.runIf(loaded !== undefined)("does not end a process that ends in the middle of a check", async () => {
  const program = `
    const { Worker, isMainThread } = require("node:worker_threads");
    if (isMainThread) {
      new Worker(__filename, { argv: process.argv.slice(2) });
      setTimeout(() => process.exit(0), 200);
    } else {
      const { makeTable, check } = require(process.argv[2]);
      const table = makeTable(Uint8Array.from(Buffer.from("${bytesToHex(publicKeyOf(5n)).slice(2)}", "hex")));
      const all = [new Uint8Array(97 * 2000), new Uint32Array(2000), new Array(64).fill(table)];
      for (;;) check(...all);
    }`;
  const folder = mkdtempSync(join(tmpdir(), "ogpu-exit-"));
  try {
    writeFileSync(join(folder, "ends.cjs"), program);
    const args = [join(folder, "ends.cjs"), resolve("build/native/senders.node")];
    for (let i = 0; i < 4; i++) expect(spawnSync(process.execPath, args).status).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe("known keys", () => {
  /** Believes everything, and tells what it was asked. */
  function credulous() {
    const tables: Uint8Array[] = [];
    const checks: number[] = [];
    const addon: KeyAddon = {
      makeTable: (key) => {
        tables.push(key);
        return key;
      },
      check: (_, keyOf) => {
        checks.push(keyOf.length);
        return new Uint8Array(keyOf.length).fill(1);
      },
    };
    return { addon, tables, checks };
  }

  /** Of no curve, which nobody asks about here. */
  const keyOf = (index: number): Uint8Array => new Uint8Array([...keccak256(bytes32(BigInt(index))), ...bytes32(7n)]);
  const claimOfKey = (key: Uint8Array): bigint => claimOfBytes(publicKeyToAddress(key));
  const signatureOf = (key: Uint8Array): ClaimedSignature => {
    const [bytes, claim] = [bytes32(1n), claimOfKey(key)];
    return { claim, hash: bytes, r: bytes, s: bytes, yParity: 0 };
  };
  const four = (key: Uint8Array): ClaimedSignature[] => new Array<ClaimedSignature>(4).fill(signatureOf(key));
  const isKnown = (keys: KnownKeys, key: Uint8Array): boolean => keys.confirm(four(key))[0] !== undefined;

  it("are those that were remembered, the last ones, however many come", () => {
    const keys = new KnownKeys(credulous().addon);
    const all = Array.from({ length: 10_000 }, (_, index) => keyOf(index));
    const favourite = all[0] as Uint8Array;
    for (const key of all) {
      keys.remember(key);
      // Whoever goes on sending stays known.
      expect(isKnown(keys, favourite)).toBe(true);
    }
    // Asking makes young: the first that is forgotten is found from the end.
    const known = all.slice(1).toReversed();
    const forgotten = known.findIndex((key) => !isKnown(keys, key));
    expect(forgotten).toBeGreaterThan(1_000);
    expect(forgotten).toBeLessThanOrEqual(2_048);
  });

  it("get their table once, when several signatures need it, or when they were met before", () => {
    const { addon, tables, checks } = credulous();
    const keys = new KnownKeys(addon);
    const some = [1, 2, 3, 4].map(keyOf);
    const [first, second] = some as [Uint8Array, Uint8Array];
    for (const key of some) expect(keys.remember(key)).toEqual(publicKeyToAddress(key));
    // Each once, and once before: recovering them costs less than their tables.
    expect(keys.confirm(some.map(signatureOf))).toEqual(new Array(4).fill(undefined));
    expect([tables, checks]).toEqual([[], []]);
    for (let i = 0; i < 3; i++) {
      expect(keys.confirm([first, second, first, second].map(signatureOf))).toEqual(
        [first, second, first, second].map(publicKeyToAddress),
      );
    }
    expect([tables, checks]).toEqual([
      [first, second],
      [4, 4, 4],
    ]);
    expect(keys.confirm(some.map(signatureOf))).toEqual(some.map(publicKeyToAddress));
    expect(tables).toEqual(some);
  });

  it("confirm nothing of strangers, who keep nobody else from being confirmed", () => {
    const { addon, checks } = credulous();
    const keys = new KnownKeys(addon);
    const [known, stranger] = [keyOf(1), keyOf(2)];
    keys.remember(known);
    const nobody = { ...signatureOf(known), claim: NO_CLAIM };
    const [first, ...others] = keys.confirm([signatureOf(stranger), nobody, ...four(known)]);
    expect([first, ...others]).toEqual([undefined, undefined, ...new Array(4).fill(publicKeyToAddress(known))]);
    expect(checks).toEqual([4]);
  });

  it("with one claim are both recovered for ever, and keep nobody else from being confirmed", () => {
    const { addon, checks } = credulous();
    const shortClaim = (sender: Uint8Array): bigint => BigInt(sender[0] as number) + 1n;
    const keys = new KnownKeys(addon, shortClaim);
    const claimOfKey = (key: Uint8Array): bigint => shortClaim(publicKeyToAddress(key));
    const all = Array.from({ length: 500 }, (_, index) => keyOf(index));
    const [first] = all as [Uint8Array];
    const twin = all.slice(1).find((key) => claimOfKey(key) === claimOfKey(first)) as Uint8Array;
    const other = all.find((key) => claimOfKey(key) !== claimOfKey(first)) as Uint8Array;
    const claimed = (key: Uint8Array): ClaimedSignature => ({ ...signatureOf(key), claim: claimOfKey(key) });
    for (const key of [first, twin, first, other]) expect(keys.remember(key)).toEqual(publicKeyToAddress(key));
    const signatures = [first, twin, first, twin, other, other, other, other].map(claimed);
    expect(keys.confirm(signatures)).toEqual([
      ...new Array(4).fill(undefined),
      ...new Array(4).fill(publicKeyToAddress(other)),
    ]);
    expect(checks).toEqual([4]);
  });

  it("confirm those whose claims are true, whatever others claim", () => {
    const { addon } = credulous();
    const keys = new KnownKeys({ ...addon, check: (_, keyOf) => new Uint8Array(keyOf.length).map((_, i) => i % 2) });
    const known = keyOf(1);
    for (let i = 0; i < 2; i++) keys.remember(known);
    const sender = publicKeyToAddress(known);
    expect(keys.confirm(four(known))).toEqual([undefined, sender, undefined, sender]);
    expect(keys.confirm(four(known).slice(2))).toEqual([undefined, sender]);
  });
});
