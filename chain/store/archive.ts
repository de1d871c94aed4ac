/**
 * History: for everything that changes, the value it had before each change, and an index of the blocks that
 * changed it. The value at the end of block n is the one recorded by the first change after n, or the value of today
 * when there is none. Finding that change takes O(log changes) synchronous reads.
 *
 *   index   subject | chunk number 4   ->   block numbers, 6 bytes each, ascending
 *   values  subject | block number 6   ->   value before that block; empty: it was not there
 *
 * Chunk 0xffffffff is the open one, which begins with how many full chunks there are. LevelDB has no synchronous
 * search, so the index is laid out to be found by key alone.
 */
import { EMPTY_BYTES, type Hex } from "../../base/bytes.ts";
import type { Account, Address } from "../../vm/state/account.ts";
import { keyOfAccount, keyOfSlot } from "../../vm/state/keys.ts";
import type { StateReader } from "../../vm/state/reader.ts";
import { decodeAccount } from "./account-record.ts";
import { BUCKETS, type Bucket, readNumber, STORED_NUMBER_BYTES, writeNumber } from "./buckets.ts";
import type { Database, DatabaseBatch } from "./database.ts";
import { damaged } from "./errors.ts";

/** Numbers in a full chunk. A change rewrites the open chunk, 192 bytes on average. */
const CHUNK_NUMBERS = 64;
const CHUNK_BYTES = CHUNK_NUMBERS * STORED_NUMBER_BYTES;
const OPEN_CHUNK = 0xffff_ffff;
const COUNT_BYTES = 4;

/** Kinds of subjects: the first byte of their name. */
const ACCOUNT = 1;
const SLOT = 2;
const HAS_STORAGE = 3;

/** What changes: its kind and its tree key. */
export type Subject = Uint8Array;

export function accountSubject(address: Address): Subject {
  return subject(ACCOUNT, keyOfAccount(address));
}

export function slotSubject(address: Address, slot: Hex): Subject {
  return subject(SLOT, keyOfSlot(address, slot));
}

/** Whether the account has any slot; its value is one byte, or empty for no. */
export function storageSubject(address: Address): Subject {
  return subject(HAS_STORAGE, keyOfAccount(address));
}

function subject(kind: number, key: Uint8Array): Subject {
  const name = new Uint8Array(1 + key.length);
  name[0] = kind;
  name.set(key, 1);
  return name;
}

/** Records that block `number` changed the subject, and what it was before. */
export function putChange(
  database: Database,
  batch: DatabaseBatch,
  name: Subject,
  number: number,
  before: Uint8Array,
): void {
  batch.put(valueKey(name, number), before);
  const openKey = chunkKey(name, OPEN_CHUNK);
  const open = database.get(openKey) ?? new Uint8Array(COUNT_BYTES);
  const chunk = new Uint8Array(open.length + STORED_NUMBER_BYTES);
  chunk.set(open);
  writeNumber(chunk, open.length, number);
  if (chunk.length < COUNT_BYTES + CHUNK_BYTES) {
    batch.put(openKey, chunk);
    return;
  }
  const full = fullChunks(open);
  batch.put(chunkKey(name, full), chunk.subarray(COUNT_BYTES));
  const fresh = new Uint8Array(COUNT_BYTES);
  new DataView(fresh.buffer).setUint32(0, full + 1);
  batch.put(openKey, fresh);
}

/** The value before the first change after block `number`; `undefined` when nothing changed it since. */
function valueBeforeNextChange(database: Database, name: Subject, number: number): Uint8Array | undefined {
  const change = firstChangeAfter(database, name, number);
  if (change === undefined) return undefined;
  const value = database.get(valueKey(name, change));
  if (value === undefined) throw damaged(`the archive has no value for a change in block ${change}`);
  return value;
}

function firstChangeAfter(database: Database, name: Subject, number: number): number | undefined {
  const open = database.get(chunkKey(name, OPEN_CHUNK));
  if (open === undefined) return undefined;
  const full = fullChunks(open);
  // The first full chunk whose last number is above `number`, if any; else the open one.
  let low = 0;
  let high = full;
  let found = open.subarray(COUNT_BYTES);
  while (low < high) {
    const middle = (low + high) >>> 1;
    const chunk = fullChunk(database, name, middle);
    if (readNumber(chunk, CHUNK_BYTES - STORED_NUMBER_BYTES) > number) {
      found = chunk;
      high = middle;
    } else low = middle + 1;
  }
  for (let at = 0; at < found.length; at += STORED_NUMBER_BYTES) {
    const change = readNumber(found, at);
    if (change > number) return change;
  }
  return undefined;
}

function fullChunks(open: Uint8Array): number {
  if (open.length < COUNT_BYTES || (open.length - COUNT_BYTES) % STORED_NUMBER_BYTES !== 0) {
    throw damaged("an archive index is malformed");
  }
  return new DataView(open.buffer, open.byteOffset, open.byteLength).getUint32(0);
}

function fullChunk(database: Database, name: Subject, number: number): Uint8Array {
  const chunk = database.get(chunkKey(name, number));
  if (chunk?.length !== CHUNK_BYTES) throw damaged("a chunk of an archive index is missing or malformed");
  return chunk;
}

function chunkKey(name: Subject, chunk: number): Uint8Array {
  const key = keyWithRoom(BUCKETS.archiveIndex, name, 4);
  new DataView(key.buffer).setUint32(1 + name.length, chunk);
  return key;
}

function valueKey(name: Subject, number: number): Uint8Array {
  const key = keyWithRoom(BUCKETS.archiveValues, name, STORED_NUMBER_BYTES);
  writeNumber(key, 1 + name.length, number);
  return key;
}

function keyWithRoom(bucket: Bucket, name: Subject, room: number): Uint8Array {
  const key = new Uint8Array(1 + name.length + room);
  key[0] = bucket;
  key.set(name, 1);
  return key;
}

/**
 * The state at the end of an earlier block. Each read takes the value of today first and looks for later changes
 * afterwards: a commit between the two then adds a change that is found, and the value it replaced is used. So this
 * needs no snapshot and never expires.
 */
export class ArchiveState implements StateReader {
  readonly #database: Database;
  readonly #number: number;
  readonly #today: () => StateReader;

  constructor(database: Database, number: number, today: () => StateReader) {
    this.#database = database;
    this.#number = number;
    this.#today = today;
  }

  account(address: Address): Account | undefined {
    const today = this.#today().account(address);
    const before = valueBeforeNextChange(this.#database, accountSubject(address), this.#number);
    if (before === undefined) return today;
    return before.length === 0 ? undefined : decodeAccount(before);
  }

  storage(address: Address, slot: Hex): Uint8Array {
    const today = this.#today().storage(address, slot);
    return valueBeforeNextChange(this.#database, slotSubject(address, slot), this.#number) ?? today;
  }

  hasStorage(address: Address): boolean {
    const today = this.#today().hasStorage(address);
    const before = valueBeforeNextChange(this.#database, storageSubject(address), this.#number);
    return before === undefined ? today : before.length > 0;
  }

  code(codeHash: Hex): Uint8Array {
    return this.#today().code(codeHash);
  }
}

/** The value of `storageSubject` for an account that has slots. */
export const HAS_SLOTS: Uint8Array = new Uint8Array([1]);
export const HAS_NONE: Uint8Array = EMPTY_BYTES;
