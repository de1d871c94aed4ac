/**
 * Where the native modules live. The prefix spells "oGPUModule": ten bytes that no precompile, test suite or
 * key will ever hit. Numbers are never reused.
 */
import { MODULE_ADDRESS_PREFIX } from "../../genesis/reserved-addresses.ts";
import type { Address } from "../state/account.ts";

export function moduleAddress(number: number): Address {
  return `${MODULE_ADDRESS_PREFIX}${number.toString(16).padStart(20, "0")}` as Address;
}

export function isModuleAddress(address: Address): boolean {
  return address.startsWith(MODULE_ADDRESS_PREFIX);
}

export const TOKEN_ADDRESS: Address = moduleAddress(1);
export const CLOCK_ADDRESS: Address = moduleAddress(2);
export const STAKING_ADDRESS: Address = moduleAddress(3);
export const SLASHING_ADDRESS: Address = moduleAddress(4);
export const TRUST_LOCK_ADDRESS: Address = moduleAddress(5);
export const PROVIDERS_ADDRESS: Address = moduleAddress(6);
export const VERIFIERS_ADDRESS: Address = moduleAddress(7);
export const GOVERNANCE_ADDRESS: Address = moduleAddress(8);
export const TREASURY_ADDRESS: Address = moduleAddress(9);
export const PROGRAMS_ADDRESS: Address = moduleAddress(10);
export const PRICING_ADDRESS: Address = moduleAddress(11);
export const VERIFICATION_ADDRESS: Address = moduleAddress(12);
export const MARKET_ADDRESS: Address = moduleAddress(13);
export const AGENDA_ADDRESS: Address = moduleAddress(14);
