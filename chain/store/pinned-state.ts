/**
 * A finalised version of the state that stays readable while the chain goes on, for peers that copy it: leaves in order
 * and proofs of their ranges. It holds a LevelDB snapshot, so whoever pins a state releases it.
 */
import { bigintToBytes, bytesToHex, hexToBytes, padLeft } from "../../base/bytes.ts";
import { ACCOUNT_KEY_BYTES } from "../../vm/tree/keys.ts";
import { accountPayloads } from "../../vm/tree/leaf.ts";
import type { PayloadSource } from "../../vm/tree/prove.ts";
import { type KeyRange, proveRange, type RangeProof } from "../../vm/tree/range-proof.ts";
import type { Page, PageSource, TreeHead, TreeKey } from "../../vm/tree/types.ts";
import { decodeAccount } from "./account-record.ts";
import { BUCKETS, bucketKey, numberKey } from "./buckets.ts";
import type { Database, DatabaseEntry } from "./database.ts";
import { type DiskState, decodedPage } from "./disk-state.ts";
import { damaged } from "./errors.ts";
import { leafRecords } from "./leaf-records.ts";
import { isPage } from "./tree-check.ts";

export class PinnedState implements PageSource, PayloadSource {
  readonly number: number;
  readonly head: TreeHead;
  readonly #database: Database;
  readonly #state: DiskState;
  readonly #maxPages: number;
  /**
   * Its own: the store's cache is for the newest version. Without one, checking a page against its parent reads the
   * parent, and so on, which doubles the reads with every level.
   */
  readonly #pages = new Map<number, Page>();

  /** Takes over one hold of `state`. */
  constructor(database: Database, number: number, state: DiskState, maxPages: number) {
    this.#database = database;
    this.#state = state;
    this.#maxPages = maxPages;
    this.number = number;
    this.head = state.head;
  }

  /** Records of leaves from a key on, in groups, in order. */
  records(from: TreeKey): AsyncGenerator<readonly DatabaseEntry[]> {
    return leafRecords(this.#database, this.#state.snapshot, from);
  }

  prove(range: KeyRange): RangeProof {
    return proveRange(this.head, this, this, range);
  }

  page(number: number): Page {
    const kept = this.#pages.get(number);
    if (kept !== undefined) return kept;
    const record = this.#read(numberKey(BUCKETS.pages, number));
    if (record === undefined) throw damaged(`page ${number} of the state tree is missing`, { page: number });
    const page = decodedPage(record, number);
    if (!isPage(this.head, this, number, page)) {
      throw damaged(`page ${number} of the state tree is old`, { page: number });
    }
    // Chunks are read in the order of keys, mostly: what is old is far away.
    if (this.#pages.size >= this.#maxPages) this.#pages.clear();
    this.#pages.set(number, page);
    return page;
  }

  payload(key: TreeKey): Uint8Array {
    const isAccount = key.length === ACCOUNT_KEY_BYTES;
    const record = this.#read(bucketKey(isAccount ? BUCKETS.accounts : BUCKETS.slots, key));
    if (record === undefined) throw damaged(`the record of the leaf ${bytesToHex(key)} is missing`);
    if (!isAccount) return padLeft(record, 32);
    const { nonce, balance, codeHash } = decodeAccount(record);
    return accountPayloads([
      { nonce: bigintToBytes(nonce), balance: bigintToBytes(balance), codeHash: hexToBytes(codeHash) },
    ]);
  }

  async release(): Promise<void> {
    this.#pages.clear();
    await this.#state.release();
  }

  #read(key: Uint8Array): Uint8Array | undefined {
    return this.#database.get(key, this.#state.snapshot);
  }
}
