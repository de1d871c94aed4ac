/**
 * How far a worker is with a job, signed by its account: its word, and nothing more. What counts is what it commits.
 * docs/spec/network.md, "Progress".
 */
import { bytesToHex, type Hex } from "./bytes.ts";
import { taggedMessage } from "./domain.ts";
import { rlpOfInteger } from "./rlp.ts";
import { recoverAddress } from "./secp256k1.ts";
import { sha256 } from "./sha256.ts";

export interface UnsignedProgress {
  readonly job: bigint;
  readonly segment: number;
  /** Compute units of the whole program: done, and all. */
  readonly done: bigint;
  readonly total: bigint;
  /** Of two about the same job by the same worker, the one with the greater number is the newer one. */
  readonly sequence: number;
}

export interface Progress extends UnsignedProgress {
  /** Of 65 bytes: r, s, and v, which is 0 or 1. */
  readonly signature: Uint8Array;
}

export const PROGRESS_SIGNATURE_BYTES = 65;
/** Numbers of jobs and of compute units have so many bytes; segments and sequences are not above these. */
export const PROGRESS_JOB_BYTES = 8;
export const PROGRESS_UNIT_BYTES = 16;
export const MAX_PROGRESS_SEGMENT = 0xffff;
export const MAX_PROGRESS_SEQUENCE: number = 2 ** 48 - 1;

export function progressDigest(chainId: bigint, progress: UnsignedProgress): Uint8Array {
  const { job, segment, done, total, sequence } = progress;
  const numbers = [job, BigInt(segment), done, total, BigInt(sequence)].map(rlpOfInteger);
  return sha256(taggedMessage("PROGRESS", chainId, ...numbers));
}

/** Who signed it; `undefined` when nobody did, or when it says what cannot be. */
export function signerOfProgress(chainId: bigint, progress: Progress): Hex | undefined {
  const { done, total, signature } = progress;
  const parity = signature[PROGRESS_SIGNATURE_BYTES - 1];
  if (total === 0n || done > total || signature.length !== PROGRESS_SIGNATURE_BYTES) return undefined;
  if (parity !== 0 && parity !== 1) return undefined;
  const digest = progressDigest(chainId, progress);
  const address = recoverAddress(digest, signature.subarray(0, 32), signature.subarray(32, 64), parity);
  return address && bytesToHex(address);
}
