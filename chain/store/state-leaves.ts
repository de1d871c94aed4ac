/** The whole state as a stream of leaves in the tree's order: for audits, exports, imports. */
import { bigintToBytes, bytesToHex, compareBytes, hexToBytes } from "../../base/bytes.ts";
import type { Account } from "../../vm/state/account.ts";
import type { TreeBuilder } from "../../vm/tree/bulk.ts";
import { ACCOUNT_KEY_BYTES } from "../../vm/tree/keys.ts";
import { type AccountLeaf, accountLeaves, type SlotLeaf, slotLeaves } from "../../vm/tree/leaf.ts";
import type { NodeId, TreeKey } from "../../vm/tree/types.ts";
import { decodeAccount } from "./account-record.ts";
import { BUCKETS, type Bucket } from "./buckets.ts";
import type { ChainStore } from "./chain-store.ts";
import type { Database, DatabaseEntry, DatabaseSnapshot } from "./database.ts";

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

/** The records of accounts and slots from a key on, in the order of the tree, in groups. */
export async function* leafRecords(
  database: Database,
  snapshot: DatabaseSnapshot,
  from?: TreeKey,
): AsyncGenerator<readonly DatabaseEntry[]> {
  const cursor = (bucket: Bucket): Cursor => new Cursor(database.entries(bucket, snapshot, from));
  const accounts = cursor(BUCKETS.accounts);
  const slots = cursor(BUCKETS.slots);
  try {
    await accounts.load();
    await slots.load();
    while (accounts.current !== undefined || slots.current !== undefined) {
      yield mergedGroup(accounts, slots);
      await accounts.load();
      await slots.load();
    }
  } finally {
    await accounts.close();
    await slots.close();
  }
}

function leafOfRecord({ key, value }: DatabaseEntry): StateLeaf {
  if (key.length !== ACCOUNT_KEY_BYTES) return { kind: "slot", key, value };
  return { kind: "account", key, account: decodeAccount(value) };
}

/** A stream of records with the next one in hand. */
class Cursor {
  readonly #groups: AsyncGenerator<readonly DatabaseEntry[]>;
  #group: readonly DatabaseEntry[] = [];
  #position = 0;
  #isDone = false;

  constructor(groups: AsyncGenerator<readonly DatabaseEntry[]>) {
    this.#groups = groups;
  }

  /** Fetches the next group when this one is used up. */
  async load(): Promise<void> {
    if (this.current !== undefined || this.#isDone) return;
    const next = await this.#groups.next();
    this.#isDone = next.done === true;
    this.#group = next.done === true ? [] : next.value;
    this.#position = 0;
  }

  /** `undefined` when `load` is needed, or at the end. */
  get current(): DatabaseEntry | undefined {
    return this.#group[this.#position];
  }

  /** True when there is nothing in hand but more may come. */
  get mustLoad(): boolean {
    return this.current === undefined && !this.#isDone;
  }

  step(): void {
    this.#position++;
  }

  async close(): Promise<void> {
    await this.#groups.return(undefined);
  }
}

/** Merges until one of the two has to be loaded. */
function mergedGroup(accounts: Cursor, slots: Cursor): readonly DatabaseEntry[] {
  const leaves: DatabaseEntry[] = [];
  while (!accounts.mustLoad && !slots.mustLoad) {
    const account = accounts.current;
    const slot = slots.current;
    if (account !== undefined && (slot === undefined || compareBytes(account.key, slot.key) < 0)) {
      leaves.push(account);
      accounts.step();
    } else if (slot !== undefined) {
      leaves.push(slot);
      slots.step();
    } else break;
  }
  return leaves;
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

function accountLeaf({ key, account }: AccountOfState): AccountLeaf {
  const { nonce, balance, codeHash } = account;
  return { key, nonce: bigintToBytes(nonce), balance: bigintToBytes(balance), codeHash: hexToBytes(codeHash) };
}

/** For messages. */
export function leafName({ kind, key }: StateLeaf): string {
  return `${kind} ${bytesToHex(key)}`;
}
