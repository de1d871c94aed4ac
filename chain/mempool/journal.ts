/**
 * The mempool on disk, so that what was accepted waits on after a restart. A file that only grows, and is written anew
 * without what no longer waits when that is most of it.
 *
 * `append` resolves when the operating system has the bytes: a process that is killed then loses nothing. With `sync` it
 * resolves when the disk has them, and a machine that loses power loses nothing either. All that is appended while a
 * write is under way becomes the next write.
 */
import { ftruncateSync, writeSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { concatBytes } from "../../base/bytes.ts";
import { CodedError, systemCodeOf } from "../../base/errors.ts";
import { encodeRecords, JOURNAL_MARK, readRecords } from "./journal-records.ts";
import {
  COMPACTED_JOURNAL_BYTES,
  MAX_JOURNAL_BYTES,
  MAX_JOURNAL_PENDING_BYTES,
  MAX_JOURNAL_RECORD_BYTES,
  MIN_COMPACTED_RECORDS,
} from "./limits.ts";

export type JournalErrorCode =
  /** The disk refused, or the file is not what it should be. Nothing of that append counts as written. */
  | "MEMPOOL_JOURNAL_FAILED"
  /** More is on its way to the disk than may be, or one transaction is too large. */
  | "MEMPOOL_JOURNAL_BUSY"
  | "MEMPOOL_JOURNAL_CLOSED";

export interface JournalOptions {
  /** Wait for the disk with every append. */
  readonly sync?: boolean;
}

interface Append {
  readonly raws: readonly Uint8Array[];
  resolve(): void;
  reject(error: unknown): void;
}

interface Compaction {
  readonly live: () => Iterable<Uint8Array>;
  readonly done: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

export class MempoolJournal {
  private readonly path: string;
  private readonly isSynced: boolean;
  private file: FileHandle;
  /** Where the next record goes. A write that failed is written over. */
  private end: number;
  private recordCount: number;
  private found: readonly Uint8Array[];
  private appends: Append[] = [];
  private compaction: Compaction | undefined;
  private pendingBytes = 0;
  private running: Promise<void> | undefined;
  private isClosed = false;

  private constructor(path: string, options: JournalOptions, opened: Opened) {
    this.path = path;
    this.isSynced = options.sync ?? false;
    this.file = opened.file;
    this.end = opened.end;
    this.recordCount = opened.raws.length;
    this.found = opened.raws;
  }

  /** The folder must be there, and nobody else may have the file open. Throws MEMPOOL_JOURNAL_FAILED. */
  static async open(path: string, options: JournalOptions = {}): Promise<MempoolJournal> {
    try {
      await rm(temporaryOf(path), { force: true });
      return new MempoolJournal(path, options, await openFile(path));
    } catch (error) {
      throw failure(error);
    }
  }

  /** How many records the file has, also of transactions that no longer wait. */
  get records(): number {
    return this.recordCount;
  }

  /** What the file had when it was opened, in order of arrival and perhaps more than once. Only the first call gets it. */
  load(): readonly Uint8Array[] {
    const { found } = this;
    this.found = [];
    return found;
  }

  /** For transactions that are in the pool: what `compact` takes for live must not miss what was appended before. */
  append(raws: readonly Uint8Array[]): Promise<void> {
    if (this.isClosed) return Promise.reject(closed());
    const bytes = sizeOf(raws);
    const isTooLarge = raws.some((raw) => raw.length > MAX_JOURNAL_RECORD_BYTES);
    if (isTooLarge || this.pendingBytes + bytes > MAX_JOURNAL_PENDING_BYTES) {
      const message = `${this.pendingBytes} bytes are on their way to the disk, ${bytes} more are too many`;
      return Promise.reject(new CodedError<JournalErrorCode>("MEMPOOL_JOURNAL_BUSY", message));
    }
    // Nothing is before it and nobody waits for the disk: it is done before others could join it.
    if (this.running === undefined && !this.isSynced) return this.writeNow(raws);
    this.pendingBytes += bytes;
    return new Promise((resolve, reject) => {
      this.appends.push({ raws, resolve, reject });
      this.start();
    });
  }

  /** Whether most of the file is of transactions that no longer wait, or it is larger than all that can wait. */
  isCompactionDue(waiting: number): boolean {
    if (this.end > COMPACTED_JOURNAL_BYTES) return true;
    return this.recordCount >= MIN_COMPACTED_RECORDS && this.recordCount > 2 * waiting;
  }

  /**
   * Writes the file anew with what `live` gives, which is asked once, when the appends before are written. While one is
   * still to begin, it does for all who ask.
   */
  compact(live: () => Iterable<Uint8Array>): Promise<void> {
    if (this.isClosed) return Promise.reject(closed());
    if (this.compaction !== undefined) return this.compaction.done;
    const { promise, resolve, reject } = deferred();
    this.compaction = { live, resolve, reject, done: promise };
    this.start();
    return promise;
  }

  /** After what was appended before is written. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.running;
    await this.file.close();
  }

  private start(): void {
    this.running ??= this.run();
  }

  private async run(): Promise<void> {
    // All that is appended together goes out as one write.
    await Promise.resolve();
    while (this.appends.length > 0 || this.compaction !== undefined) {
      const { appends, compaction } = this;
      this.appends = [];
      this.compaction = undefined;
      if (appends.length > 0) await this.writeAppends(appends);
      if (compaction !== undefined) await settle(this.rewrite(compaction.live), [compaction]);
    }
    this.running = undefined;
  }

  private async writeAppends(appends: readonly Append[]): Promise<void> {
    const raws = appends.flatMap((append) => append.raws);
    await settle(this.write(raws), appends);
    this.pendingBytes -= sizeOf(raws);
  }

  private async writeNow(raws: readonly Uint8Array[]): Promise<void> {
    try {
      this.count(raws, this.hand(raws));
    } catch (error) {
      this.dropUnfinished();
      throw failure(error);
    }
  }

  private async write(raws: readonly Uint8Array[]): Promise<void> {
    try {
      const bytes = this.hand(raws);
      if (this.isSynced) await this.file.datasync();
      this.count(raws, bytes);
    } catch (error) {
      this.dropUnfinished();
      throw error;
    }
  }

  /** To the operating system. Answers with how many bytes that were. */
  private hand(raws: readonly Uint8Array[]): number {
    const bytes = encodeRecords(raws);
    writeAll(this.file, bytes, this.end);
    return bytes.length;
  }

  /** Records of an append that failed are whole up to where it did: behind a later append they would be read again. */
  private dropUnfinished(): void {
    try {
      ftruncateSync(this.file.fd, this.end);
    } catch {
      // The disk is as broken as before; the caller hears of that.
    }
  }

  private count(raws: readonly Uint8Array[], bytes: number): void {
    this.end += bytes;
    this.recordCount += raws.length;
  }

  private async rewrite(live: () => Iterable<Uint8Array>): Promise<void> {
    const raws = [...live()];
    const records = encodeRecords(raws);
    const temporary = temporaryOf(this.path);
    const file = await open(temporary, "w+");
    try {
      // This may be all that the pool can hold: votes must not wait for it.
      await file.writeFile(concatBytes(JOURNAL_MARK, records));
      // Or else a loss of power may leave the new name with nothing in it.
      await file.datasync();
      await rename(temporary, this.path);
    } catch (error) {
      await file.close();
      throw error;
    }
    const old = this.file;
    this.file = file;
    this.end = JOURNAL_MARK.length + records.length;
    this.recordCount = raws.length;
    await old.close();
  }
}

interface Opened {
  readonly file: FileHandle;
  readonly raws: readonly Uint8Array[];
  readonly end: number;
}

async function openFile(path: string): Promise<Opened> {
  const file = await openOrMake(path);
  try {
    const { size } = await file.stat();
    if (size > MAX_JOURNAL_BYTES) throw new Error(`it has ${size} bytes, more than it may`);
    const { raws, end } = readRecords(await file.readFile());
    if (end > 0 || size < JOURNAL_MARK.length) {
      // What follows the whole records would be taken for the rest of the next one.
      await file.truncate(end);
      if (end === 0) writeAll(file, JOURNAL_MARK, 0);
      return { file, raws, end: Math.max(end, JOURNAL_MARK.length) };
    }
    throw new Error(`${path} is no journal of transactions; move it away to start without one`);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openOrMake(path: string): Promise<FileHandle> {
  try {
    return await open(path, "r+");
  } catch (error) {
    if (systemCodeOf(error) !== "ENOENT") throw error;
    return await open(path, "wx+");
  }
}

/**
 * Handing bytes to the operating system takes microseconds; handing them to a thread that does so takes ten times that
 * of this thread's time alone (measured under load), and the answer waits for both.
 */
function writeAll({ fd }: FileHandle, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, position + done);
  }
}

async function settle(
  work: Promise<void>,
  waiting: readonly { resolve(): void; reject(error: unknown): void }[],
): Promise<void> {
  try {
    await work;
    for (const { resolve } of waiting) resolve();
  } catch (error) {
    for (const { reject } of waiting) reject(failure(error));
  }
}

function deferred(): { promise: Promise<void>; resolve(): void; reject(error: unknown): void } {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<void>((onDone, onError) => {
    resolve = onDone;
    reject = onError;
  });
  return { promise, resolve, reject };
}

function sizeOf(raws: readonly Uint8Array[]): number {
  return raws.reduce((sum, raw) => sum + raw.length, 0);
}

function temporaryOf(path: string): string {
  return `${path}.new`;
}

function closed(): CodedError<JournalErrorCode> {
  return new CodedError("MEMPOOL_JOURNAL_CLOSED", "the journal is closed");
}

function failure(error: unknown): CodedError<JournalErrorCode> {
  const reason = error instanceof Error ? error.message : String(error);
  return new CodedError("MEMPOOL_JOURNAL_FAILED", `the journal of waiting transactions failed: ${reason}`, {
    reason: systemCodeOf(error),
  });
}
