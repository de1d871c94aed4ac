/** Addresses that belong to the protocol: no allocation, and no key, can be there. */
import type { Hex } from "../base/bytes.ts";

/** Native modules live under this prefix, which spells "oGPUModule". */
export const MODULE_ADDRESS_PREFIX = "0x6f4750554d6f64756c65";

/** Ethereum numbers its precompiles upwards from 1; the newest so far is 0x100. */
const LAST_PRECOMPILE = 0xffffn;

export function isReservedAddress(address: Hex): boolean {
  return address.startsWith(MODULE_ADDRESS_PREFIX) || BigInt(address) <= LAST_PRECOMPILE;
}
