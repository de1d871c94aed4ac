/** One version of the state: its values and its tree. The store has one on disk; each executed block is another. */
import { bigintToBytes, hexToBytes } from "../../base/bytes.ts";
import { type AccountLeaf, accountLeaves, type SlotLeaf, slotLeaves } from "../tree/leaf.ts";
import { OverlayPages } from "../tree/page-sources.ts";
import type { LeafChange, PageSource, TreeHead, TreeKey, TreeUpdate } from "../tree/types.ts";
import { updateTree } from "../tree/update.ts";
import { EMPTY_CODE_HASH } from "./account.ts";
import { keyOfAccount, keyOfSlot } from "./keys.ts";
import { OverlayState } from "./overlay.ts";
import type { StateChanges, StateReader } from "./reader.ts";

export interface StateVersion {
  readonly reader: StateReader;
  readonly head: TreeHead;
  readonly pages: PageSource;
}

/** The state after `changes`: an overlay that reads through to `parent`. Nothing of the parent is altered. */
export function advanceState(
  parent: StateVersion,
  changes: StateChanges,
): { readonly version: StateVersion; readonly treeUpdate: TreeUpdate } {
  const treeUpdate = updateTree(parent.head, parent.pages, leafChanges(changes));
  const version = {
    reader: new OverlayState(changes, parent.reader),
    head: treeUpdate.head,
    pages: new OverlayPages(parent.pages, treeUpdate),
  };
  return { version, treeUpdate };
}

const EMPTY_CODE_HASH_BYTES = hexToBytes(EMPTY_CODE_HASH);

/** What the changes mean for the tree. An account that is gone and a slot of zero have no leaf. */
export function leafChanges(changes: StateChanges): LeafChange[] {
  const removed: TreeKey[] = [];
  const accounts: AccountLeaf[] = [];
  for (const [address, account] of changes.accounts) {
    const key = keyOfAccount(address);
    if (account === undefined) removed.push(key);
    else {
      const codeHash = account.codeHash === EMPTY_CODE_HASH ? EMPTY_CODE_HASH_BYTES : hexToBytes(account.codeHash);
      accounts.push({ key, nonce: bigintToBytes(account.nonce), balance: bigintToBytes(account.balance), codeHash });
    }
  }
  const slots: SlotLeaf[] = [];
  for (const [address, written] of changes.storage) {
    for (const [slot, value] of written) {
      const key = keyOfSlot(address, slot);
      if (value.length === 0) removed.push(key);
      else slots.push({ key, value });
    }
  }
  return [...withLeaves(accounts, accountLeaves), ...withLeaves(slots, slotLeaves), ...removed.map(withoutLeaf)];
}

function withLeaves<T extends { readonly key: TreeKey }>(
  entries: readonly T[],
  leavesOf: (entries: readonly T[]) => Uint8Array[],
): LeafChange[] {
  const leaves = leavesOf(entries);
  return entries.map(({ key }, i) => ({ key, leaf: leaves[i] }));
}

function withoutLeaf(key: TreeKey): LeafChange {
  return { key, leaf: undefined };
}
