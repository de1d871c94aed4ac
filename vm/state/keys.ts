/** Keys of the state by the names that the rest of the code uses: hex addresses and slots. */
import { type Hex, hexToBytes } from "../../base/bytes.ts";
import { accountKey, slotKey } from "../tree/keys.ts";
import type { TreeKey } from "../tree/types.ts";
import type { Address } from "./account.ts";

/** Hashing costs more than a look-up, and the same few accounts are asked for again and again. */
const MAX_CACHED_KEYS = 100_000;
const cachedKeys = new Map<Address, TreeKey>();

export function keyOfAccount(address: Address): TreeKey {
  const cached = cachedKeys.get(address);
  if (cached !== undefined) return cached;
  const key = accountKey(hexToBytes(address));
  if (cachedKeys.size >= MAX_CACHED_KEYS) cachedKeys.clear();
  cachedKeys.set(address, key);
  return key;
}

export function keyOfSlot(address: Address, slot: Hex): TreeKey {
  return slotKey(keyOfAccount(address), hexToBytes(slot));
}
