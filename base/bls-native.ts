/**
 * BLS signatures by blst. Everything that is checked often runs here; proofs of possession, one per validator
 * and key, go through the portable engine, because the binding has one domain separation tag built in.
 */
import type { PublicKey, SecretKey, Signature } from "@chainsafe/blst";
import { portableBls } from "./bls-portable.ts";
import {
  BLS_PUBLIC_KEY_LENGTH,
  BLS_SEED_LENGTH,
  BLS_SIGNATURE_LENGTH,
  type Bls,
  type BlsPublicKey,
} from "./bls-types.ts";
import type { BaseErrorCode } from "./error-codes.ts";
import { assert, CodedError } from "./errors.ts";

type Blst = typeof import("@chainsafe/blst");

/** The bit of a compressed point's first byte that means infinity. */
const INFINITY_FLAG = 0x40;

class NativePublicKey implements BlsPublicKey {
  readonly bytes: Uint8Array;
  readonly point: PublicKey;

  constructor(point: PublicKey) {
    this.bytes = point.toBytes();
    this.point = point;
  }
}

function pointOf(publicKey: BlsPublicKey): PublicKey {
  assert(publicKey instanceof NativePublicKey, "a BLS key was made by another engine");
  return publicKey.point;
}

async function loadBlst(): Promise<Blst | undefined> {
  try {
    return await import("@chainsafe/blst");
  } catch {
    // No binary for this machine: the portable engine serves.
    return undefined;
  }
}

function parse<Parsed>(code: BaseErrorCode, message: string, read: () => Parsed): Parsed {
  try {
    return read();
  } catch (error) {
    throw new CodedError(code, message, { cause: error instanceof Error ? error.message : String(error) });
  }
}

class NativeBls implements Bls {
  readonly engine = "native";
  readonly #blst: Blst;

  constructor(blst: Blst) {
    this.#blst = blst;
  }

  privateKeyFromSeed(seed: Uint8Array): Uint8Array {
    return parse("BAD_SEED", `a BLS key takes at least ${BLS_SEED_LENGTH} bytes of seed`, () =>
      this.#blst.SecretKey.fromKeygen(seed).toBytes(),
    );
  }

  #privateKey(privateKey: Uint8Array): SecretKey {
    return parse("BAD_PRIVATE_KEY", "a BLS private key is 32 bytes, not zero, below the order", () =>
      this.#blst.SecretKey.fromBytes(privateKey),
    );
  }

  publicKeyOf(privateKey: Uint8Array): BlsPublicKey {
    return new NativePublicKey(this.#privateKey(privateKey).toPublicKey());
  }

  publicKey(bytes: Uint8Array): BlsPublicKey {
    return parse("BAD_PUBLIC_KEY", "a BLS public key is 48 bytes of a point of G1, not infinity", () => {
      if (bytes.length !== BLS_PUBLIC_KEY_LENGTH) throw new Error(`${bytes.length} bytes`);
      return new NativePublicKey(this.#blst.PublicKey.fromBytes(bytes, true));
    });
  }

  sign(privateKey: Uint8Array, message: Uint8Array): Uint8Array {
    return this.#privateKey(privateKey).sign(message).toBytes();
  }

  /** The point that a signature's bytes encode, on the curve but not yet known to be in the subgroup. */
  #signature(bytes: Uint8Array): Signature | undefined {
    if (bytes.length !== BLS_SIGNATURE_LENGTH) return undefined;
    try {
      return this.#blst.Signature.fromBytes(bytes, false);
    } catch {
      // The library throws for bytes that are not a point, and for nothing else.
      return undefined;
    }
  }

  /** The same for verification, where infinity is no signature. */
  #finiteSignature(bytes: Uint8Array): Signature | undefined {
    return ((bytes[0] ?? 0) & INFINITY_FLAG) === 0 ? this.#signature(bytes) : undefined;
  }

  verify(publicKey: BlsPublicKey, message: Uint8Array, signature: Uint8Array): boolean {
    const point = this.#finiteSignature(signature);
    return point !== undefined && this.#blst.verify(message, pointOf(publicKey), point, false, true);
  }

  aggregateSignatures(signatures: readonly Uint8Array[]): Uint8Array {
    const points = signatures.map((signature) => {
      const point = this.#signature(signature);
      if (point === undefined) throw new CodedError<BaseErrorCode>("BAD_SIGNATURE", "not a BLS signature");
      return point;
    });
    return parse("BAD_SIGNATURE", "BLS signatures that do not aggregate", () =>
      this.#blst.aggregateSignatures(points, true).toBytes(),
    );
  }

  aggregateVerified(signatures: readonly Uint8Array[]): Uint8Array {
    return parse("BAD_SIGNATURE", "BLS signatures that do not aggregate", () => {
      if (signatures.some(({ length }) => length !== BLS_SIGNATURE_LENGTH)) throw new Error("of another length");
      return this.#blst.aggregateSerializedSignatures([...signatures], false).toBytes();
    });
  }

  aggregatePublicKeys(publicKeys: readonly BlsPublicKey[]): BlsPublicKey {
    const total = parse("BAD_PUBLIC_KEY", "there are no BLS keys to aggregate", () =>
      this.#blst.aggregatePublicKeys(publicKeys.map(pointOf), false),
    );
    const key = new NativePublicKey(total);
    if (((key.bytes[0] as number) & INFINITY_FLAG) !== 0) {
      throw new CodedError<BaseErrorCode>("BAD_PUBLIC_KEY", "the sum of the BLS keys is infinity");
    }
    return key;
  }

  aggregateVerify(
    publicKeys: readonly BlsPublicKey[],
    messages: readonly Uint8Array[],
    signature: Uint8Array,
  ): boolean {
    if (publicKeys.length === 0 || publicKeys.length !== messages.length) return false;
    const point = this.#finiteSignature(signature);
    if (point === undefined) return false;
    return this.#blst.aggregateVerify([...messages], publicKeys.map(pointOf), point, false, true);
  }

  fastAggregateVerify(publicKeys: readonly BlsPublicKey[], message: Uint8Array, signature: Uint8Array): boolean {
    if (publicKeys.length === 0) return false;
    const point = this.#finiteSignature(signature);
    return point !== undefined && this.#blst.fastAggregateVerify(message, publicKeys.map(pointOf), point, true);
  }

  verifyBatch(signed: Parameters<Bls["verifyBatch"]>[0]): boolean {
    if (signed.length === 0) return true;
    const sets: { msg: Uint8Array; pk: PublicKey; sig: Signature }[] = [];
    for (const { publicKey, message, signature } of signed) {
      const point = this.#finiteSignature(signature);
      if (point === undefined) return false;
      sets.push({ msg: message, pk: pointOf(publicKey), sig: point });
    }
    return this.#blst.verifyMultipleAggregateSignatures(sets, false, true);
  }

  verifySame(publicKeys: readonly BlsPublicKey[], message: Uint8Array, signatures: readonly Uint8Array[]): boolean {
    if (publicKeys.length === 0 || publicKeys.length !== signatures.length) return false;
    const [key, signature] = [publicKeys[0], signatures[0]];
    if (publicKeys.length === 1 && key && signature) return this.verify(key, message, signature);
    if (signatures.some(({ length }) => length !== BLS_SIGNATURE_LENGTH)) return false;
    const sets = publicKeys.map((key, i) => ({ pk: pointOf(key), sig: signatures[i] as Uint8Array }));
    const sum = this.#blinded(sets);
    return sum !== undefined && this.#blst.verify(message, sum.pk, sum.sig, false, false);
  }

  /** The sums of both with random factors, or nothing when a signature is none. Checks their subgroup. */
  #blinded(sets: { pk: PublicKey; sig: Uint8Array }[]): { pk: PublicKey; sig: Signature } | undefined {
    try {
      return this.#blst.aggregateWithRandomness(sets);
    } catch {
      // The library throws for bytes that are no signature, and for nothing else.
      return undefined;
    }
  }

  provePossession(privateKey: Uint8Array): Uint8Array {
    return portableBls.provePossession(privateKey);
  }

  verifyPossession(publicKey: BlsPublicKey, proof: Uint8Array): boolean {
    return portableBls.verifyPossession(portableBls.publicKey(publicKey.bytes), proof);
  }
}

const blst = await loadBlst();

/** `undefined` when the binary does not load. */
export const nativeBls: Bls | undefined = blst === undefined ? undefined : new NativeBls(blst);
