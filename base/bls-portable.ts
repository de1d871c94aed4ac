/** BLS signatures in JavaScript, for browsers and light clients, and to check the native library in the tests. */
import {
  coreAggregateVerify,
  coreSign,
  coreVerify,
  type G1Point,
  type G2Point,
  hashToG2,
  keyGen,
  pairingsMatch,
  readG1,
  readG2,
  skToPk,
  writeG2,
} from "./bls-core.ts";
import { BLS_POSSESSION_DST, BLS_SIGNATURE_DST, type Bls, type BlsPublicKey, type BlsSigned } from "./bls-types.ts";
import { bytesToBigint } from "./bytes.ts";
import type { BaseErrorCode } from "./error-codes.ts";
import { assert, CodedError } from "./errors.ts";
import { encodeRlp, rlpOfInteger } from "./rlp.ts";
import { sha256 } from "./sha256.ts";

class PortablePublicKey implements BlsPublicKey {
  readonly bytes: Uint8Array;
  readonly point: G1Point;

  constructor(point: G1Point) {
    this.bytes = point.toBytes();
    this.point = point;
  }
}

function pointOf(publicKey: BlsPublicKey): G1Point {
  assert(publicKey instanceof PortablePublicKey, "a BLS key was made by another engine");
  return publicKey.point;
}

function checkedKey(point: G1Point | undefined): BlsPublicKey {
  if (point === undefined || point.is0()) {
    throw new CodedError<BaseErrorCode>(
      "BAD_PUBLIC_KEY",
      "a BLS public key is 48 bytes of a point of G1, not infinity",
    );
  }
  return new PortablePublicKey(point);
}

function sum<Point extends { add(other: Point): Point }>(points: readonly Point[]): Point | undefined {
  const [first, ...rest] = points;
  return first && rest.reduce((total, point) => total.add(point), first);
}

function aggregateSignatures(signatures: readonly Uint8Array[]): Uint8Array {
  const points = signatures.map((signature) => {
    const point = readG2(signature);
    if (point === undefined) throw new CodedError<BaseErrorCode>("BAD_SIGNATURE", "not a BLS signature");
    return point;
  });
  const total = sum(points);
  if (total === undefined) throw new CodedError<BaseErrorCode>("BAD_SIGNATURE", "there are no signatures to aggregate");
  return writeG2(total);
}

function aggregatePublicKeys(publicKeys: readonly BlsPublicKey[]): BlsPublicKey {
  return checkedKey(sum(publicKeys.map(pointOf)));
}

function fastAggregateVerify(publicKeys: readonly BlsPublicKey[], message: Uint8Array, signature: Uint8Array): boolean {
  const total = sum(publicKeys.map(pointOf));
  return total !== undefined && coreVerify(total, message, signature, BLS_SIGNATURE_DST);
}

/**
 * Coefficients of 128 bits, odd so that none is zero. They come from a hash over the whole batch: whoever made
 * the batch could not know them before it was complete, which is all that random ones would give.
 */
function coefficients(signed: readonly BlsSigned[]): bigint[] {
  const transcript = sha256(
    encodeRlp(signed.map(({ publicKey, message, signature }) => [publicKey.bytes, message, signature])),
  );
  return signed.map((_, i) => {
    const digest = sha256(encodeRlp([transcript, rlpOfInteger(BigInt(i))]));
    return bytesToBigint(digest.subarray(0, 16)) | 1n;
  });
}

function verifyBatch(signed: readonly BlsSigned[]): boolean {
  if (signed.length === 0) return true;
  const scalars = coefficients(signed);
  const pairs: { g1: G1Point; g2: G2Point }[] = [];
  const signatures: G2Point[] = [];
  for (const [i, { publicKey, message, signature }] of signed.entries()) {
    const point = readG2(signature);
    if (point === undefined || point.is0()) return false;
    const scalar = scalars[i] as bigint;
    pairs.push({ g1: pointOf(publicKey).multiplyUnsafe(scalar), g2: hashToG2(message, BLS_SIGNATURE_DST) });
    signatures.push(point.multiplyUnsafe(scalar));
  }
  const total = sum(signatures);
  return total !== undefined && pairingsMatch(pairs, total);
}

export const portableBls: Bls = {
  engine: "portable",
  privateKeyFromSeed: keyGen,
  publicKeyOf: (privateKey) => new PortablePublicKey(skToPk(privateKey)),
  publicKey: (bytes) => checkedKey(readG1(bytes)),
  sign: (privateKey, message) => coreSign(privateKey, message, BLS_SIGNATURE_DST),
  verify: (publicKey, message, signature) => coreVerify(pointOf(publicKey), message, signature, BLS_SIGNATURE_DST),
  aggregateSignatures,
  aggregateVerified: aggregateSignatures,
  aggregatePublicKeys,
  aggregateVerify: (publicKeys, messages, signature) =>
    coreAggregateVerify(publicKeys.map(pointOf), messages, signature, BLS_SIGNATURE_DST),
  fastAggregateVerify,
  verifyBatch,
  verifySame: (publicKeys, message, signatures) =>
    publicKeys.length > 0 &&
    publicKeys.length === signatures.length &&
    verifyBatch(publicKeys.map((publicKey, i) => ({ publicKey, message, signature: signatures[i] as Uint8Array }))),
  provePossession: (privateKey) => coreSign(privateKey, skToPk(privateKey).toBytes(), BLS_POSSESSION_DST),
  verifyPossession: (publicKey, proof) => coreVerify(pointOf(publicKey), publicKey.bytes, proof, BLS_POSSESSION_DST),
};
