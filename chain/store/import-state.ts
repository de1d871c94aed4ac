/**
 * Loads a whole state from its leaves in order: for snapshots, and for the large states of benchmarks. The tree is
 * built bottom-up while the leaves pass by, in memory that does not grow with the state.
 *
 * Batches are not synced. A marker says that an import is under way, written before the first batch and removed in
 * one synced batch with the head, after everything else is safely on disk. So an import that was interrupted is
 * noticed, and importing again starts over.
 */
import { bytesToHex, compareBytes, equalBytes, type Hex, hexToBytes } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { EMPTY_CODE_HASH, isEmptyAccount } from "../../vm/state/account.ts";
import { TreeBuilder } from "../../vm/tree/bulk.ts";
import { ACCOUNT_KEY_BYTES, isTreeKey } from "../../vm/tree/keys.ts";
import { encodePage } from "../../vm/tree/page-codec.ts";
import type { TreeHead, TreeKey } from "../../vm/tree/types.ts";
import { type BlockHeader, hashHeader } from "../blocks/header.ts";
import { nextValidatorsHash } from "../blocks/validators-codec.ts";
import type { ValidatorStake } from "../consensus/validator-set.ts";
import { encodeAccount } from "./account-record.ts";
import { putHeader } from "./block-records.ts";
import { BUCKETS, bucketKey, metaKey, numberKey } from "./buckets.ts";
import type { ChainStore } from "./chain-store.ts";
import type { DatabaseBatch } from "./database.ts";
import { storeError } from "./errors.ts";
import { putBase, putHead } from "./meta.ts";
import { addLeaves, leafName, type StateLeaf } from "./state-leaves.ts";

/** Code comes before the first account that has it; leaves come in the order of their keys. */
export type ImportItem = StateLeaf | { readonly kind: "code"; readonly code: Uint8Array };

export interface ImportedSeal {
  readonly header: BlockHeader;
  /** `undefined` for a seal that is trusted without one. */
  readonly certificate: Uint8Array | undefined;
  readonly nextValidators: readonly ValidatorStake[];
}

export interface StateImport {
  /** Groups of any size. */
  readonly items: AsyncIterable<readonly ImportItem[]> | Iterable<readonly ImportItem[]>;
  /**
   * The header of the block whose state this is. As a function, it is given the root that was found: for whoever
   * makes a state instead of checking one.
   */
  readonly header: BlockHeader | ((stateRoot: Uint8Array) => BlockHeader);
  readonly certificate?: Uint8Array;
  /** When that block is a seal. */
  readonly nextValidators?: readonly ValidatorStake[];
  /** The seals before it, which the caller has verified: so that the store knows the validators of every epoch. */
  readonly seals?: readonly ImportedSeal[];
  /** Headers below it, which the caller has verified: those that BLOCKHASH may ask for. */
  readonly ancestors?: readonly BlockHeader[];
  readonly onProgress?: (leaves: number) => void;
}

const STATE_BUCKETS = [BUCKETS.accounts, BUCKETS.slots, BUCKETS.code, BUCKETS.pages] as const;

/**
 * Fills a store that has no block yet (open it with `forImport`). Throws STORE_IMPORT_INVALID when the leaves are
 * out of order, impossible, or not the state that the header names; the store then still has no block.
 */
export async function importState(store: ChainStore, source: StateImport): Promise<void> {
  const { database } = store;
  if (store.head !== undefined) throw invalid("the database already has blocks");
  const marked = database.batch();
  marked.put(metaKey("import"), new Uint8Array([1]));
  await marked.write(true);
  for (const bucket of STATE_BUCKETS) await database.clear(bucket);
  const writer = new ImportWriter(store);
  for await (const group of source.items) {
    for (const item of group) {
      writer.add(item);
      if (writer.isFull) {
        await writer.write();
        source.onProgress?.(writer.leaves);
      }
    }
  }
  const tree = await writer.finish();
  const header = typeof source.header === "function" ? source.header(tree.root) : source.header;
  if (!equalBytes(tree.root, header.stateRoot)) {
    throw invalid("its root is not the one in the header", {
      expected: bytesToHex(header.stateRoot),
      found: bytesToHex(tree.root),
    });
  }
  checkValidators(header, source.nextValidators);
  await database.flush();
  const last = database.batch();
  const hash = hashHeader(header);
  putHeader(last, header, hash, source.certificate, source.nextValidators);
  for (const ancestor of source.ancestors ?? []) {
    putHeader(last, ancestor, hashHeader(ancestor), undefined, undefined);
  }
  for (const seal of source.seals ?? []) {
    checkValidators(seal.header, seal.nextValidators);
    putHeader(last, seal.header, hashHeader(seal.header), seal.certificate, seal.nextValidators);
  }
  putHead(last, { number: Number(header.number), hash, tree });
  putBase(last, Number(header.number));
  last.delete(metaKey("import"));
  await last.write(true);
  store.reload();
}

function checkValidators({ number, extra }: BlockHeader, validators: readonly ValidatorStake[] | undefined): void {
  if (equalBytes(extra.nextValidatorSetHash, nextValidatorsHash(validators))) return;
  throw invalid(`the next validators of block ${number} are not those of its header`);
}

/** Removes what an import that did not finish has left, so that the chain can start from genesis instead. */
export async function discardImport(store: ChainStore): Promise<void> {
  const { database } = store;
  if (store.head !== undefined || database.get(metaKey("import")) === undefined) return;
  for (const bucket of STATE_BUCKETS) await database.clear(bucket);
  const batch = database.batch();
  batch.delete(metaKey("import"));
  await batch.write(true);
  store.reload();
}

class ImportWriter {
  readonly #store: ChainStore;
  readonly #builder: TreeBuilder;
  /** Code that is not on disk yet. */
  readonly #batchCode = new Set<string>();
  #leaves: StateLeaf[] = [];
  #batch: DatabaseBatch;
  #lastKey: TreeKey | undefined;
  #codeBytes = 0;
  leaves = 0;

  constructor(store: ChainStore) {
    this.#store = store;
    this.#batch = store.database.batch();
    this.#builder = new TreeBuilder((number, page) => {
      this.#batch.put(numberKey(BUCKETS.pages, number), encodePage(page));
    });
  }

  get isFull(): boolean {
    return this.#leaves.length >= this.#store.limits.importBatchLeaves || this.#codeBytes > MAX_BATCH_CODE_BYTES;
  }

  add(item: ImportItem): void {
    if (item.kind === "code") this.#addCode(item.code);
    else this.#addLeaf(item);
  }

  #addCode(code: Uint8Array): void {
    const hash = keccak256(code);
    this.#batchCode.add(bytesToHex(hash));
    this.#batch.put(bucketKey(BUCKETS.code, hash), code);
    this.#codeBytes += code.length;
  }

  #addLeaf(leaf: StateLeaf): void {
    this.#checkLeaf(leaf);
    const { key } = leaf;
    this.#lastKey = key;
    this.#leaves.push(leaf);
    this.leaves++;
    if (leaf.kind === "slot") this.#batch.put(bucketKey(BUCKETS.slots, key), leaf.value);
    else this.#batch.put(bucketKey(BUCKETS.accounts, key), encodeAccount(leaf.account));
  }

  /** A peer may have sent it: nothing is taken for granted. */
  #checkLeaf(leaf: StateLeaf): void {
    const { key } = leaf;
    const refuse = (reason: string): never => {
      throw invalid(`${leafName(leaf)} ${reason}`);
    };
    if (!isTreeKey(key) || (leaf.kind === "account") !== (key.length === ACCOUNT_KEY_BYTES)) refuse("has no such key");
    if (this.#lastKey !== undefined && compareBytes(this.#lastKey, key) >= 0) refuse("is out of order");
    if (leaf.kind === "slot") {
      const { value } = leaf;
      if (value.length === 0 || value.length > 32 || value[0] === 0) refuse("has no such value");
      return;
    }
    const { nonce, balance, codeHash } = leaf.account;
    if (isEmptyAccount(leaf.account)) refuse("is empty");
    if (nonce < 0n || nonce >= 1n << 64n || balance < 0n || balance >= 1n << 256n) refuse("has a number out of range");
    if (codeHash !== EMPTY_CODE_HASH && !this.#hasCode(codeHash)) refuse("has code that did not come before it");
  }

  #hasCode(codeHash: Hex): boolean {
    if (this.#batchCode.has(codeHash)) return true;
    return this.#store.database.get(bucketKey(BUCKETS.code, hexToBytes(codeHash))) !== undefined;
  }

  async write(): Promise<void> {
    addLeaves(this.#builder, this.#leaves);
    this.#leaves = [];
    this.#codeBytes = 0;
    const batch = this.#batch;
    this.#batch = this.#store.database.batch();
    await batch.write(false);
    this.#batchCode.clear();
  }

  async finish(): Promise<TreeHead> {
    addLeaves(this.#builder, this.#leaves);
    const head = this.#builder.finish();
    await this.#batch.write(false);
    return head;
  }
}

/** Code in one batch, at most, before it is written. */
const MAX_BATCH_CODE_BYTES = 16 * 1024 * 1024;

function invalid(reason: string, data: Readonly<Record<string, unknown>> = {}): Error {
  return storeError("STORE_IMPORT_INVALID", `the state cannot be imported: ${reason}`, data);
}
