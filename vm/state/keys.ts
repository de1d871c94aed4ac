/** Keys of the state: where an account and a slot stand in the tree and on disk. */
import { concatBytes, type Hex, hexToBytes } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import type { TreeKey } from "../tree/types.ts";
import type { Address } from "./account.ts";

/** Hashing costs more than a look-up, and the same few accounts are asked for again and again. */
const MAX_CACHED_KEYS = 100_000;
const accountKeys = new Map<Address, TreeKey>();

/** keccak-256 of the address: 32 bytes. */
export function accountKey(address: Address): TreeKey {
  const cached = accountKeys.get(address);
  if (cached !== undefined) return cached;
  const key = keccak256(hexToBytes(address));
  if (accountKeys.size >= MAX_CACHED_KEYS) accountKeys.clear();
  accountKeys.set(address, key);
  return key;
}

/** The account's key, then keccak-256 of the slot: 64 bytes. */
export function slotKey(address: Address, slot: Hex): TreeKey {
  return concatBytes(accountKey(address), keccak256(hexToBytes(slot)));
}
