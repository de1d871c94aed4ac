/**
 * Batches of transactions on their way to a worker and their senders on the way back: one buffer each, so that they
 * are handed over instead of copied.
 */

import { CodedError } from "../../base/errors.ts";
import { publicKeyToAddress } from "../../base/secp256k1.ts";
import type { TransactionErrorCode } from "../../vm/transaction/errors.ts";
import { checkLowS, recoverSenderKey } from "../../vm/transaction/sign.ts";
import { decodeTransaction, signingHash } from "../../vm/transaction/transaction.ts";
import { NO_CLAIM, type SenderClaim } from "./claim.ts";
import type { ClaimedSignature, KnownKeys } from "./known-keys.ts";

export interface PackedTransactions {
  /** The encodings, one after the other. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each ends. */
  readonly ends: Uint32Array<ArrayBuffer>;
  /** Who is said to have sent each. */
  readonly claims: BigUint64Array<ArrayBuffer>;
}

/** What finding its sender takes, and nothing of the transaction that is large. */
interface Decoded extends ClaimedSignature {
  /** In the results. */
  readonly at: number;
}

/** Per transaction: 0, sender and hash, or the place of the error's code in FAILURES plus 1, and nothing. */
export type PackedSenders = Uint8Array<ArrayBuffer>;

export const SENDER_AT = 1;
export const HASH_AT = 21;
export const RESULT_BYTES = 53;

/** Why a sender cannot be recovered. Both sides are the same build, so the order is free. */
export const FAILURES: readonly TransactionErrorCode[] = [
  "TX_MALFORMED",
  "TX_TYPE_UNSUPPORTED",
  "TX_NONCE_OVERFLOW",
  "TX_SIGNATURE_INVALID",
  "TX_SIGNATURE_HIGH_S",
];

export function packTransactions(
  raws: readonly Uint8Array[],
  start: number,
  end: number,
  claimed?: readonly SenderClaim[],
): PackedTransactions {
  const ends = new Uint32Array(end - start);
  const claims = new BigUint64Array(end - start);
  let length = 0;
  for (let i = start; i < end; i++) {
    length += (raws[i] as Uint8Array).length;
    ends[i - start] = length;
    claims[i - start] = claimed?.[i] ?? NO_CLAIM;
  }
  const bytes = new Uint8Array(length);
  for (let i = start; i < end; i++) bytes.set(raws[i] as Uint8Array, i === start ? 0 : ends[i - start - 1]);
  return { bytes, ends, claims };
}

/** The worker's work. `keys` are those that it knows, where it can check signatures against them. */
export function recoverBatch({ bytes, ends, claims }: PackedTransactions, keys?: KnownKeys): PackedSenders {
  const results = new Uint8Array(ends.length * RESULT_BYTES);
  const decoded: Decoded[] = [];
  let start = 0;
  for (const [i, end] of ends.entries()) {
    const at = i * RESULT_BYTES;
    orFailure(results, at, () => {
      const transaction = decodeTransaction(bytes.subarray(start, end));
      checkLowS(transaction);
      const { r, s, yParity } = transaction;
      results.set(transaction.hash, at + HASH_AT);
      decoded.push({ at, claim: claims[i] ?? NO_CLAIM, hash: signingHash(transaction), r, s, yParity });
    });
    start = end;
  }
  const confirmed = keys?.confirm(decoded);
  for (const [i, { at, hash, ...signature }] of decoded.entries()) {
    const sender = confirmed?.[i];
    if (sender !== undefined) {
      results.set(sender, at + SENDER_AT);
      continue;
    }
    orFailure(results, at, () => {
      const key = recoverSenderKey(hash, signature);
      results.set(keys?.remember(key) ?? publicKeyToAddress(key), at + SENDER_AT);
    });
  }
  return results;
}

/** A failure stands in the place of what was to be found. */
function orFailure(results: PackedSenders, at: number, find: () => void): void {
  try {
    find();
  } catch (error) {
    results[at] = failureNumber(error);
  }
}

/** Anything but bad input is our bug, and must not pass for bad input. */
function failureNumber(error: unknown): number {
  const index = error instanceof CodedError ? FAILURES.indexOf(error.code as TransactionErrorCode) : -1;
  if (index < 0) throw error;
  return index + 1;
}
