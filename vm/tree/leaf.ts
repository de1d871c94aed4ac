/**
 * Leaves: node ids of accounts and slots, thousands per call of the native hasher.
 *
 *   account leaf   SHA-256(account key | SHA-256(SHA-256(nonce32 | balance32) | code hash)), tag 0xffff
 *   slot leaf      SHA-256(SHA-256(account key | slot key) | value32), tag 0xfffe
 *
 * The second half of a leaf's last hash is its payload: what a proof shows of a leaf besides its key.
 */
import { hashPairs } from "../../base/hash-pairs.ts";
import { ACCOUNT_TAG, copyBytes, ID_BYTES, SLOT_TAG, setTag } from "./node-id.ts";
import type { NodeId, TreeKey } from "./types.ts";

/** Integers are big-endian, shortest form or padded, at most 32 bytes. */
export interface AccountLeaf {
  /** 32 bytes. */
  readonly key: TreeKey;
  readonly nonce: Uint8Array;
  readonly balance: Uint8Array;
  /** 32 bytes. */
  readonly codeHash: Uint8Array;
}

export interface SlotLeaf {
  /** 64 bytes. */
  readonly key: TreeKey;
  /** Big-endian, shortest form or padded, at most 32 bytes. */
  readonly value: Uint8Array;
}

/** Node ids of accounts, in the order given. */
export function accountLeaves(accounts: readonly AccountLeaf[]): NodeId[] {
  const pairs = new Uint8Array(accounts.length * 64);
  const payloads = accountPayloads(accounts);
  for (let i = 0; i < accounts.length; i++) {
    const { key } = accounts[i] as AccountLeaf;
    copyBytes(key, 0, pairs, i * 64, 32);
    copyBytes(payloads, i * 32, pairs, i * 64 + 32, 32);
  }
  return tagged(hashPairs(pairs, payloads), ACCOUNT_TAG);
}

/** What an account's leaf commits to besides its key: 32 bytes each, in one array. */
export function accountPayloads(accounts: readonly Omit<AccountLeaf, "key">[]): Uint8Array {
  const pairs = new Uint8Array(accounts.length * 64);
  for (let i = 0; i < accounts.length; i++) {
    const { nonce, balance } = accounts[i] as AccountLeaf;
    copyBytes(nonce, 0, pairs, i * 64 + 32 - nonce.length, nonce.length);
    copyBytes(balance, 0, pairs, i * 64 + 64 - balance.length, balance.length);
  }
  const hashes = hashPairs(pairs);
  for (let i = 0; i < accounts.length; i++) {
    copyBytes(hashes, i * 32, pairs, i * 64, 32);
    copyBytes((accounts[i] as AccountLeaf).codeHash, 0, pairs, i * 64 + 32, 32);
  }
  return hashPairs(pairs, hashes);
}

/** Node ids of slots, in the order given. A slot of value zero has no leaf: do not pass it. */
export function slotLeaves(slots: readonly SlotLeaf[]): NodeId[] {
  const pairs = new Uint8Array(slots.length * 64);
  for (let i = 0; i < slots.length; i++) copyBytes((slots[i] as SlotLeaf).key, 0, pairs, i * 64, 64);
  const hashes = hashPairs(pairs);
  pairs.fill(0);
  for (let i = 0; i < slots.length; i++) {
    const { value } = slots[i] as SlotLeaf;
    copyBytes(hashes, i * 32, pairs, i * 64, 32);
    copyBytes(value, 0, pairs, i * 64 + 64 - value.length, value.length);
  }
  return tagged(hashPairs(pairs, hashes), SLOT_TAG);
}

/** Cuts hashes into node ids. */
function tagged(hashes: Uint8Array, tag: number): NodeId[] {
  const ids: NodeId[] = [];
  for (let start = 0; start < hashes.length; start += ID_BYTES) {
    // Copies: a view of the batch would keep all of it alive for as long as one leaf lives.
    const id = hashes.slice(start, start + ID_BYTES);
    setTag(id, tag);
    ids.push(id);
  }
  return ids;
}
