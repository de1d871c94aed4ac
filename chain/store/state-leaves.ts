/** The whole state as a stream of leaves in the tree's order: for audits, exports, imports. */
import { bigintToBytes, bytesToHex, hexToBytes } from "../../base/bytes.ts";
import { type Account, EMPTY_CODE_HASH } from "../../vm/state/account.ts";
import type { TreeBuilder } from "../../vm/tree/bulk.ts";
import { ACCOUNT_KEY_BYTES } from "../../vm/tree/keys.ts";
import { type AccountLeaf, accountLeaves, type SlotLeaf, slotLeaves } from "../../vm/tree/leaf.ts";
import type { NodeId, TreeKey } from "../../vm/tree/types.ts";
import { decodeAccount } from "./account-record.ts";
import type { ChainStore } from "./chain-store.ts";
import type { DatabaseEntry } from "./database.ts";
import { leafRecords } from "./leaf-records.ts";

export interface AccountOfState {
  readonly kind: "account";
  /** 32 bytes; addresses themselves are not in the state. */
  readonly key: TreeKey;
  readonly account: Account;
}

export interface SlotOfState {
  readonly kind: "slot";
  /** 64 bytes: the account's key, then the slot's. */
  readonly key: TreeKey;
  /** Shortest big-endian form, not empty. */
  readonly value: Uint8Array;
}

export type StateLeaf = AccountOfState | SlotOfState;

/** The state of the store's head, in groups: each account, followed by its slots. */
export async function* stateLeaves(store: ChainStore): AsyncGenerator<readonly StateLeaf[]> {
  const snapshot = store.database.snapshot();
  try {
    for await (const group of leafRecords(store.database, snapshot)) yield group.map(leafOfRecord);
  } finally {
    await snapshot.close();
  }
}

function leafOfRecord({ key, value }: DatabaseEntry): StateLeaf {
  if (key.length !== ACCOUNT_KEY_BYTES) return { kind: "slot", key, value };
  return { kind: "account", key, account: decodeAccount(value) };
}

/** Hashes the leaves together and adds them to the builder in their order. */
export function addLeaves(builder: TreeBuilder, leaves: readonly StateLeaf[]): void {
  const accounts: AccountLeaf[] = [];
  const slots: SlotLeaf[] = [];
  for (const leaf of leaves) {
    if (leaf.kind === "slot") slots.push(leaf);
    else accounts.push(accountLeaf(leaf));
  }
  const accountIds = accountLeaves(accounts);
  const slotIds = slotLeaves(slots);
  let account = 0;
  let slot = 0;
  for (const { kind, key } of leaves) {
    builder.add(key, (kind === "slot" ? slotIds[slot++] : accountIds[account++]) as NodeId);
  }
}

/** Most accounts have no code, and reading text takes as long as hashing. */
const NO_CODE = hexToBytes(EMPTY_CODE_HASH);

function accountLeaf({ key, account }: AccountOfState): AccountLeaf {
  const { nonce, balance } = account;
  const codeHash = account.codeHash === EMPTY_CODE_HASH ? NO_CODE : hexToBytes(account.codeHash);
  return { key, nonce: bigintToBytes(nonce), balance: bigintToBytes(balance), codeHash };
}

/** For messages. */
export function leafName({ kind, key }: StateLeaf): string {
  return `${kind} ${bytesToHex(key)}`;
}
