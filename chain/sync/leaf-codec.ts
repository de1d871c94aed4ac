/**
 * Leaves of the state as bytes, in the order of their keys:
 *
 *   kind 1 | key | length 1 | value
 *
 *   kind 0   an account: key of 32 bytes; value as in the store (chain/store/account-record.ts)
 *   kind 1   a slot of the account that the leaf before belongs to: the slot's 32 bytes of the key
 *   kind 2   a slot of another account: key of 64 bytes. Values of slots are big-endian, shortest form
 *
 * So a list of leaves has one encoding, of 47 bytes for a plain account and about 40 for a slot.
 */
import { equalBytes } from "../../base/bytes.ts";
import { ACCOUNT_KEY_BYTES, SLOT_KEY_BYTES } from "../../vm/tree/keys.ts";
import { copyBytes } from "../../vm/tree/node-id.ts";
import type { TreeKey } from "../../vm/tree/types.ts";
import { invalid } from "./errors.ts";

export interface LeafRecord {
  readonly key: TreeKey;
  readonly value: Uint8Array;
}

/** The longest leaf: an account with the largest numbers and code takes 108, a slot 98. */
export const MAX_LEAF_BYTES = 128;

const MAX_VALUE_BYTES = 74;

export class LeafWriter {
  readonly #limit: number;
  #bytes: Uint8Array;
  #length = 0;
  #last: TreeKey | undefined;

  constructor(limit: number) {
    this.#limit = limit;
    this.#bytes = new Uint8Array(limit);
  }

  /** False, and nothing is added, when it does not fit. */
  add({ key, value }: LeafRecord): boolean {
    const isSlot = key.length === SLOT_KEY_BYTES;
    const isShared = isSlot && this.#last !== undefined && isSameAccount(this.#last, key);
    const keyAt = isShared ? ACCOUNT_KEY_BYTES : 0;
    const keyLength = key.length - keyAt;
    if (this.#length + 2 + keyLength + value.length > this.#limit) return false;
    const bytes = this.#bytes;
    let at = this.#length;
    bytes[at++] = isSlot ? (isShared ? 1 : 2) : 0;
    copyBytes(key, keyAt, bytes, at, keyLength);
    at += keyLength;
    bytes[at++] = value.length;
    copyBytes(value, 0, bytes, at, value.length);
    this.#length = at + value.length;
    this.#last = key;
    return true;
  }

  /** The key of the last leaf. */
  get last(): TreeKey | undefined {
    return this.#last;
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }
}

function isSameAccount(a: TreeKey, b: TreeKey): boolean {
  for (let i = 0; i < ACCOUNT_KEY_BYTES; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Throws SYNC_INVALID. Keys of accounts and values are views into `bytes`. */
export function decodeLeaves(bytes: Uint8Array): LeafRecord[] {
  const leaves: LeafRecord[] = [];
  let account: Uint8Array | undefined;
  for (let at = 0; at < bytes.length; ) {
    const kind = bytes[at++] as number;
    const keyLength = kind === 2 ? SLOT_KEY_BYTES : ACCOUNT_KEY_BYTES;
    if (kind > 2 || (kind === 1 && account === undefined)) throw invalid("a chunk has a leaf of no kind", { at });
    if (at + keyLength >= bytes.length) throw invalid("a chunk ends in the middle of a leaf", { at });
    const written = bytes.subarray(at, at + keyLength);
    at += keyLength;
    const length = bytes[at++] as number;
    if (length > MAX_VALUE_BYTES || at + length > bytes.length) throw invalid("a chunk has a bad length", { at });
    const value = bytes.subarray(at, at + length);
    at += length;
    const key = kind === 1 ? joined(account as Uint8Array, written) : written;
    const own = key.subarray(0, ACCOUNT_KEY_BYTES);
    if (kind === 2 && account !== undefined && equalBytes(account, own)) {
      throw invalid("a chunk repeats the account of a slot", { at });
    }
    account = own;
    leaves.push({ key, value });
  }
  return leaves;
}

function joined(account: Uint8Array, slot: Uint8Array): TreeKey {
  const key = new Uint8Array(SLOT_KEY_BYTES);
  copyBytes(account, 0, key, 0, ACCOUNT_KEY_BYTES);
  copyBytes(slot, 0, key, ACCOUNT_KEY_BYTES, ACCOUNT_KEY_BYTES);
  return key;
}
