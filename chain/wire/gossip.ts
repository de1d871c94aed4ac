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
import { type BlockReader, blockSchema, segmentSchema } from "./consensus.ts";
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

const transactions: Schema<readonly Uint8Array[]> = list(bytes(MAX_TRANSACTION_BYTES, 1), MAX_BATCH_TRANSACTIONS, 1);

/** MessagePack around one transaction. */
const OVERHEAD = 5;

export function encodeTransactions(raws: readonly Uint8Array[]): Uint8Array {
  return encodeWire(transactions, raws);
}

/** Throws WIRE_INVALID. */
export function decodeTransactions(encoded: Uint8Array): readonly Uint8Array[] {
  return decodeWire(transactions, encoded, MAX_TRANSACTIONS_BYTES);
}

/** Puts transactions into as few messages as their sizes allow, in their order. */
export function batchesOf(raws: readonly Uint8Array[]): Uint8Array[][] {
  const batches: Uint8Array[][] = [];
  let last: Uint8Array[] = [];
  let size = 0;
  for (const raw of raws) {
    const isFull = size + raw.length + OVERHEAD > TRANSACTION_BATCH_BYTES || last.length === MAX_BATCH_TRANSACTIONS;
    if (last.length === 0 || isFull) {
      last = [];
      size = 0;
      batches.push(last);
    }
    last.push(raw);
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
