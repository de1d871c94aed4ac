/**
 * The functions of the IETF draft that all schemes share, named as it names them, for any domain separation tag.
 * Keys and signatures are points here; bytes are read strictly (canonical, on the curve, in the subgroup).
 */
import type { Fp2 } from "@noble/curves/abstract/tower.js";
import type { WeierstrassPoint } from "@noble/curves/abstract/weierstrass.js";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { expand, extract } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { BLS_PRIVATE_KEY_LENGTH, BLS_PUBLIC_KEY_LENGTH, BLS_SEED_LENGTH, BLS_SIGNATURE_LENGTH } from "./bls-types.ts";
import { bytes32, bytesToBigint, concatBytes, utf8 } from "./bytes.ts";
import type { BaseErrorCode } from "./error-codes.ts";
import { CodedError } from "./errors.ts";

const { G1, G2, fields, pairingBatch } = bls12_381;

export type G1Point = WeierstrassPoint<bigint>;
export type G2Point = WeierstrassPoint<Fp2>;

/** The order r of the groups. */
const ORDER = fields.Fr.ORDER;

function readPoint<Point>(bytes: Uint8Array, length: number, read: (bytes: Uint8Array) => Point): Point | undefined {
  if (bytes.length !== length) return undefined;
  try {
    return read(bytes);
  } catch {
    // The library throws for wrong flags, coordinates, curve or subgroup, and for nothing else.
    return undefined;
  }
}

/** The point of 48 bytes in compressed form, infinity included; `undefined` when they are none. */
export function readG1(bytes: Uint8Array): G1Point | undefined {
  return readPoint(bytes, BLS_PUBLIC_KEY_LENGTH, (point) => G1.Point.fromBytes(point));
}

/** The point of 96 bytes in compressed form, infinity included; `undefined` when they are none. */
export function readG2(bytes: Uint8Array): G2Point | undefined {
  return readPoint(bytes, BLS_SIGNATURE_LENGTH, (point) => G2.Point.fromBytes(point));
}

/** The compressed form. The library writes only one of the coordinates that a sum may have at infinity. */
export function writeG2(point: G2Point): Uint8Array {
  return (point.is0() ? G2.Point.ZERO : point).toBytes();
}

export function hashToG2(message: Uint8Array, dst: string): G2Point {
  return G2.hashToCurve(message, { DST: dst });
}

function readPrivateKey(privateKey: Uint8Array): bigint {
  const scalar = privateKey.length === BLS_PRIVATE_KEY_LENGTH ? bytesToBigint(privateKey) : 0n;
  if (scalar === 0n || scalar >= ORDER) {
    throw new CodedError<BaseErrorCode>("BAD_PRIVATE_KEY", "a BLS private key is 32 bytes, not zero, below the order");
  }
  return scalar;
}

/** KeyGen of the draft: the hash of the salt's name is the first salt. Throws BAD_SEED. */
export function keyGen(seed: Uint8Array): Uint8Array {
  if (seed.length < BLS_SEED_LENGTH) {
    throw new CodedError<BaseErrorCode>("BAD_SEED", `a BLS key takes at least ${BLS_SEED_LENGTH} bytes of seed`, {
      length: seed.length,
    });
  }
  const material = concatBytes(seed, new Uint8Array(1));
  // 48 is ceil(1.5 * ceil(log2(r)) / 8), and these are its two bytes.
  const info = new Uint8Array([0, 48]);
  let salt: Uint8Array = utf8("BLS-SIG-KEYGEN-SALT-");
  for (;;) {
    salt = sha256(salt);
    const scalar = bytesToBigint(expand(sha256, extract(sha256, material, salt), info, 48)) % ORDER;
    if (scalar !== 0n) return bytes32(scalar);
  }
}

export function skToPk(privateKey: Uint8Array): G1Point {
  return G1.Point.BASE.multiply(readPrivateKey(privateKey));
}

export function coreSign(privateKey: Uint8Array, message: Uint8Array, dst: string): Uint8Array {
  return hashToG2(message, dst).multiply(readPrivateKey(privateKey)).toBytes();
}

/** True when the pairings of each (key, point) multiply to the pairing of the generator and `signature`. */
export function pairingsMatch(pairs: readonly { g1: G1Point; g2: G2Point }[], signature: G2Point): boolean {
  if (signature.is0() || pairs.some(({ g1, g2 }) => g1.is0() || g2.is0())) return false;
  const product = pairingBatch([...pairs, { g1: G1.Point.BASE.negate(), g2: signature }]);
  return fields.Fp12.eql(product, fields.Fp12.ONE);
}

export function coreVerify(publicKey: G1Point, message: Uint8Array, signature: Uint8Array, dst: string): boolean {
  return coreAggregateVerify([publicKey], [message], signature, dst);
}

export function coreAggregateVerify(
  publicKeys: readonly G1Point[],
  messages: readonly Uint8Array[],
  signature: Uint8Array,
  dst: string,
): boolean {
  if (publicKeys.length === 0 || publicKeys.length !== messages.length) return false;
  const point = readG2(signature);
  if (point === undefined) return false;
  const pairs = publicKeys.map((g1, i) => ({ g1, g2: hashToG2(messages[i] as Uint8Array, dst) }));
  return pairingsMatch(pairs, point);
}
