/** Records of the consensus log as bytes. */
import { consensusBlockOf } from "../blocks/consensus-block.ts";
import type { LogRecord } from "../consensus/types.ts";
import { type BlockReader, blockSchema, certificate, voteContent } from "./consensus.ts";
import { MAX_RECORD_BYTES } from "./limits.ts";
import { decodeWire, encodeWire, record, type Schema, union } from "./schema.ts";

export interface RecordCodec {
  encode(record: LogRecord): Uint8Array;
  /** Throws WIRE_INVALID. */
  decode(bytes: Uint8Array): LogRecord;
}

export function recordCodec(blockOf: BlockReader): RecordCodec {
  const schema: Schema<LogRecord> = union<LogRecord>({
    vote: [1, record({ vote: voteContent })],
    block: [2, record({ block: blockSchema(blockOf) })],
    certificate: [3, record({ certificate })],
  });
  return {
    encode: (value) => encodeWire(schema, value),
    decode: (bytes) => decodeWire(schema, bytes, MAX_RECORD_BYTES),
  };
}

const codec: RecordCodec = recordCodec(consensusBlockOf);

export function encodeRecord(value: LogRecord): Uint8Array {
  return codec.encode(value);
}

/** Throws WIRE_INVALID. */
export function decodeRecord(bytes: Uint8Array): LogRecord {
  return codec.decode(bytes);
}
