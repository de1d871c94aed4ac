/** The messages that gossip carries: batches of transactions, final blocks, and how far workers are. */
import {
  MAX_PROGRESS_SEGMENT,
  MAX_PROGRESS_SEQUENCE,
  PROGRESS_JOB_BYTES,
  PROGRESS_SIGNATURE_BYTES,
  PROGRESS_UNIT_BYTES,
  type Progress,
} from "../../base/progress.ts";
import type { FinalSegment } from "../consensus/types.ts";
import { CLAIM_BYTES, type ClaimedTransaction, NO_CLAIM } from "../senders/claim.ts";
import { type BlockReader, blockSchema, segmentSchema } from "./consensus.ts";
import { wireInvalid } from "./errors.ts";
import {
  MAX_BATCH_PROGRESS,
  MAX_BATCH_TRANSACTIONS,
  MAX_FINAL_BYTES,
  MAX_PROGRESS_BYTES,
  MAX_TRANSACTION_BYTES,
  MAX_TRANSACTIONS_BYTES,
  TRANSACTION_BATCH_BYTES,
} from "./limits.ts";
import { big, bytes, decodeWire, encodeWire, integer, list, record, type Schema } from "./schema.ts";

interface PackedBatch {
  readonly raws: readonly Uint8Array[];
  /** One for each, most significant byte first; all zero for none. */
  readonly claims: Uint8Array;
}

const packedBatch: Schema<PackedBatch> = record<PackedBatch>({
  raws: list(bytes(MAX_TRANSACTION_BYTES, 1), MAX_BATCH_TRANSACTIONS, 1),
  claims: bytes(MAX_BATCH_TRANSACTIONS * CLAIM_BYTES, CLAIM_BYTES),
});

/** MessagePack around one transaction, and its claim. */
const OVERHEAD: number = 5 + CLAIM_BYTES;
/** And around all of them. */
const BATCH_OVERHEAD = 16;

export function encodeTransactions(batch: readonly ClaimedTransaction[]): Uint8Array {
  const claims = new Uint8Array(batch.length * CLAIM_BYTES);
  const view = new DataView(claims.buffer);
  for (const [index, { claim = NO_CLAIM }] of batch.entries()) view.setBigUint64(index * CLAIM_BYTES, claim);
  return encodeWire(packedBatch, { raws: batch.map(({ raw }) => raw), claims });
}

/** Throws WIRE_INVALID. */
export function decodeTransactions(encoded: Uint8Array): readonly ClaimedTransaction[] {
  const { raws, claims } = decodeWire(packedBatch, encoded, MAX_TRANSACTIONS_BYTES);
  if (claims.length !== raws.length * CLAIM_BYTES) throw wireInvalid("expected one claim for each transaction");
  const view = new DataView(claims.buffer, claims.byteOffset, claims.byteLength);
  return raws.map((raw, index) => ({ raw, claim: view.getBigUint64(index * CLAIM_BYTES) }));
}

/** Puts transactions into as few messages as their sizes allow, in their order. */
export function batchesOf(transactions: readonly ClaimedTransaction[]): ClaimedTransaction[][] {
  const batches: ClaimedTransaction[][] = [];
  let last: ClaimedTransaction[] = [];
  let size = BATCH_OVERHEAD;
  for (const transaction of transactions) {
    const { raw } = transaction;
    const isFull = size + raw.length + OVERHEAD > TRANSACTION_BATCH_BYTES || last.length === MAX_BATCH_TRANSACTIONS;
    if (last.length === 0 || isFull) {
      last = [];
      size = BATCH_OVERHEAD;
      batches.push(last);
    }
    last.push(transaction);
    size += raw.length + OVERHEAD;
  }
  return batches;
}

const units = big(PROGRESS_UNIT_BYTES);
const progress: Schema<readonly Progress[]> = list(
  record<Progress>({
    job: big(PROGRESS_JOB_BYTES),
    segment: integer(MAX_PROGRESS_SEGMENT),
    done: units,
    total: units,
    sequence: integer(MAX_PROGRESS_SEQUENCE),
    signature: bytes(PROGRESS_SIGNATURE_BYTES, PROGRESS_SIGNATURE_BYTES),
  }),
  MAX_BATCH_PROGRESS,
  1,
);

export function encodeProgress(batch: readonly Progress[]): Uint8Array {
  return encodeWire(progress, batch);
}

/** Throws WIRE_INVALID. */
export function decodeProgress(encoded: Uint8Array): readonly Progress[] {
  return decodeWire(progress, encoded, MAX_PROGRESS_BYTES);
}

export interface FinalCodec {
  encode(segment: FinalSegment): Uint8Array;
  /** Throws WIRE_INVALID. */
  decode(encoded: Uint8Array): FinalSegment;
}

export function finalCodec(blockOf: BlockReader): FinalCodec {
  const schema = segmentSchema(blockSchema(blockOf));
  return {
    encode: (segment) => encodeWire(schema, segment),
    decode: (encoded) => decodeWire(schema, encoded, MAX_FINAL_BYTES),
  };
}
