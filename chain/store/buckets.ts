/**
 * Every kind of record in the database, by the first byte of its key. Numbers are stable: one that is given up is
 * not used again. docs/spec/storage.md describes the records.
 */
export const BUCKETS = {
  /** Names of META_KEYS. */
  meta: 0x01,
  /** Account tree key (32 bytes) -> account. */
  accounts: 0x02,
  /** Slot tree key (64 bytes) -> value. */
  slots: 0x03,
  /** Code hash -> code. Never deleted: history and other accounts may need it. */
  code: 0x04,
  /** Page number -> page of the state tree. */
  pages: 0x05,
  /** Block number -> header. */
  headers: 0x06,
  /** Block number -> transactions with their senders, and in a seal the next validators. */
  bodies: 0x07,
  /** Block number -> receipts. */
  receipts: 0x08,
  /** Block number -> the certificate that made it final. */
  certificates: 0x09,
  /** Block hash -> block number. */
  blockNumbers: 0x0a,
  /** Transaction hash -> block number and index. */
  transactions: 0x0b,
  /** Archive: what was changed, chunk -> numbers of the blocks that changed it. */
  archiveIndex: 0x0c,
  /** Archive: what was changed, block number -> the value before that block. */
  archiveValues: 0x0d,
  /** Epoch -> number of the block that ended it, and the validators that it named. */
  seals: 0x0e,
  /** What logs are found by, section of blocks -> one bit per block of the section. */
  logIndex: 0x0f,
  /** Group of 16 blocks -> the log filters of those that have logs. */
  blooms: 0x10,
} as const;

export type Bucket = (typeof BUCKETS)[keyof typeof BUCKETS];

/** Keys in the meta bucket. */
export const META_KEYS = {
  schema: 1,
  chain: 2,
  head: 3,
  /** There while a state import has not finished. */
  import: 4,
  /** The first block that the database has; 0 when there is no record. */
  base: 5,
  /** The first and the last block of the log index. */
  logIndex: 6,
} as const;

/** Bytes of a number in keys and records: big-endian, so that the order of the keys is the order of the numbers. */
export const STORED_NUMBER_BYTES = 6;

export function bucketKey(bucket: Bucket, key: Uint8Array): Uint8Array {
  const whole = new Uint8Array(1 + key.length);
  whole[0] = bucket;
  whole.set(key, 1);
  return whole;
}

export function numberKey(bucket: Bucket, number: number): Uint8Array {
  const whole = new Uint8Array(1 + STORED_NUMBER_BYTES);
  whole[0] = bucket;
  writeNumber(whole, 1, number);
  return whole;
}

export function metaKey(name: keyof typeof META_KEYS): Uint8Array {
  return new Uint8Array([BUCKETS.meta, META_KEYS[name]]);
}

/** Writes a number below 2^48 in six bytes; no header has a height above that (chain/blocks/limits.ts). */
export function writeNumber(bytes: Uint8Array, at: number, number: number): void {
  let rest = number;
  for (let i = STORED_NUMBER_BYTES - 1; i >= 0; i--) {
    bytes[at + i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
}

export function readNumber(bytes: Uint8Array, at: number): number {
  let number = 0;
  for (let i = 0; i < STORED_NUMBER_BYTES; i++) number = number * 256 + (bytes[at + i] as number);
  return number;
}
