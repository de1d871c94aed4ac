/**
 * One finalised version of the state, read synchronously from disk and caches. It reads through a LevelDB
 * snapshot, so it stays what it is while newer blocks are written, until the store lets go of it.
 *
 * Whatever comes from the disk is checked against the root of the state before it is used or cached: a page against
 * its parent, a record against its leaf. So a bad disk gives an error, never another state.
 */
import { bigintToBytes, bytesToHex, EMPTY_BYTES, type Hex, hexToBytes, padLeft } from "../../base/bytes.ts";
import { assert, CodedError } from "../../base/errors.ts";
import { type Account, type Address, EMPTY_CODE_HASH } from "../../vm/state/account.ts";
import { keyOfAccount, keyOfSlot } from "../../vm/state/keys.ts";
import type { StateChanges, StateReader } from "../../vm/state/reader.ts";
import type { StateVersion } from "../../vm/state/state-version.ts";
import { ACCOUNT_KEY_BYTES } from "../../vm/tree/keys.ts";
import { accountLeaves, slotLeaves } from "../../vm/tree/leaf.ts";
import { decodePage } from "../../vm/tree/page-codec.ts";
import { accountPayload } from "../../vm/tree/proof.ts";
import type { PayloadSource } from "../../vm/tree/prove.ts";
import { hasPrefix } from "../../vm/tree/scan.ts";
import type { NodeId, Page, PageSource, TreeHead, TreeKey, TreeUpdate } from "../../vm/tree/types.ts";
import { decodeAccount } from "./account-record.ts";
import { BUCKETS, bucketKey, numberKey } from "./buckets.ts";
import type { Database, DatabaseSnapshot } from "./database.ts";
import { damaged } from "./errors.ts";
import type { StoreLimits } from "./limits.ts";
import { isLeaf, isPage } from "./tree-check.ts";
import { VersionedCache } from "./versioned-cache.ts";

/** Pages that a version keeps itself once it is not the newest: some hundred kilobytes. */
const MAX_OWN_PAGES = 512;

/** Caches of all versions. `version` counts commits of this process; only the newest version fills the caches. */
export class StateCaches {
  readonly accounts: VersionedCache<Address, Account | undefined>;
  readonly slots: VersionedCache<string, Uint8Array>;
  readonly pages: VersionedCache<number, Page>;
  readonly code: VersionedCache<Hex, Uint8Array>;
  version = 0;

  constructor(limits: StoreLimits) {
    this.accounts = new VersionedCache(limits.cachedAccounts);
    this.slots = new VersionedCache(limits.cachedSlots);
    this.pages = new VersionedCache(limits.cachedPageBytes, pageBytes);
    this.code = new VersionedCache(limits.cachedCodeBytes, (code) => code.length);
  }

  /** A commit has happened: what it changed replaces what was cached. */
  advance(changes: StateChanges, treeUpdate: TreeUpdate): void {
    this.version++;
    for (const [address, account] of changes.accounts) this.accounts.set(address, account, this.version);
    for (const [address, slots] of changes.storage) {
      for (const [slot, value] of slots) this.slots.set(address + slot, value, this.version);
    }
    for (const [number, page] of treeUpdate.written) this.pages.set(number, ownPage(page), this.version);
    for (const number of treeUpdate.removed) this.pages.delete(number);
  }

  /** A commit has happened elsewhere, and nobody knows what it changed. Code never changes. */
  forget(): void {
    this.version++;
    this.accounts.clear();
    this.slots.clear();
    this.pages.clear();
  }
}

/** A page in memory of its own: new pages lie in slabs together, and one that stays would keep its whole slab. */
function ownPage({ level, count, bytes }: Page): Page {
  return { level, count, bytes: bytes.slice() };
}

/** What a page takes in memory: its bytes, and about as much as this for the objects around them. */
function pageBytes(page: Page): number {
  return page.bytes.length + 300;
}

export class DiskState implements StateReader, PageSource, PayloadSource, StateVersion {
  readonly head: TreeHead;
  readonly #version: number;
  readonly #database: Database;
  readonly #snapshot: DatabaseSnapshot;
  readonly #caches: StateCaches;
  #holders = 1;
  /**
   * Read when a newer version was there, whose the caches are. Without them, checking a page against its parent reads the
   * parent, and so on, which doubles the reads with every level.
   */
  readonly #ownPages = new Map<number, Page>();

  /** Takes over the snapshot, which is one of this version. */
  constructor(
    database: Database,
    caches: StateCaches,
    head: TreeHead,
    snapshot: DatabaseSnapshot = database.snapshot(),
  ) {
    this.#database = database;
    this.#caches = caches;
    this.#version = caches.version;
    this.#snapshot = snapshot;
    this.head = head;
  }

  get reader(): StateReader {
    return this;
  }

  get pages(): PageSource {
    return this;
  }

  account(address: Address): Account | undefined {
    const cached = this.#caches.accounts.get(address, this.#version);
    if (cached !== undefined) return cached.value;
    const key = keyOfAccount(address);
    const record = this.#read(bucketKey(BUCKETS.accounts, key));
    const account = record === undefined ? undefined : decodeAccount(record);
    this.#checkLeaf(key, account === undefined ? undefined : leafOfAccount(key, account));
    if (this.#isNewest) this.#caches.accounts.set(address, account, this.#version);
    return account;
  }

  storage(address: Address, slot: Hex): Uint8Array {
    const name = address + slot;
    const cached = this.#caches.slots.get(name, this.#version);
    if (cached !== undefined) return cached.value;
    const key = keyOfSlot(address, slot);
    const value = this.#read(bucketKey(BUCKETS.slots, key));
    this.#checkLeaf(key, value === undefined ? undefined : slotLeaves([{ key, value }])[0]);
    if (this.#isNewest) this.#caches.slots.set(name, value ?? EMPTY_BYTES, this.#version);
    return value ?? EMPTY_BYTES;
  }

  hasStorage(address: Address): boolean {
    return hasPrefix(this.head, this, keyOfAccount(address));
  }

  code(codeHash: Hex): Uint8Array {
    if (codeHash === EMPTY_CODE_HASH) return EMPTY_BYTES;
    // Named by its hash, so it is the same in every version.
    const cached = this.#caches.code.get(codeHash, 0);
    if (cached !== undefined) return cached.value;
    const code = this.#database.get(bucketKey(BUCKETS.code, hexToBytes(codeHash)));
    if (code === undefined) throw damaged(`the code ${codeHash} is missing`, { codeHash });
    this.#caches.code.set(codeHash, code, 0);
    return code;
  }

  page(number: number): Page {
    const cached = this.#caches.pages.get(number, this.#version);
    if (cached !== undefined) return cached.value;
    const own = this.#ownPages.get(number);
    if (own !== undefined) return own;
    const record = this.#read(numberKey(BUCKETS.pages, number));
    if (record === undefined) throw damaged(`page ${number} of the state tree is missing`, { page: number });
    const page = decodedPage(record, number);
    if (!isPage(this.head, this, number, page))
      throw damaged(`page ${number} of the state tree is old`, { page: number });
    if (this.#isNewest) this.#caches.pages.set(number, page, this.#version);
    else this.#keep(number, page);
    return page;
  }

  /** For proofs: what the leaf of a key that is in the state commits to besides it. */
  payload(key: TreeKey): Uint8Array {
    const isAccount = key.length === ACCOUNT_KEY_BYTES;
    const record = this.#read(bucketKey(isAccount ? BUCKETS.accounts : BUCKETS.slots, key));
    if (record === undefined) throw damaged(`the record of the leaf ${bytesToHex(key)} is missing`);
    return isAccount ? accountPayload(decodeAccount(record)) : padLeft(record, 32);
  }

  /** One more call of `release` is needed before it expires. */
  hold(): void {
    assert(this.#holders > 0, "a state that was let go of is not held again");
    this.#holders++;
  }

  /** After the last holder's, later reads throw STORE_STATE_EXPIRED unless the caches still know the answer. */
  async release(): Promise<void> {
    if (--this.#holders > 0) return;
    this.#ownPages.clear();
    await this.#snapshot.close();
  }

  /** For the other files of this folder. */
  get snapshot(): DatabaseSnapshot {
    return this.#snapshot;
  }

  #keep(number: number, page: Page): void {
    if (this.#ownPages.size >= MAX_OWN_PAGES) this.#ownPages.clear();
    this.#ownPages.set(number, page);
  }

  get #isNewest(): boolean {
    return this.#version === this.#caches.version;
  }

  /** What the disk says about a leaf must be what the root of the state says. */
  #checkLeaf(key: TreeKey, leaf: NodeId | undefined): void {
    if (isLeaf(this.head, this, key, leaf)) return;
    throw damaged(`the record of the leaf ${bytesToHex(key)} is missing or old`);
  }

  #read(key: Uint8Array): Uint8Array | undefined {
    return this.#database.get(key, this.#snapshot);
  }
}

function leafOfAccount(key: TreeKey, { nonce, balance, codeHash }: Account): NodeId | undefined {
  return accountLeaves([
    { key, nonce: bigintToBytes(nonce), balance: bigintToBytes(balance), codeHash: hexToBytes(codeHash) },
  ])[0];
}

/** Throws STORE_DAMAGED. */
export function decodedPage(record: Uint8Array, number: number): Page {
  try {
    return decodePage(record);
  } catch (error) {
    if (error instanceof CodedError)
      throw damaged(`page ${number} of the state tree: ${error.message}`, { page: number });
    throw error;
  }
}
