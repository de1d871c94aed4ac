/**
 * The log behind the core's `persist` and `compact` effects: what a node must not forget before it is said to others.
 *
 * One write and one sync at a time. What is appended meanwhile waits and becomes the next frame, so that a slow disk
 * means larger groups and not a queue of syncs. A write or sync that fails is never tried again: after a failed fsync
 * the system may have dropped the data and report success the next time. The node has to stop.
 */

import type { Hex } from "../../base/bytes.ts";
import { assert, type CodedError } from "../../base/errors.ts";
import type { VoteContent } from "../../base/votes.ts";
import type { LogRecord } from "../consensus/types.ts";
import { reasonOf, type WalErrorCode, walError } from "./errors.ts";
import { type FolderLock, lockFolder } from "./folder-lock.ts";
import { encodeFrame, FRAME_KINDS } from "./frame.ts";
import { MAX_GROUP_BYTES, MAX_PENDING_BYTES } from "./limits.ts";
import { folderDisk, type LogDisk, type LogFile } from "./log-disk.ts";
import { LOG_NAME, type RecordCodec, readLogFile, removeLeftovers, votesIn, writeLogFile } from "./log-file.ts";
import { floorAfter, type GuardFloor, type LogHeader, type LogIdentity, NO_FLOOR } from "./log-header.ts";

export type WalFailure = CodedError<WalErrorCode>;

export interface ConsensusLogOptions {
  readonly codec: RecordCodec;
  /** Must be what the log was made for. */
  readonly identity: LogIdentity;
  /** Called once; nothing is written or reported afterwards. */
  readonly onFailure: (error: WalFailure) => void;
}

export interface OpenedLog {
  readonly log: ConsensusLog;
  /** For `restore`. */
  readonly records: readonly LogRecord[];
  /** Nothing may be signed at or below. */
  readonly floor: GuardFloor;
}

type Write =
  | {
      readonly type: "append";
      readonly items: readonly Uint8Array[];
      readonly bytes: number;
      readonly position: number;
    }
  | {
      readonly type: "replace";
      readonly items: readonly Uint8Array[];
      readonly bytes: number;
      readonly header: LogHeader;
    };

export class ConsensusLog {
  readonly #disk: LogDisk;
  readonly #lock: FolderLock | undefined;
  readonly #options: ConsensusLogOptions;
  #file: LogFile;
  #mark: Uint8Array;
  #floor: GuardFloor;
  /** All that the log holds or will hold once the queue is written. */
  #votes: VoteContent[];
  #queue: Write[] = [];
  #pendingBytes = 0;
  #running: Promise<void> | undefined;
  #isClosed = false;
  #failure: WalFailure | undefined;
  #listener: (position: number) => void = () => undefined;

  private constructor(
    disk: LogDisk,
    lock: FolderLock | undefined,
    options: ConsensusLogOptions,
    opened: {
      readonly file: LogFile;
      readonly mark: Uint8Array;
      readonly floor: GuardFloor;
      readonly votes: VoteContent[];
    },
  ) {
    this.#disk = disk;
    this.#lock = lock;
    this.#options = options;
    this.#file = opened.file;
    this.#mark = opened.mark;
    this.#floor = opened.floor;
    this.#votes = opened.votes;
  }

  /**
   * Makes an empty log. For a validator that is an act of its operator: a key that has signed before must not get one.
   * The log of a node that followed gives way, since it holds no votes. Throws WAL_EXISTS or WAL_LOCKED.
   */
  static async create(directory: string, identity: LogIdentity): Promise<void> {
    const disk = await folderDisk(directory);
    const lock = await lockFolder(directory);
    try {
      await createLog(disk, identity);
    } finally {
      await lock.release();
    }
  }

  /** Throws WAL_MISSING, WAL_LOCKED, WAL_DAMAGED, WAL_WRONG_CHAIN, WAL_WRONG_VALIDATOR, WAL_OF_FOLLOWER, WAL_RETIRED. */
  static async open(directory: string, options: ConsensusLogOptions): Promise<OpenedLog> {
    const disk = await folderDisk(directory);
    const lock = await lockFolder(directory);
    try {
      return await ConsensusLog.openOn(disk, options, lock);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** `open` on any disk; who locks it is the caller's matter. */
  static async openOn(disk: LogDisk, options: ConsensusLogOptions, lock?: FolderLock): Promise<OpenedLog> {
    const { header, records, isRetired, mark, end } = await readLogFile(disk, options.codec);
    checkIdentity(header.identity, options.identity);
    if (isRetired) throw retired();
    await removeLeftovers(disk);
    const file = await disk.open(LOG_NAME, end);
    // The file may be here through a rename that no sync followed, and its tail was cut off just now.
    await file.sync();
    await disk.syncNames();
    const { floor } = header;
    const log = new ConsensusLog(disk, lock, options, { file, mark, floor, votes: votesIn(records) });
    return { log, records, floor };
  }

  /** Hears the position of each append once it is durable, in order. */
  onSynced(listener: (position: number) => void): void {
    this.#listener = listener;
  }

  /** Bytes that wait for the disk. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  append(records: readonly LogRecord[], position: number): void {
    this.#votes.push(...votesIn(records));
    const items = records.map((record) => this.#options.codec.encode(record));
    this.#enqueue({ type: "append", items, bytes: sizeOf(items), position });
  }

  /** The records take the place of everything appended before. */
  replace(records: readonly LogRecord[]): void {
    const kept = votesIn(records);
    this.#floor = floorAfter(this.#floor, this.#votes, kept);
    this.#votes = kept;
    const items = records.map((record) => this.#options.codec.encode(record));
    const header: LogHeader = { identity: this.#options.identity, floor: this.#floor };
    this.#enqueue({ type: "replace", items, bytes: sizeOf(items), header });
  }

  /** Writes what waits, then lets go of the folder. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
    await this.#file.close();
    await this.#lock?.release();
  }

  #enqueue(write: Write): void {
    assert(!this.#isClosed, "nothing is logged after close");
    if (this.#failure !== undefined) return;
    this.#queue.push(write);
    this.#pendingBytes += write.bytes;
    if (this.#pendingBytes > MAX_PENDING_BYTES) this.#fail(overloaded(this.#pendingBytes));
    else this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    // What the caller appends in the same turn goes into the same frame.
    await undefined;
    while (this.#queue.length > 0) {
      const positions = await this.#writeNext().catch((error: unknown) => this.#fail(writeFailed(error)));
      // Not in the catch above: what a listener throws is no fault of the disk.
      for (const position of positions ?? []) if (this.#failure === undefined) this.#listener(position);
    }
    this.#running = undefined;
  }

  /** The positions that are durable by it. */
  async #writeNext(): Promise<readonly number[]> {
    const first = this.#queue[0];
    if (first?.type === "replace") {
      this.#queue.shift();
      await this.#rewrite(first);
      this.#pendingBytes -= first.bytes;
      return [];
    }
    const group = this.#takeGroup();
    const items = group.flatMap((write) => write.items);
    await this.#file.append(encodeFrame(this.#mark, { kind: FRAME_KINDS.records, items }));
    await this.#file.sync();
    this.#pendingBytes -= group.reduce((sum, { bytes }) => sum + bytes, 0);
    return group.map(({ position }) => position);
  }

  #takeGroup(): Extract<Write, { type: "append" }>[] {
    const group: Extract<Write, { type: "append" }>[] = [];
    let bytes = 0;
    for (const write of this.#queue) {
      if (write.type !== "append" || (group.length > 0 && bytes + write.bytes > MAX_GROUP_BYTES)) break;
      group.push(write);
      bytes += write.bytes;
    }
    this.#queue.splice(0, group.length);
    return group;
  }

  async #rewrite({ header, items }: Extract<Write, { type: "replace" }>): Promise<void> {
    const old = this.#file;
    const { file, mark } = await writeLogFile(this.#disk, header, items);
    this.#file = file;
    this.#mark = mark;
    await old.close();
  }

  #fail(error: WalFailure): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#queue = [];
    this.#options.onFailure(error);
  }
}

/** `create` on any disk. */
export async function createLog(
  disk: LogDisk,
  identity: LogIdentity,
  floor: GuardFloor = NO_FLOOR,
  items: readonly Uint8Array[] = [],
): Promise<void> {
  await refuseOverwriting(disk);
  const { file } = await writeLogFile(disk, { identity, floor }, items);
  await file.close();
}

/** Any log of a validator stays, readable or not; one of a follower may go. */
async function refuseOverwriting(disk: LogDisk): Promise<void> {
  if ((await disk.read(LOG_NAME)) === undefined) return;
  const anything: RecordCodec = { encode: () => new Uint8Array(0), decode: () => ({}) as LogRecord };
  const { header } = await readLogFile(disk, anything);
  if (header.identity.validator === undefined) return;
  throw walError("WAL_EXISTS", `the folder has the consensus log of validator ${header.identity.validator}`, {
    hint: "Start the validator with it, or choose another folder.",
  });
}

function sizeOf(items: readonly Uint8Array[]): number {
  return items.reduce((sum, item) => sum + item.length, 0);
}

function checkIdentity(stored: LogIdentity, wanted: LogIdentity): void {
  if (stored.chainId !== wanted.chainId) {
    throw walError("WAL_WRONG_CHAIN", `the consensus log is of chain ${stored.chainId}, not of ${wanted.chainId}`, {
      hint: "Use the data folder of this chain.",
    });
  }
  if (stored.validator === wanted.validator) return;
  if (stored.validator === undefined) {
    throw walError(
      "WAL_OF_FOLLOWER",
      `the consensus log is of a node that follows, not of validator ${wanted.validator}`,
      {
        hint: "If this validator has never signed, make a log for it. If it has, bring its log or guard here.",
      },
    );
  }
  const name = (validator: Hex | undefined): string =>
    validator === undefined ? "a node that follows" : `validator ${validator}`;
  throw walError(
    "WAL_WRONG_VALIDATOR",
    `the consensus log is of ${name(stored.validator)}, not of ${name(wanted.validator)}`,
    { hint: "Use the key that belongs to this data folder, or the folder that belongs to the key." },
  );
}

function retired(): WalFailure {
  return walError("WAL_RETIRED", "the guard of this consensus log was exported, so that another machine may sign", {
    hint: "Start the validator where the guard was imported. To come back, export it there and import it into a new folder here.",
  });
}

function writeFailed(error: unknown): WalFailure {
  return walError("WAL_WRITE_FAILED", `the consensus log could not be written: ${reasonOf(error)}`, {
    hint: "Check that the disk is healthy, not full and not read-only, then start the node again: nothing acknowledged is lost.",
  });
}

function overloaded(bytes: number): WalFailure {
  return walError("WAL_OVERLOADED", `${bytes} bytes wait for the consensus log's disk`, {
    bytes,
    hint: "The disk is too slow for a node, or failing: move the data folder to a better one.",
  });
}
