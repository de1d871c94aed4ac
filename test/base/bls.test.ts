import { bls12_381 } from "@noble/curves/bls12-381.js";
import { afterEach, describe, expect, it, vi } from "vitest";
import { bls } from "../../base/bls.ts";
import { nativeBls } from "../../base/bls-native.ts";
import { portableBls } from "../../base/bls-portable.ts";
import type { Bls, BlsPublicKey } from "../../base/bls-types.ts";
import { bytes32, bytesToHex, hexToBytes, utf8 } from "../../base/bytes.ts";
import { Prng } from "../../base/prng.ts";
import { codeOf } from "./support/code-of.ts";

const ORDER = bls12_381.fields.Fr.ORDER;
const G1_INFINITY = hexToBytes(`0xc0${"00".repeat(47)}`);
const G2_INFINITY = hexToBytes(`0xc0${"00".repeat(95)}`);
/** On its curve but outside the subgroup; from the deserialisation cases of ethereum/bls12-381-tests. */
const G1_OUTSIDE = hexToBytes(
  "0x8123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
);

const message = utf8("message");
const keyOf = (index: number): Uint8Array => bytes32(BigInt(index) + 1n);

function negatedKey(privateKey: Uint8Array): Uint8Array {
  return bytes32(ORDER - BigInt(bytesToHex(privateKey)));
}

/** The rules that both engines keep. */
function compliance(engine: Bls): void {
  const keys = [0, 1, 2].map(keyOf);
  const publicKeys = keys.map((key) => engine.publicKeyOf(key));
  const [key, publicKey] = [keyOf(0), engine.publicKeyOf(keyOf(0))];
  const signature = engine.sign(key, message);

  it("verifies what was signed, and nothing else", () => {
    expect(publicKey.bytes).toHaveLength(48);
    expect(signature).toHaveLength(96);
    expect(engine.verify(publicKey, message, signature)).toBe(true);
    expect(engine.verify(engine.publicKey(publicKey.bytes), message, signature)).toBe(true);
    expect(engine.verify(publicKey, utf8("other"), signature)).toBe(false);
    expect(engine.verify(engine.publicKeyOf(keyOf(1)), message, signature)).toBe(false);
  });

  it("finds bytes that are no signature false, not an error", () => {
    for (const bad of [new Uint8Array(0), new Uint8Array(95), new Uint8Array(96), signature.subarray(1), G2_INFINITY]) {
      expect(engine.verify(publicKey, message, bad)).toBe(false);
      expect(engine.aggregateVerify([publicKey], [message], bad)).toBe(false);
      expect(engine.fastAggregateVerify([publicKey], message, bad)).toBe(false);
      expect(engine.verifyBatch([{ publicKey, message, signature: bad }])).toBe(false);
      expect(engine.verifyPossession(publicKey, bad)).toBe(false);
    }
  });

  it("finds a signature with any one bit turned false", () => {
    const random = new Prng("bits");
    for (let i = 0; i < 6; i++) {
      const turned = signature.slice();
      const bit = random.below(96 * 8);
      turned[bit >> 3] = (turned[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(engine.verify(publicKey, message, turned)).toBe(false);
    }
  });

  it("refuses bytes that are no public key", () => {
    const uncompressed = bls12_381.G1.Point.fromBytes(publicKey.bytes).toBytes(false);
    for (const bad of [
      new Uint8Array(0),
      new Uint8Array(48),
      new Uint8Array(47),
      uncompressed,
      G1_INFINITY,
      G1_OUTSIDE,
    ]) {
      expect(codeOf(() => engine.publicKey(bad))).toBe("BAD_PUBLIC_KEY");
    }
  });

  it("refuses bytes that are no private key", () => {
    for (const bad of [
      new Uint8Array(0),
      bytes32(0n),
      bytes32(ORDER),
      new Uint8Array(31).fill(1),
      new Uint8Array(33),
    ]) {
      expect(codeOf(() => engine.sign(bad, message))).toBe("BAD_PRIVATE_KEY");
      expect(codeOf(() => engine.publicKeyOf(bad))).toBe("BAD_PRIVATE_KEY");
      expect(codeOf(() => engine.provePossession(bad))).toBe("BAD_PRIVATE_KEY");
    }
    expect(codeOf(() => engine.publicKeyOf(bytes32(ORDER - 1n)))).toBeUndefined();
  });

  it("makes keys from 32 bytes of seed or more", () => {
    const seed = new Uint8Array(32).fill(7);
    expect(engine.privateKeyFromSeed(seed)).toHaveLength(32);
    expect(engine.privateKeyFromSeed(seed)).not.toEqual(engine.privateKeyFromSeed(new Uint8Array(33).fill(7)));
    expect(codeOf(() => engine.privateKeyFromSeed(new Uint8Array(31)))).toBe("BAD_SEED");
  });

  it("verifies one aggregate over one message, with exactly the keys that signed", () => {
    const signatures = keys.map((each) => engine.sign(each, message));
    const aggregate = engine.aggregateSignatures(signatures);
    expect(engine.aggregateVerified(signatures)).toEqual(aggregate);
    expect(engine.fastAggregateVerify(publicKeys, message, aggregate)).toBe(true);
    expect(engine.verify(engine.aggregatePublicKeys(publicKeys), message, aggregate)).toBe(true);
    expect(engine.fastAggregateVerify(publicKeys.slice(1), message, aggregate)).toBe(false);
    expect(engine.fastAggregateVerify([...publicKeys, publicKey], message, aggregate)).toBe(false);
    expect(engine.fastAggregateVerify([], message, aggregate)).toBe(false);
    expect(engine.fastAggregateVerify([], message, G2_INFINITY)).toBe(false);
  });

  it("verifies one aggregate over many messages, each with its key", () => {
    const messages = keys.map((_, i) => utf8(`message ${i}`));
    const aggregate = engine.aggregateSignatures(keys.map((each, i) => engine.sign(each, messages[i] as Uint8Array)));
    expect(engine.aggregateVerify(publicKeys, messages, aggregate)).toBe(true);
    expect(engine.aggregateVerify(publicKeys, [...messages].reverse(), aggregate)).toBe(false);
    expect(engine.aggregateVerify(publicKeys, messages.slice(1), aggregate)).toBe(false);
    const sameMessage = engine.aggregateSignatures(keys.map((each) => engine.sign(each, message)));
    expect(engine.aggregateVerify(publicKeys, [message, message, message], sameMessage)).toBe(true);
    expect(engine.aggregateVerify([], [], aggregate)).toBe(false);
    expect(engine.aggregateVerify([], [], G2_INFINITY)).toBe(false);
  });

  it("accepts no keys that cancel each other, whose sum is infinity", () => {
    const opposite = engine.publicKeyOf(negatedKey(key));
    expect(codeOf(() => engine.aggregatePublicKeys([publicKey, opposite]))).toBe("BAD_PUBLIC_KEY");
    expect(engine.fastAggregateVerify([publicKey, opposite], message, G2_INFINITY)).toBe(false);
    expect(engine.fastAggregateVerify([publicKey, opposite], message, signature)).toBe(false);
    expect(engine.aggregateVerify([publicKey, opposite], [message, message], G2_INFINITY)).toBe(false);
  });

  it("aggregates signatures that cancel each other to infinity, which then verifies nothing", () => {
    const cancelled = engine.aggregateSignatures([signature, engine.sign(negatedKey(key), message)]);
    expect(cancelled).toEqual(G2_INFINITY);
    expect(engine.aggregateSignatures([G2_INFINITY, signature])).toEqual(signature);
  });

  it("aggregates the same key twice as its double", () => {
    const doubled = engine.aggregatePublicKeys([publicKey, publicKey]);
    expect(doubled.bytes).toEqual(engine.publicKeyOf(bytes32(2n)).bytes);
  });

  it("refuses to aggregate nothing, or what is no signature", () => {
    expect(codeOf(() => engine.aggregateSignatures([]))).toBe("BAD_SIGNATURE");
    expect(codeOf(() => engine.aggregateVerified([]))).toBe("BAD_SIGNATURE");
    expect(codeOf(() => engine.aggregateVerified([signature, signature.subarray(1)]))).toBe("BAD_SIGNATURE");
    expect(codeOf(() => engine.aggregateSignatures([signature, new Uint8Array(96)]))).toBe("BAD_SIGNATURE");
    expect(codeOf(() => engine.aggregateSignatures([signature.subarray(1)]))).toBe("BAD_SIGNATURE");
    expect(codeOf(() => engine.aggregatePublicKeys([]))).toBe("BAD_PUBLIC_KEY");
  });

  it("verifies a batch only when each one of it verifies", () => {
    const batch = keys.map((each, i) => ({
      publicKey: publicKeys[i] ?? publicKey,
      message: utf8(`batch ${i}`),
      signature: engine.sign(each, utf8(`batch ${i}`)),
    }));
    const [first, second, third] = batch;
    if (!first || !second || !third) return expect.unreachable();
    expect(engine.verifyBatch([])).toBe(true);
    expect(engine.verifyBatch(batch)).toBe(true);
    expect(engine.verifyBatch([first, { ...second, message }, third])).toBe(false);
    // Two wrong ones whose sum is right: a batch without coefficients of its own would accept it.
    const swapped = [
      { ...first, signature: second.signature },
      { ...second, signature: first.signature },
    ];
    expect(engine.verifyBatch(swapped)).toBe(false);
  });

  it("verifies signatures of one message only when each is right, not when their sum is", () => {
    const signatures = keys.map((each) => engine.sign(each, message));
    const [first, second, third] = signatures;
    if (!first || !second || !third) return expect.unreachable();
    expect(engine.verifySame(publicKeys, message, signatures)).toBe(true);
    expect(engine.verifySame(publicKeys, utf8("other"), signatures)).toBe(false);
    const swapped = [second, first, third];
    expect(engine.fastAggregateVerify(publicKeys, message, engine.aggregateSignatures(swapped))).toBe(true);
    expect(engine.verifySame(publicKeys, message, swapped)).toBe(false);
    for (const none of [new Uint8Array(96), first.subarray(1), G2_INFINITY]) {
      expect(engine.verifySame(publicKeys, message, [first, second, none])).toBe(false);
    }
    expect(engine.verifySame(publicKeys.slice(0, 1), message, [first])).toBe(true);
    expect(engine.verifySame(publicKeys, message, [first, second])).toBe(false);
    expect(engine.verifySame([], message, [])).toBe(false);
  });

  it("proves the possession of a key, by a proof that is no signature of any message", () => {
    const proof = engine.provePossession(key);
    expect(engine.verifyPossession(publicKey, proof)).toBe(true);
    expect(engine.verifyPossession(engine.publicKeyOf(keyOf(1)), proof)).toBe(false);
    expect(engine.verifyPossession(publicKey, engine.sign(key, publicKey.bytes))).toBe(false);
    expect(engine.verify(publicKey, publicKey.bytes, proof)).toBe(false);
  });
}

describe("the portable BLS engine", () => compliance(portableBls));

describe("the BLS engine of the node", () => {
  compliance(bls);

  it("is native wherever the binary loads", () => {
    expect(bls.engine).toBe(nativeBls === undefined ? "portable" : "native");
  });

  it("makes the same keys and signatures as the portable one", () => {
    const random = new Prng("bls");
    for (let i = 0; i < 20; i++) {
      const seed = random.bytes(32 + i);
      const text = random.bytes(i * 7);
      const key = bls.privateKeyFromSeed(seed);
      expect(key).toEqual(portableBls.privateKeyFromSeed(seed));
      expect(bls.publicKeyOf(key).bytes).toEqual(portableBls.publicKeyOf(key).bytes);
      expect(bls.sign(key, text)).toEqual(portableBls.sign(key, text));
    }
  });

  it("reads the same bytes as keys as the portable one", () => {
    const random = new Prng("bls keys");
    const good = bls.publicKeyOf(keyOf(0)).bytes;
    let accepted = 0;
    for (let i = 0; i < 100; i++) {
      const bytes = i % 2 === 0 ? random.bytes(48) : good.slice();
      bytes[0] = ((bytes[0] as number) & 0x1f) | (random.below(8) << 5);
      const codes = [bls, portableBls].map((engine) => codeOf(() => engine.publicKey(bytes)));
      expect(codes[0]).toBe(codes[1]);
      if (codes[0] === undefined) accepted++;
    }
    expect(accepted).toBeGreaterThan(0);
  });
});

describe("signatures outside the subgroup", () => {
  it("are refused by both engines, though they are on the curve", () => {
    const random = new Prng("outside");
    const publicKeys = [bls, portableBls].map((engine) => engine.publicKeyOf(keyOf(0)));
    let onCurve = 0;
    for (let i = 0; i < 40; i++) {
      const bytes = random.bytes(96);
      // Compressed, finite, and each half below the field's prime, so that only the curve and the subgroup are left.
      bytes[0] = 0x80 | ((bytes[0] as number) & 0x0f);
      bytes[48] = (bytes[48] as number) & 0x0f;
      if (isOnCurve(bytes)) onCurve++;
      for (const [index, engine] of [bls, portableBls].entries()) {
        expect(codeOf(() => engine.aggregateSignatures([bytes]))).toBe("BAD_SIGNATURE");
        expect(engine.verify(publicKeys[index] as BlsPublicKey, message, bytes)).toBe(false);
        expect(engine.verifyBatch([{ publicKey: publicKeys[index] as BlsPublicKey, message, signature: bytes }])).toBe(
          false,
        );
      }
    }
    expect(onCurve).toBeGreaterThan(10);
  });
});

/** True when x of a compressed point of G2 has a y: the library reports the subgroup only after the curve. */
function isOnCurve(bytes: Uint8Array): boolean {
  try {
    bls12_381.G2.Point.fromBytes(bytes);
    return true;
  } catch (error) {
    return error instanceof Error && error.message.includes("subgroup");
  }
}

describe("where the binary of BLS does not load", () => {
  afterEach(() => {
    vi.doUnmock("@chainsafe/blst");
    vi.resetModules();
  });

  it("the portable engine serves, and says so", async () => {
    vi.resetModules();
    vi.doMock("@chainsafe/blst", () => {
      throw new Error("no native build was found");
    });
    const { bls: portable } = await import("../../base/bls.ts");
    expect(portable.engine).toBe("portable");
    expect(portable.sign(keyOf(0), message)).toEqual(bls.sign(keyOf(0), message));
  });
});
