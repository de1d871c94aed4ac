/**
 * The chain on disk for another thread than the one that writes it. It sees the last block that `refresh` has found, and
 * the states of those before it for as long as the writer keeps them; an archive has all of them. What one call of
 * `refresh` has shown stays the same until the next.
 */
import { equalBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import type { StateReader } from "../../vm/state/reader.ts";
import type { StateVersion } from "../../vm/state/state-version.ts";
import { ArchiveState } from "./archive.ts";
import { BlockReader } from "./block-reader.ts";
import { readHeader } from "./block-records.ts";
import type { ChainHead } from "./chain-store.ts";
import { Database } from "./database.ts";
import { DiskState, StateCaches } from "./disk-state.ts";
import { damaged, storeError } from "./errors.ts";
import { DEFAULT_LIMITS, type StoreLimits } from "./limits.ts";
import { readBase, readChain, readHead } from "./meta.ts";
import { stateNotKept } from "./state-not-kept.ts";

interface Version {
  readonly number: number;
  readonly state: DiskState;
}

export class ReadView extends BlockReader {
  readonly base: number;
  readonly isArchive: boolean;
  readonly #limits: StoreLimits;
  readonly #caches: StateCaches;
  /** The newest last. */
  readonly #versions: Version[] = [];
  #head: ChainHead | undefined;

  private constructor(database: Database, limits: StoreLimits) {
    super(database);
    const chain = readChain(database);
    if (chain === undefined) throw damaged("its chain record is missing");
    this.isArchive = chain.archive;
    this.base = readBase(database);
    this.#limits = limits;
    this.#caches = new StateCaches(limits);
    this.refresh();
  }

  /** The writer has the database open, with at least genesis in it, and closes it after this is closed. */
  static async open(directory: string, limits: Partial<StoreLimits> = {}): Promise<ReadView> {
    const all = { ...DEFAULT_LIMITS, ...limits };
    const database = await Database.share(directory, all);
    try {
      return new ReadView(database, all);
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  override get head(): ChainHead {
    assert(this.#head !== undefined, "a view is opened with a head");
    return this.#head;
  }

  /** Looks for blocks that have become final since. True: there are. */
  refresh(): boolean {
    if (readHead(this.database)?.number === this.#head?.number) return false;
    if (this.#head !== undefined) this.#caches.forget();
    // First the snapshot, then what it holds: a block may be committed between any two reads.
    const snapshot = this.database.snapshot();
    const stored = readHead(this.database, snapshot);
    const found = stored && readHeader(this.database, stored.number);
    if (stored === undefined || found === undefined || !equalBytes(found.hash, stored.hash)) {
      void snapshot.close();
      throw damaged("the last block is missing, or is not the one that the head names");
    }
    this.#head = { number: stored.number, ...found };
    this.#retain({ number: stored.number, state: new DiskState(this.database, this.#caches, stored.tree, snapshot) });
    return true;
  }

  /** The state after the last block. */
  state(): StateVersion {
    return this.#newest;
  }

  /** As the writer's: throws STORE_NO_SUCH_BLOCK or STORE_NO_ARCHIVE. */
  stateAt(number: number): StateReader {
    if (!this.isFinal(number)) {
      throw storeError("STORE_NO_SUCH_BLOCK", `there is no block ${number} yet`, { number, head: this.head.number });
    }
    const retained = this.#versions.findLast((version) => version.number === number);
    if (retained !== undefined) return retained.state.reader;
    if (!this.isArchive || number < this.base) throw stateNotKept(number);
    return new ArchiveState(this.database, number, () => this.#newest);
  }

  /** The first of the last blocks whose states are at hand without an archive. */
  get oldestRecent(): number {
    return this.#versions[0]?.number ?? this.head.number;
  }

  /** Whether the state at the end of that block is at hand without an archive. */
  retains(number: number): boolean {
    return this.#versions.some((version) => version.number === number);
  }

  async close(): Promise<void> {
    await Promise.all(this.#versions.splice(0).map(({ state }) => state.release()));
    await this.database.close();
  }

  get #newest(): DiskState {
    const newest = this.#versions.at(-1);
    assert(newest !== undefined, "a view is opened with a state");
    return newest.state;
  }

  #retain(version: Version): void {
    this.#versions.push(version);
    if (this.#versions.length > this.#limits.retainedVersions) void this.#versions.shift()?.state.release();
  }
}
