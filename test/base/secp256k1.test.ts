import { secp256k1 } from "@noble/curves/secp256k1.js";
import { privateKeyToAccount } from "viem/accounts";
import { afterEach, describe, expect, it, vi } from "vitest";
import { checksumAddress } from "../../base/address.ts";
import { bytes32, bytesToHex, stripLeadingZeros } from "../../base/bytes.ts";
import { Prng } from "../../base/prng.ts";
import {
  isHighS,
  isPrivateKey,
  privateKeyToAddress,
  privateKeyToPublicKey,
  publicKeyToAddress,
  recoverAddress,
  recoverPublicKey,
  SECP256K1_ORDER,
  secp256k1Engine,
  signHash,
} from "../../base/secp256k1.ts";
import type { Secp256k1Engine } from "../../base/secp256k1-engine.ts";
import { nativeSecp256k1 } from "../../base/secp256k1-native.ts";
import { portableSecp256k1 } from "../../base/secp256k1-portable.ts";
import { codeOf } from "./support/code-of.ts";

const N = SECP256K1_ORDER;
const HALF = N / 2n;
/** The field prime p; x coordinates go up to it, past the order. */
const P = 2n ** 256n - 2n ** 32n - 977n;

/** Values at which implementations of scalars differ when they do. */
const SCALARS: readonly bigint[] = [
  0n,
  1n,
  2n,
  3n,
  HALF - 1n,
  HALF,
  HALF + 1n,
  N - 2n,
  N - 1n,
  N,
  N + 1n,
  P - N - 1n,
  P - N,
  P - N + 1n,
  P - 1n,
  P,
  2n ** 255n,
  2n ** 256n - 1n,
];

/** The engine in use and the one to compare it with. */
const engines: readonly Secp256k1Engine[] = [nativeSecp256k1 ?? portableSecp256k1, portableSecp256k1];

const hex = (bytes: Uint8Array | undefined): string | undefined => bytes && bytesToHex(bytes);

function bothRecover(hash: Uint8Array, r: bigint, s: bigint, yParity: 0 | 1): (string | undefined)[] {
  const signature = new Uint8Array(64);
  signature.set(bytes32(r), 0);
  signature.set(bytes32(s), 32);
  return engines.map((engine) => hex(engine.recover(hash, signature, yParity)));
}

describe("the native engine", () => {
  it("is the one in use wherever its binary loads", () => {
    expect(secp256k1Engine).toBe(nativeSecp256k1 === undefined ? "portable" : "native");
  });

  it("recovers the same keys as the portable one at edge values of r, s and the hash", () => {
    const hashes = [0n, 1n, N - 1n, N, N + 1n, 2n ** 256n - 1n, 0x1234n].map(bytes32);
    let found = 0;
    for (const r of SCALARS) {
      for (const s of SCALARS) {
        for (const [i, hash] of hashes.entries()) {
          const [native, portable] = bothRecover(hash, r, s, (i % 2) as 0 | 1);
          expect(native).toBe(portable);
          if (native !== undefined) found++;
        }
      }
    }
    expect(found).toBeGreaterThan(100);
  });

  it("recovers the same keys as the portable one from random signatures, most of them nobody's", () => {
    const random = new Prng("recover");
    for (let i = 0; i < 1000; i++) {
      const hash = random.bytes(32);
      const signature = random.bytes(64);
      const yParity = random.below(2) as 0 | 1;
      const [native, portable] = engines.map((engine) => hex(engine.recover(hash, signature, yParity)));
      expect(native).toBe(portable);
    }
  });

  it("signs as the portable one does, also hashes at and above the order", () => {
    const random = new Prng("sign");
    const hashes = [0n, 1n, N - 1n, N, N + 1n, 2n ** 256n - 1n].map(bytes32);
    for (let i = 0; i < 200; i++) hashes.push(random.bytes(32));
    const keys = [1n, 2n, HALF, N - 1n].map(bytes32);
    for (let i = 0; i < 4; i++) keys.push(random.bytes(32));
    for (const [i, hash] of hashes.entries()) {
      const key = keys[i % keys.length] as Uint8Array;
      const { r, s, yParity } = signHash(hash, key);
      const expected = secp256k1.sign(hash, key, { prehash: false, lowS: true, format: "recovered" });
      expect(bytesToHex(new Uint8Array([yParity, ...bytes32(r), ...bytes32(s)]))).toBe(bytesToHex(expected));
    }
  });

  it("knows the same private keys as the portable one", () => {
    for (const scalar of SCALARS) {
      const answers = engines.map((engine) => engine.isPrivateKey(bytes32(scalar)));
      expect(answers).toEqual([scalar > 0n && scalar < N, scalar > 0n && scalar < N]);
    }
    for (const length of [0, 31, 33]) {
      expect(engines.map((engine) => engine.isPrivateKey(new Uint8Array(length).fill(1)))).toEqual([false, false]);
    }
  });
});

describe("signHash and recoverAddress", () => {
  it("lead back to the signer, with r and s in any of the accepted forms", () => {
    const random = new Prng("round trip");
    for (let i = 0; i < 500; i++) {
      const key = random.bytes(32);
      const hash = random.bytes(32);
      const { r, s, yParity } = signHash(hash, key);
      const address = hex(privateKeyToAddress(key));
      expect(isHighS(s)).toBe(false);
      expect(hex(recoverAddress(hash, r, s, yParity))).toBe(address);
      expect(hex(recoverAddress(hash, bytes32(r), bytes32(s), yParity))).toBe(address);
      const [shortR, shortS] = [stripLeadingZeros(bytes32(r)), stripLeadingZeros(bytes32(s))];
      expect(hex(recoverAddress(hash, shortR, shortS, yParity))).toBe(address);
      expect(hex(recoverPublicKey(hash, r, s, yParity))).toBe(hex(privateKeyToPublicKey(key)));
      expect(hex(recoverAddress(hash, r, s, yParity === 0 ? 1 : 0))).not.toBe(address);
    }
  });

  it("pad short scalars with zeros, whatever the call before left behind", () => {
    const hash = bytes32(7n);
    recoverAddress(hash, new Uint8Array(32).fill(0xee), new Uint8Array(32).fill(0xee), 0);
    const short = recoverAddress(hash, new Uint8Array([1]), new Uint8Array([1]), 0);
    expect(short).toBeDefined();
    expect(short).toEqual(recoverAddress(hash, 1n, 1n, 0));
  });

  it("recover the signer of the malleated signature too: refusing it is the caller's rule", () => {
    const key = bytes32(5n);
    const { r, s, yParity } = signHash(bytes32(9n), key);
    expect(isHighS(N - s)).toBe(true);
    expect(recoverAddress(bytes32(9n), r, N - s, yParity === 0 ? 1 : 0)).toEqual(privateKeyToAddress(key));
  });

  it("find nobody for r or s of zero, of the order or more, or too long", () => {
    const hash = bytes32(1n);
    const { r, s, yParity } = signHash(hash, bytes32(3n));
    for (const bad of [0n, N, N + r, 2n ** 256n - 1n, 2n ** 256n, -1n]) {
      expect(recoverAddress(hash, bad, s, yParity)).toBeUndefined();
      expect(recoverAddress(hash, r, bad, yParity)).toBeUndefined();
    }
    for (const bad of [new Uint8Array(0), bytes32(N), new Uint8Array(33)]) {
      expect(recoverAddress(hash, bad, bytes32(s), yParity)).toBeUndefined();
      expect(recoverAddress(hash, bytes32(r), bad, yParity)).toBeUndefined();
    }
  });

  it("refuse bytes that are no private key", () => {
    for (const key of [bytes32(0n), bytes32(N), new Uint8Array(31).fill(1), new Uint8Array(33).fill(1)]) {
      expect(isPrivateKey(key)).toBe(false);
      expect(codeOf(() => signHash(bytes32(1n), key))).toBe("BAD_PRIVATE_KEY");
      expect(codeOf(() => privateKeyToAddress(key))).toBe("BAD_PRIVATE_KEY");
    }
  });
});

describe("addresses of keys", () => {
  it("agree with viem", () => {
    const random = new Prng("addresses");
    for (let i = 0; i < 50; i++) {
      const key = random.bytes(32);
      expect(checksumAddress(privateKeyToAddress(key))).toBe(privateKeyToAccount(bytesToHex(key)).address);
    }
  });

  it("take a public key with and without its prefix, and nothing else", () => {
    const publicKey = privateKeyToPublicKey(bytes32(1n));
    const address = privateKeyToAddress(bytes32(1n));
    expect(publicKeyToAddress(publicKey)).toEqual(address);
    expect(publicKeyToAddress(new Uint8Array([4, ...publicKey]))).toEqual(address);
    expect(codeOf(() => publicKeyToAddress(new Uint8Array([2, ...publicKey])))).toBe("BAD_PUBLIC_KEY");
    expect(codeOf(() => publicKeyToAddress(publicKey.subarray(1)))).toBe("BAD_PUBLIC_KEY");
  });
});

describe("isHighS", () => {
  it("draws the line above half the order, for integers and bytes alike", () => {
    for (const s of SCALARS) {
      expect(isHighS(s)).toBe(s > HALF);
      expect(isHighS(bytes32(s))).toBe(s > HALF);
      expect(isHighS(stripLeadingZeros(bytes32(s)))).toBe(s > HALF);
    }
  });
});

describe("where the binary does not load", () => {
  afterEach(() => {
    vi.doUnmock("secp256k1/bindings.js");
    vi.resetModules();
  });

  it("the portable engine serves, and says so", async () => {
    vi.resetModules();
    vi.doMock("secp256k1/bindings.js", () => {
      throw new Error("no native build was found");
    });
    const portable = await import("../../base/secp256k1.ts");
    expect(portable.secp256k1Engine).toBe("portable");
    const [hash, key] = [bytes32(11n), bytes32(12n)];
    expect(portable.signHash(hash, key)).toEqual(signHash(hash, key));
    const { r, s, yParity } = signHash(hash, key);
    expect(portable.recoverAddress(hash, r, s, yParity)).toEqual(privateKeyToAddress(key));
    expect(portable.recoverAddress(hash, 0n, s, yParity)).toBeUndefined();
  });
});
