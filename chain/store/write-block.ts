/** The records of one finalised block: everything it changed, in one batch. */
import { equalBytes, hexToBytes } from "../../base/bytes.ts";
import type { Work } from "../../base/work.ts";
import type { ExecutedBlock } from "../../vm/execution/execute-block.ts";
import type { Account } from "../../vm/state/account.ts";
import { keyOfAccount, keyOfSlot } from "../../vm/state/keys.ts";
import type { StateChanges } from "../../vm/state/reader.ts";
import type { StateVersion } from "../../vm/state/state-version.ts";
import { encodePage } from "../../vm/tree/page-codec.ts";
import { hasPrefix } from "../../vm/tree/scan.ts";
import type { TreeUpdate } from "../../vm/tree/types.ts";
import type { BlockHeader } from "../blocks/header.ts";
import type { ValidatorStake } from "../consensus/validator-set.ts";
import { encodeAccount } from "./account-record.ts";
import { accountSubject, HAS_NONE, HAS_SLOTS, putChange, slotSubject, storageSubject } from "./archive.ts";
import { putHeader, puttingBody } from "./block-records.ts";
import { BUCKETS, bucketKey, numberKey } from "./buckets.ts";
import type { Database, DatabaseBatch } from "./database.ts";
import { puttingLogIndex } from "./log-index.ts";
import { putHead } from "./meta.ts";

/** A block that is final: its header, what executing it gave, and the proof of finality. */
export interface FinalBlock {
  readonly header: BlockHeader;
  readonly hash: Uint8Array;
  readonly executed: Pick<ExecutedBlock, "included" | "receipts" | "changes" | "treeUpdate" | "state">;
  /** Absent in genesis, and on chains of one node. */
  readonly certificate?: Uint8Array | undefined;
  /** In a seal only. */
  readonly nextValidators?: readonly ValidatorStake[] | undefined;
}

/** In steps, of which none takes longer than a record, or one encoding of all transactions or receipts. */
export function* puttingFinalBlock(database: Database, batch: DatabaseBatch, block: FinalBlock): Work<void> {
  const { header, hash, executed, certificate, nextValidators } = block;
  yield* puttingState(batch, executed.changes);
  yield* puttingPages(batch, executed.treeUpdate);
  const number = Number(header.number);
  putHeader(batch, header, hash, certificate, nextValidators);
  yield* puttingBody(batch, number, executed.included, executed.receipts, nextValidators);
  yield* puttingLogIndex(database, batch, number, executed.receipts, header.logsBloom);
  putHead(batch, { number, hash, tree: executed.treeUpdate.head });
}

function* puttingState(batch: DatabaseBatch, changes: StateChanges): Work<void> {
  for (const [address, account] of changes.accounts) {
    const key = bucketKey(BUCKETS.accounts, keyOfAccount(address));
    if (account === undefined) batch.delete(key);
    else batch.put(key, encodeAccount(account));
    yield;
  }
  for (const [address, slots] of changes.storage) {
    for (const [slot, value] of slots) {
      const key = bucketKey(BUCKETS.slots, keyOfSlot(address, slot));
      if (value.length === 0) batch.delete(key);
      else batch.put(key, value);
      yield;
    }
  }
  for (const [hash, code] of changes.code) batch.put(bucketKey(BUCKETS.code, hexToBytes(hash)), code);
}

function* puttingPages(batch: DatabaseBatch, update: TreeUpdate): Work<void> {
  for (const [number, page] of update.written) {
    batch.put(numberKey(BUCKETS.pages, number), encodePage(page));
    yield;
  }
  for (const number of update.removed) batch.delete(numberKey(BUCKETS.pages, number));
}

/** The block's reverse diff, in steps. `parent` is the state before it. */
export function* puttingHistory(
  database: Database,
  batch: DatabaseBatch,
  parent: StateVersion,
  block: FinalBlock,
): Work<void> {
  const number = Number(block.header.number);
  const { changes, state } = block.executed;
  const record = (account: Account | undefined): Uint8Array =>
    account === undefined ? HAS_NONE : encodeAccount(account);
  for (const [address, account] of changes.accounts) {
    const before = record(parent.reader.account(address));
    if (equalBytes(before, record(account))) continue;
    putChange(database, batch, accountSubject(address), number, before);
    yield;
  }
  for (const [address, slots] of changes.storage) {
    for (const [slot, value] of slots) {
      const before = parent.reader.storage(address, slot);
      if (!equalBytes(before, value)) putChange(database, batch, slotSubject(address, slot), number, before);
      yield;
    }
    const account = keyOfAccount(address);
    const had = hasPrefix(parent.head, parent.pages, account);
    if (had !== hasPrefix(state.head, state.pages, account)) {
      putChange(database, batch, storageSubject(address), number, had ? HAS_SLOTS : HAS_NONE);
    }
  }
}
