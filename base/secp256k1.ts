/**
 * ECDSA over secp256k1 (SEC 1, SEC 2), as Ethereum's accounts use it: keys are recovered from signatures, and
 * an address is the end of a key's hash.
 */
import { bytes32, bytesToBigint, compareBytes } from "./bytes.ts";
import type { BaseErrorCode } from "./error-codes.ts";
import { assert, CodedError } from "./errors.ts";
import { keccak256 } from "./keccak.ts";
import type { Secp256k1Engine } from "./secp256k1-engine.ts";
import { nativeSecp256k1 } from "./secp256k1-native.ts";
import { portableSecp256k1 } from "./secp256k1-portable.ts";

/** The order n of the group (SEC 2, section 2.4.1). */
export const SECP256K1_ORDER: bigint = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n;

export interface Secp256k1Signature {
  readonly r: bigint;
  readonly s: bigint;
  readonly yParity: 0 | 1;
}

const HALF_ORDER = SECP256K1_ORDER / 2n;
const HALF_ORDER_BYTES = bytes32(HALF_ORDER);

const engine: Secp256k1Engine = nativeSecp256k1 ?? portableSecp256k1;

/** "portable" where the native library did not load: correct, but about 35 times slower at recovering. */
export const secp256k1Engine: "native" | "portable" = engine.name;

/** Reused by every call: calls are synchronous, and no engine keeps it. */
const scratch = new Uint8Array(64);

/** Writes the scalar right-aligned in 32 bytes at `offset`; false when it has more than 32 bytes. */
function writeScalar(scalar: bigint | Uint8Array, offset: number): boolean {
  if (typeof scalar === "bigint") {
    if (scalar < 0n || scalar >= SECP256K1_ORDER) return false;
    scratch.set(bytes32(scalar), offset);
    return true;
  }
  if (scalar.length > 32) return false;
  const start = offset + 32 - scalar.length;
  scratch.fill(0, offset, start);
  scratch.set(scalar, start);
  return true;
}

/** The 65 bytes of the key in the engine's buffer, to be copied or hashed before the next call. */
function recover(
  hash: Uint8Array,
  r: bigint | Uint8Array,
  s: bigint | Uint8Array,
  yParity: 0 | 1,
): Uint8Array | undefined {
  assert(hash.length === 32, "a hash to recover from has 32 bytes");
  if (!writeScalar(r, 0) || !writeScalar(s, 32)) return undefined;
  return engine.recover(hash, scratch, yParity);
}

/** The 64 bytes (x, y) of the public key that signed `hash`, or `undefined` when there is none. */
export function recoverPublicKey(
  hash: Uint8Array,
  r: bigint | Uint8Array,
  s: bigint | Uint8Array,
  yParity: 0 | 1,
): Uint8Array | undefined {
  return recover(hash, r, s, yParity)?.slice(1);
}

/**
 * The address whose key signed `hash`, or `undefined` when there is none. Bytes need no padding: what a decoder
 * finds in a transaction goes in as it is, which is the fast form. A high s is not refused here (see `isHighS`).
 */
export function recoverAddress(
  hash: Uint8Array,
  r: bigint | Uint8Array,
  s: bigint | Uint8Array,
  yParity: 0 | 1,
): Uint8Array | undefined {
  const publicKey = recover(hash, r, s, yParity);
  return publicKey && keccak256(publicKey.subarray(1)).slice(12);
}

/**
 * The hash modulo the order. RFC 6979 makes the nonce from this, libsecp256k1 from the hash as it is: reducing it
 * first makes all engines the same function, also for the one hash in 2^128 where it matters.
 */
function reduced(hash: Uint8Array): Uint8Array {
  if (hash[0] !== 0xff) return hash;
  const value = bytesToBigint(hash);
  return value < SECP256K1_ORDER ? hash : bytes32(value - SECP256K1_ORDER);
}

/** Signs a 32-byte hash: RFC 6979, s in the lower half (EIP-2). Throws BAD_PRIVATE_KEY. */
export function signHash(hash: Uint8Array, privateKey: Uint8Array): Secp256k1Signature {
  assert(hash.length === 32, "a hash to sign has 32 bytes");
  checkPrivateKey(privateKey);
  const { signature, recoveryId } = engine.sign(reduced(hash), privateKey);
  // 2 and 3 mean that the nonce's x was at or above the order: one signature in 2^127.
  assert(recoveryId === 0 || recoveryId === 1, "a signature has no parity that fits in a transaction");
  return {
    r: bytesToBigint(signature.subarray(0, 32)),
    s: bytesToBigint(signature.subarray(32)),
    yParity: recoveryId,
  };
}

export function isPrivateKey(privateKey: Uint8Array): boolean {
  return engine.isPrivateKey(privateKey);
}

function checkPrivateKey(privateKey: Uint8Array): void {
  if (isPrivateKey(privateKey)) return;
  throw new CodedError<BaseErrorCode>(
    "BAD_PRIVATE_KEY",
    "a private key is 32 bytes, not zero, below the curve's order",
  );
}

/** The 64 bytes (x, y) of the public key. Throws BAD_PRIVATE_KEY. */
export function privateKeyToPublicKey(privateKey: Uint8Array): Uint8Array {
  checkPrivateKey(privateKey);
  return engine.publicKey(privateKey).slice(1);
}

/** Throws BAD_PRIVATE_KEY. */
export function privateKeyToAddress(privateKey: Uint8Array): Uint8Array {
  return publicKeyToAddress(privateKeyToPublicKey(privateKey));
}

/** The address of a public key of 64 bytes (x, y), or of 65 with 0x04 before them. Does not check the point. */
export function publicKeyToAddress(publicKey: Uint8Array): Uint8Array {
  if (publicKey.length === 65 && publicKey[0] === 4) return publicKeyToAddress(publicKey.subarray(1));
  if (publicKey.length !== 64) {
    throw new CodedError<BaseErrorCode>("BAD_PUBLIC_KEY", "a public key has 64 bytes, or 65 that start with 0x04", {
      length: publicKey.length,
    });
  }
  return keccak256(publicKey).slice(12);
}

/** True when `s` is above half the order: the other of a pair of signatures that both verify (EIP-2 refuses it). */
export function isHighS(s: bigint | Uint8Array): boolean {
  if (typeof s === "bigint") return s > HALF_ORDER;
  if (s.length !== 32) return s.length > 32;
  return compareBytes(s, HALF_ORDER_BYTES) > 0;
}
