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

/** Buffers for one leaf: making arrays takes three times as long as hashing it (measured). */
const onePair = new Uint8Array(64);
const oneHash = new Uint8Array(32);

/** The node id of one account, for those who have no others to hash with it. */
export function accountLeaf({ key, nonce, balance, codeHash }: AccountLeaf): NodeId {
  onePair.fill(0);
  copyBytes(nonce, 0, onePair, 32 - nonce.length, nonce.length);
  copyBytes(balance, 0, onePair, 64 - balance.length, balance.length);
  hashPairs(onePair, oneHash);
  copyBytes(oneHash, 0, onePair, 0, 32);
  copyBytes(codeHash, 0, onePair, 32, 32);
  hashPairs(onePair, oneHash);
  copyBytes(key, 0, onePair, 0, 32);
  copyBytes(oneHash, 0, onePair, 32, 32);
  return idOf(hashPairs(onePair, oneHash), 0, ACCOUNT_TAG);
}

/** The node id of one slot. */
export function slotLeaf({ key, value }: SlotLeaf): NodeId {
  hashPairs(key, oneHash);
  onePair.fill(0, 32);
  copyBytes(oneHash, 0, onePair, 0, 32);
  copyBytes(value, 0, onePair, 64 - value.length, value.length);
  return idOf(hashPairs(onePair, oneHash), 0, SLOT_TAG);
}

/** Node ids of accounts, in the order given. */
export function accountLeaves(accounts: readonly AccountLeaf[]): NodeId[] {
  if (accounts.length === 1) return [accountLeaf(accounts[0] as AccountLeaf)];
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
  if (slots.length === 1) return [slotLeaf(slots[0] as SlotLeaf)];
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
  for (let at = 0; at < hashes.length; at += ID_BYTES) ids.push(idOf(hashes, at, tag));
  return ids;
}

/** A copy: a view of the batch would keep all of it alive for as long as one leaf lives. */
function idOf(hashes: Uint8Array, at: number, tag: number): NodeId {
  const id = hashes.slice(at, at + ID_BYTES);
  setTag(id, tag);
  return id;
}
