/**
 * LevelDB with records that check themselves. LevelDB's own checksums are not verified on reads (the binding does
 * not offer it), so each value carries a CRC-32 over its key and itself: what a bad disk changes becomes an error,
 * never a wrong balance. 0.2 us per record (measured).
 */
import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { crc32 } from "node:zlib";
import { ClassicLevel } from "classic-level";
import { systemCodeOf } from "../../base/errors.ts";
import { BUCKETS, type Bucket, bucketKey } from "./buckets.ts";
import { damaged, storeError } from "./errors.ts";
import type { StoreLimits } from "./limits.ts";

/** What is used of LevelDB. The simulator has an engine of its own, in memory, whose power fails. */
export interface LevelEngine {
  getSync(key: Uint8Array, options?: typeof VIEWS & { readonly snapshot: DatabaseSnapshot }): Uint8Array | undefined;
  batch(): LevelBatch;
  snapshot(): DatabaseSnapshot;
  iterator(range: LevelRange & { readonly snapshot?: DatabaseSnapshot }): LevelIterator;
  approximateSize(start: Uint8Array, end: Uint8Array): Promise<number>;
  clear(range: LevelRange): Promise<void>;
  compactRange(start: Uint8Array, end: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

export interface LevelBatch {
  put(key: Uint8Array, value: Uint8Array): unknown;
  del(key: Uint8Array): unknown;
  write(options: { readonly sync: boolean }): Promise<void>;
}

export interface LevelRange {
  readonly gte: Uint8Array;
  readonly lt: Uint8Array;
}

export interface LevelIterator {
  nextv(size: number): Promise<[Uint8Array, Uint8Array][]>;
  close(): Promise<void>;
}

export interface DatabaseSnapshot {
  close(): Promise<void>;
}

const CRC_BYTES = 4;
const GROUP_ENTRIES = 1000;
const VIEWS = { keyEncoding: "view", valueEncoding: "view" } as const;

export interface DatabaseEntry {
  /** Without the bucket's byte. */
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/**
 * Folders whose database this thread has open to write. LevelDB's lock keeps other processes out; for this process it is
 * open to share, and this keeps a second writer out.
 */
const openHere = new Set<string>();

export class Database {
  readonly #level: LevelEngine;
  readonly #onClose: () => void;
  readonly directory: string;

  /** `level` is open. */
  constructor(level: LevelEngine, directory: string, onClose: () => void = () => undefined) {
    this.#level = level;
    this.#onClose = onClose;
    this.directory = directory;
  }

  /** For its one writer. Throws STORE_MISSING, STORE_LOCKED, STORE_FOREIGN_FILES or STORE_DAMAGED. */
  static async open(directory: string, create: boolean, limits: StoreLimits): Promise<Database> {
    const location = resolve(directory);
    if (openHere.has(location)) throw locked(directory);
    const isNew = await isEmptyFolder(directory);
    if (isNew && !create) throw missing(directory);
    openHere.add(location);
    try {
      const level = await openLevel(directory, isNew, limits);
      return new Database(level, directory, () => openHere.delete(location));
    } catch (error) {
      openHere.delete(location);
      throw error;
    }
  }

  /** For readers while its writer has it open, on any thread. Whoever opened it first closes it last: LevelDB is one. */
  static async share(directory: string, limits: StoreLimits): Promise<Database> {
    return new Database(await openLevel(directory, false, limits), directory);
  }

  /** Rebuilds the database from whatever records are whole. The caller audits the result. */
  static async repair(directory: string): Promise<void> {
    // LevelDB would make an empty database where there is nothing to repair.
    if (!(await namesIn(directory)).some((name) => LEVEL_DATA.test(name))) throw missing(directory);
    try {
      await ClassicLevel.repair(directory);
    } catch (error) {
      throw openError(error, directory);
    }
  }

  get(key: Uint8Array, snapshot?: DatabaseSnapshot): Uint8Array | undefined {
    let record: Uint8Array | undefined;
    try {
      record = snapshot === undefined ? this.#level.getSync(key) : this.#level.getSync(key, { ...VIEWS, snapshot });
    } catch (error) {
      throw readError(error);
    }
    return record === undefined ? undefined : unsealed(key, record);
  }

  batch(): DatabaseBatch {
    try {
      return new DatabaseBatch(this.#level.batch());
    } catch (error) {
      throw readError(error);
    }
  }

  snapshot(): DatabaseSnapshot {
    return this.#level.snapshot();
  }

  #iterator(bucket: Bucket, snapshot: DatabaseSnapshot | undefined, from: Uint8Array | undefined) {
    const { start, end } = rangeOf(bucket, from);
    try {
      return this.#level.iterator({ gte: start, lt: end, ...(snapshot !== undefined && { snapshot }) });
    } catch (error) {
      // Whoever reads on when the node stops may come too late for the second of two iterators.
      throw readError(error);
    }
  }

  /** All records of a bucket from the key `from` on, in order, in groups as they are read. */
  async *entries(
    bucket: Bucket,
    snapshot?: DatabaseSnapshot,
    from?: Uint8Array,
  ): AsyncGenerator<readonly DatabaseEntry[]> {
    const iterator = this.#iterator(bucket, snapshot, from);
    try {
      for (;;) {
        const entries = await iterator.nextv(GROUP_ENTRIES);
        if (entries.length === 0) return;
        yield entries.map(([key, record]) => ({ key: plain(key).subarray(1), value: unsealed(key, record) }));
      }
    } catch (error) {
      throw readError(error);
    } finally {
      await iterator.close();
    }
  }

  /** About how many bytes the bucket takes in files; what is in memory only does not count. */
  async bytesOf(bucket: Bucket): Promise<number> {
    const { start, end } = rangeOf(bucket);
    return await this.#level.approximateSize(start, end);
  }

  async clear(bucket: Bucket): Promise<void> {
    const { start, end } = rangeOf(bucket);
    await this.#level.clear({ gte: start, lt: end });
  }

  /**
   * Everything written so far is on disk afterwards, also what was written without `sync`: LevelDB writes its memory
   * table to a file, synced, before it compacts any range, even this empty one.
   */
  async flush(): Promise<void> {
    const end = new Uint8Array([BUCKETS.meta]);
    await this.#level.compactRange(new Uint8Array([0]), end);
  }

  async close(): Promise<void> {
    await this.#level.close();
    this.#onClose();
  }
}

async function openLevel(directory: string, createIfMissing: boolean, limits: StoreLimits): Promise<LevelEngine> {
  const level = new ClassicLevel<Uint8Array, Uint8Array>(resolve(directory), {
    ...VIEWS,
    createIfMissing,
    multithreading: true,
    cacheSize: limits.databaseCacheBytes,
    writeBufferSize: limits.writeBufferBytes,
    // Hashes do not compress, and they are most of what we store.
    compression: false,
    maxFileSize: 8 * 1024 * 1024,
  });
  try {
    await level.open();
  } catch (error) {
    throw openError(error, directory);
  }
  return level;
}

/** Writes that happen together or not at all. */
export class DatabaseBatch {
  readonly #batch: LevelBatch;

  constructor(batch: LevelBatch) {
    this.#batch = batch;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.#batch.put(key, sealed(key, value));
  }

  delete(key: Uint8Array): void {
    this.#batch.del(key);
  }

  /** With `sync`, the promise means that the records are on disk. Throws STORE_WRITE_FAILED. */
  async write(sync: boolean): Promise<void> {
    try {
      await this.#batch.write({ sync });
    } catch (error) {
      throw storeError("STORE_WRITE_FAILED", `the database could not be written: ${reasonOf(error)}`, {
        hint: "Check that the disk is not full and not read-only, then start the node again: nothing acknowledged is lost.",
      });
    }
  }
}

/** Reused: LevelDB's batch copies what it is given, and a block has thousands of small records. */
const sealing = new Uint8Array(4096);

/** Valid until the next call. */
function sealed(key: Uint8Array, value: Uint8Array): Uint8Array {
  const length = value.length + CRC_BYTES;
  const record = length <= sealing.length ? sealing.subarray(0, length) : new Uint8Array(length);
  record.set(value);
  const sum = checksum(key, value);
  record[value.length] = sum >>> 24;
  record[value.length + 1] = sum >>> 16;
  record[value.length + 2] = sum >>> 8;
  record[value.length + 3] = sum;
  return record;
}

function unsealed(key: Uint8Array, record: Uint8Array): Uint8Array {
  const length = record.length - CRC_BYTES;
  if (length < 0) throw damagedRecord(key);
  const value = plain(record).subarray(0, length);
  const sum = checksum(key, value);
  const stored =
    (((record[length] as number) << 24) |
      ((record[length + 1] as number) << 16) |
      ((record[length + 2] as number) << 8) |
      (record[length + 3] as number)) >>>
    0;
  if (sum !== stored) throw damagedRecord(key);
  return value;
}

/** zlib forgets the sum so far when it is given nothing more, if that nothing has no memory behind it. */
function checksum(key: Uint8Array, value: Uint8Array): number {
  const ofKey = crc32(key);
  return value.length === 0 ? ofKey : crc32(value, ofKey);
}

function damagedRecord(key: Uint8Array): Error {
  return damaged(`a record in bucket ${key[0]} does not match its checksum`, { bucket: key[0] });
}

/** LevelDB answers with Buffers, whose `slice` does not copy. */
function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function rangeOf(bucket: Bucket, from: Uint8Array = new Uint8Array(0)): { start: Uint8Array; end: Uint8Array } {
  return { start: bucketKey(bucket, from), end: new Uint8Array([bucket + 1]) };
}

/** A folder that does not exist is an empty one. */
async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return [];
    throw error;
  }
}

function missing(directory: string): Error {
  return storeError("STORE_MISSING", `there is no chain database in ${directory}`, {
    directory,
    hint: "Check the path, or start a node there first.",
  });
}

const LEVEL_DATA = /^(MANIFEST-\d+|\d+\.(ldb|sst|log))$/;
const LEVEL_FILE = /^(CURRENT|LOCK|LOG(\.old)?|MANIFEST-\d+|\d+\.(ldb|sst|log|dbtmp)|lost)$/;

/**
 * True when there is no database yet. LevelDB would make a new one where its CURRENT file is missing, and quietly
 * drop the data beside it: that is damage, not a new folder.
 */
async function isEmptyFolder(directory: string): Promise<boolean> {
  const names = await namesIn(directory);
  const foreign = names.find((name) => !LEVEL_FILE.test(name));
  if (foreign !== undefined) {
    throw storeError("STORE_FOREIGN_FILES", `${directory} contains ${foreign}, which is not part of a chain database`, {
      directory,
      hint: "Choose a folder of its own for the database.",
    });
  }
  if (names.includes("CURRENT")) return false;
  // LOCK and LOG alone are what a start that was interrupted leaves behind.
  if (names.every((name) => name === "LOCK" || name.startsWith("LOG"))) return true;
  throw damaged("its CURRENT file is missing", { directory });
}

function openError(error: unknown, directory: string): Error {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (systemCodeOf(cause) === "LEVEL_LOCKED") return locked(directory);
  const systemCode = systemCodeOf(cause);
  if (cause instanceof Error && (systemCode === "EACCES" || systemCode === "ENOSPC" || systemCode === "EROFS"))
    return cause;
  return damaged(reasonOf(cause), { directory });
}

function locked(directory: string): Error {
  return storeError("STORE_LOCKED", `another process has the database in ${directory} open`, {
    directory,
    hint: "Stop that process, or choose another folder.",
  });
}

function readError(error: unknown): unknown {
  switch (systemCodeOf(error)) {
    case "LEVEL_SNAPSHOT_NOT_OPEN":
      return storeError("STORE_STATE_EXPIRED", "this version of the state was read for too long; take the newest one");
    case "LEVEL_DATABASE_NOT_OPEN":
    case "LEVEL_ITERATOR_NOT_OPEN":
      return storeError("STORE_CLOSED", "the database is closed");
    default:
      return systemCodeOf(error)?.startsWith("LEVEL_") ? damaged(reasonOf(error)) : error;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
