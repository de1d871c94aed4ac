/**
 * Batches of transactions on their way to a worker and their senders on the way back: one buffer each, so that they
 * are handed over instead of copied.
 */

import { hexToBytes } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import type { TransactionErrorCode } from "../../vm/transaction/errors.ts";
import { recoverSender } from "../../vm/transaction/sign.ts";
import { decodeTransaction } from "../../vm/transaction/transaction.ts";

export interface PackedTransactions {
  /** The encodings, one after the other. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each ends. */
  readonly ends: Uint32Array<ArrayBuffer>;
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

export function packTransactions(raws: readonly Uint8Array[], start: number, end: number): PackedTransactions {
  const ends = new Uint32Array(end - start);
  let length = 0;
  for (let i = start; i < end; i++) {
    length += (raws[i] as Uint8Array).length;
    ends[i - start] = length;
  }
  const bytes = new Uint8Array(length);
  for (let i = start; i < end; i++) bytes.set(raws[i] as Uint8Array, i === start ? 0 : ends[i - start - 1]);
  return { bytes, ends };
}

/** The worker's work. */
export function recoverBatch({ bytes, ends }: PackedTransactions): PackedSenders {
  const results = new Uint8Array(ends.length * RESULT_BYTES);
  let start = 0;
  for (const [i, end] of ends.entries()) {
    const at = i * RESULT_BYTES;
    try {
      const transaction = decodeTransaction(bytes.subarray(start, end));
      results.set(hexToBytes(recoverSender(transaction)), at + SENDER_AT);
      results.set(transaction.hash, at + HASH_AT);
    } catch (error) {
      results[at] = failureNumber(error);
    }
    start = end;
  }
  return results;
}

/** Anything but bad input is our bug, and must not pass for bad input. */
function failureNumber(error: unknown): number {
  const index = error instanceof CodedError ? FAILURES.indexOf(error.code as TransactionErrorCode) : -1;
  if (index < 0) throw error;
  return index + 1;
}
