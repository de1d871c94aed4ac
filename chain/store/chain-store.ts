/**
 * The chain on disk: the finalised blocks and the state after the last of them. A block is written in one atomic
 * batch, so whatever happens to the process, the database holds the chain up to some block and nothing of the next.
 */
import { bytesToHex, equalBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { finish, type Run, type Work } from "../../base/work.ts";
import type { StateReader } from "../../vm/state/reader.ts";
import type { StateVersion } from "../../vm/state/state-version.ts";
import { EMPTY_HEAD } from "../../vm/tree/page-sources.ts";
import type { BlockHeader } from "../blocks/header.ts";
import { ArchiveState } from "./archive.ts";
import { BlockReader } from "./block-reader.ts";
import { checkLinks, readHeader, type StoredHeader } from "./block-records.ts";
import { metaKey } from "./buckets.ts";
import { Database, type DatabaseBatch } from "./database.ts";
import { DiskState, StateCaches } from "./disk-state.ts";
import { damaged, storeError } from "./errors.ts";
import { DEFAULT_LIMITS, type StoreLimits } from "./limits.ts";
import {
  type ChainIdentity,
  checkIdentity,
  putIdentity,
  readBase,
  readChain,
  readHead,
  readSchema,
  type StoredChain,
} from "./meta.ts";
import { isNext } from "./next-block.ts";
import { PinnedState } from "./pinned-state.ts";
import { stateNotKept } from "./state-not-kept.ts";
import { type FinalBlock, puttingFinalBlock, puttingHistory } from "./write-block.ts";

export interface OpenOptions {
  /** The chain that the database must hold. Without it, an existing database is opened as it is. */
  readonly chain?: ChainIdentity;
  /** Keep history. Decided when the database is made, and recorded in it. */
  readonly archive?: boolean;
  readonly limits?: Partial<StoreLimits>;
  /** Open a database whose state import did not finish, in order to import again. */
  readonly forImport?: boolean;
}

export interface CommitOptions {
  /**
   * Whether the promise means durability (the default). Without it, blocks of a bulk load survive a killed process,
   * and survive a power failure once `flush` has returned.
   */
  readonly sync?: boolean;
  /** Prepares what is to be written in turns with others on this thread; without it, at once. */
  readonly run?: Run;
}

/** The last finalised block. */
export interface ChainHead extends StoredHeader {
  readonly number: number;
}

export class ChainStore extends BlockReader {
  readonly identity: StoredChain;
  readonly limits: StoreLimits;
  readonly #caches: StateCaches;
  /** The newest last; each reads through a snapshot of its own. */
  readonly #versions: { readonly number: number; readonly state: DiskState }[] = [];
  #head: ChainHead | undefined;
  #base = 0;
  #isWriting = false;
  #failure: unknown;

  private constructor(database: Database, identity: StoredChain, limits: StoreLimits) {
    super(database);
    this.identity = identity;
    this.limits = limits;
    this.#caches = new StateCaches(limits);
    this.#loadHead();
  }

  /**
   * Opens or makes the database in `directory`. Throws STORE_MISSING, STORE_LOCKED, STORE_FOREIGN_FILES, STORE_DAMAGED,
   * STORE_NEWER_SCHEMA, STORE_WRONG_CHAIN, STORE_NO_ARCHIVE or STORE_IMPORT_UNFINISHED.
   */
  static async open(directory: string, options: OpenOptions = {}): Promise<ChainStore> {
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    return ChainStore.over(await Database.open(directory, options.chain !== undefined, limits), options);
  }

  /** The same over a database that is open, and is closed when this fails. */
  static async over(database: Database, options: OpenOptions = {}): Promise<ChainStore> {
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const { directory } = database;
    try {
      const identity = (await identify(database, options)) ?? (await initialise(database, options));
      if (database.get(metaKey("import")) !== undefined && options.forImport !== true) {
        throw storeError("STORE_IMPORT_UNFINISHED", `the state import into ${directory} did not finish`, {
          directory,
          hint: "Import again: it starts over by itself.",
        });
      }
      const store = new ChainStore(database, identity, limits);
      const { head, base } = store;
      if (head !== undefined) await checkLinks(database, Math.max(base, head.number - limits.checkedBlocks), head);
      return store;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /** Rebuilds a damaged database from whatever records are whole. The caller audits the result. */
  static async repair(directory: string): Promise<void> {
    await Database.repair(directory);
  }

  /** `undefined` until genesis is committed. */
  override get head(): ChainHead | undefined {
    return this.#head;
  }

  /** The first block that is here: genesis, or the block whose state was imported. */
  get base(): number {
    return this.#base;
  }

  get isArchive(): boolean {
    return this.identity.archive;
  }

  /** The state after the last finalised block; before genesis, the empty state. Stays readable for a while. */
  state(): StateVersion {
    return this.#newest.state;
  }

  /** The first of the last blocks whose states are at hand without an archive. */
  get oldestRecent(): number {
    return Math.max(0, this.#versions[0]?.number ?? 0);
  }

  /** The same, readable until it is released, whatever is committed meanwhile. */
  holdState(): { readonly state: StateVersion; release(): void } {
    const { state } = this.#newest;
    state.hold();
    return { state, release: () => void state.release() };
  }

  /**
   * The state at the end of block `number`. Throws STORE_NO_SUCH_BLOCK, or STORE_NO_ARCHIVE when that state is no
   * longer there.
   */
  stateAt(number: number): StateReader {
    if (this.#head === undefined || number > this.#head.number || number < 0) {
      throw storeError("STORE_NO_SUCH_BLOCK", `there is no block ${number} yet`, { number, head: this.#head?.number });
    }
    const retained = this.#versions.find((version) => version.number === number);
    if (retained !== undefined) return retained.state.reader;
    if (!this.isArchive || number < this.#base) throw stateNotKept(number);
    return new ArchiveState(this.database, number, () => this.#newest.state);
  }

  /**
   * The state at the end of a recent block, to be read for as long as the caller wants; it is to be released.
   * `undefined` when that version is no longer, or not yet, here.
   */
  pin(number: number, cachedPages: number): PinnedState | undefined {
    const retained = this.#versions.find((version) => version.number === number);
    if (retained === undefined || number < 0) return undefined;
    retained.state.hold();
    return new PinnedState(this.database, number, retained.state, cachedPages);
  }

  /** For BLOCKHASH. */
  blockHash(number: bigint): Uint8Array | undefined {
    const asNumber = Number(number);
    if (asNumber === this.#head?.number) return this.#head.hash;
    return this.header(asNumber)?.hash;
  }

  /**
   * Writes the block after the head: all of it or nothing. One commit at a time; FinalisedChain queues them. Throws
   * STORE_NOT_NEXT, STORE_WRITE_FAILED (nothing is written after that) or STORE_CLOSED.
   */
  async commit(block: FinalBlock, { sync = true, run }: CommitOptions = {}): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    assert(!this.#isWriting, "one block is committed at a time");
    this.#checkNext(block.header);
    const { changes, treeUpdate } = block.executed;
    assert(equalBytes(treeUpdate.head.root, block.header.stateRoot), "a block is committed with the state it names");
    this.#isWriting = true;
    try {
      const batch = this.database.batch();
      const putting = this.#putting(batch, block);
      if (run === undefined) finish(putting);
      else await run(putting);
      await batch.write(sync);
      this.#caches.advance(changes, treeUpdate);
      this.#setHead({ number: Number(block.header.number), header: block.header, hash: block.hash }, treeUpdate.head);
    } catch (error) {
      this.#failure = error;
      throw error;
    } finally {
      this.#isWriting = false;
    }
  }

  *#putting(batch: DatabaseBatch, block: FinalBlock): Work<void> {
    yield* puttingFinalBlock(this.database, batch, block);
    if (this.isArchive) yield* puttingHistory(this.database, batch, this.state(), block);
  }

  /** After this, also what was committed without `sync` survives a power failure. */
  async flush(): Promise<void> {
    await this.database.flush();
  }

  /** Reads the head again after an import has replaced everything. */
  reload(): void {
    this.#caches.version++;
    this.#loadHead();
  }

  /** No commit may be under way. */
  async close(): Promise<void> {
    assert(!this.#isWriting, "a store is closed between two commits");
    this.#failure ??= storeError("STORE_CLOSED", "the database is closed");
    await Promise.all(this.#versions.map(({ state }) => state.release()));
    await this.database.close();
  }

  get #newest(): { readonly number: number; readonly state: DiskState } {
    const newest = this.#versions.at(-1);
    assert(newest !== undefined, "a store has a state");
    return newest;
  }

  #checkNext(header: BlockHeader): void {
    const head = this.#head;
    if (isNext(header, head)) return;
    throw storeError("STORE_NOT_NEXT", `block ${header.number} does not follow the last finalised block`, {
      number: header.number,
      parentHash: bytesToHex(header.parentHash),
      head: head?.number,
      headHash: head && bytesToHex(head.hash),
    });
  }

  #loadHead(): void {
    this.#base = readBase(this.database);
    const stored = readHead(this.database);
    if (stored === undefined) {
      this.#retain({ number: -1, state: new DiskState(this.database, this.#caches, EMPTY_HEAD) });
      return;
    }
    const found = readHeader(this.database, stored.number);
    if (found === undefined) throw damaged(`the header of the last block, ${stored.number}, is missing`);
    if (!equalBytes(found.hash, stored.hash) || !equalBytes(found.header.stateRoot, stored.tree.root)) {
      throw damaged(`the last block, ${stored.number}, is not the one that the head names`);
    }
    this.#setHead({ number: stored.number, ...found }, stored.tree);
  }

  #setHead(head: ChainHead, tree: StateVersion["head"]): void {
    this.#head = head;
    this.#retain({ number: head.number, state: new DiskState(this.database, this.#caches, tree) });
  }

  #retain(version: { readonly number: number; readonly state: DiskState }): void {
    this.#versions.push(version);
    if (this.#versions.length <= this.limits.retainedVersions) return;
    const expired = this.#versions.shift();
    // Closing a snapshot only forgets a number inside LevelDB: there is nothing to wait for.
    void expired?.state.release();
  }
}

/** The chain in an existing database; `undefined` when it is new. */
async function identify(database: Database, options: OpenOptions): Promise<StoredChain | undefined> {
  if (readSchema(database) === undefined) {
    if (readHead(database) !== undefined) throw damaged("its schema record is missing");
    return undefined;
  }
  const found = readChain(database);
  if (found === undefined) throw damaged("its chain record is missing");
  if (options.chain !== undefined) checkIdentity(found, options.chain, database.directory);
  if (options.archive === true && !found.archive) {
    throw storeError("STORE_NO_ARCHIVE", `the database in ${database.directory} was made without an archive`, {
      hint: "Start without --archive, or sync again with --archive into an empty folder: history cannot be added later.",
    });
  }
  return found;
}

async function initialise(database: Database, options: OpenOptions): Promise<StoredChain> {
  const { chain, archive = false } = options;
  if (chain === undefined) {
    throw storeError("STORE_MISSING", `the database in ${database.directory} is empty`, {
      hint: "Check the path, or start a node there first.",
    });
  }
  const identity = { chainId: chain.chainId, genesisHash: chain.genesisHash, archive };
  const batch = database.batch();
  putIdentity(batch, identity);
  await batch.write(true);
  return identity;
}
