/**
 * Where the native modules live. The prefix spells "oGPUModule": ten bytes that no precompile, test suite or
 * key will ever hit. Numbers are never reused.
 */
import { MODULE_ADDRESS_PREFIX } from "../../genesis/reserved-addresses.ts";
import type { Address } from "../state/account.ts";

function moduleAddress(number: number): Address {
  return `${MODULE_ADDRESS_PREFIX}${number.toString(16).padStart(20, "0")}` as Address;
}

export const TOKEN_ADDRESS: Address = moduleAddress(1);

/** Fast test on the path of every message: no module lives outside the prefix. */
export function hasModulePrefix(address: Uint8Array): boolean {
  return address[0] === 0x6f && address[1] === 0x47 && address[2] === 0x50 && address[3] === 0x55;
}
