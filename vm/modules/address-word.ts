/** Addresses as the words that slots hold and calls carry. */
import { bigintToBytes, bytesToHex } from "../../base/bytes.ts";
import type { Address } from "../state/account.ts";

const ADDRESS_BYTES = 20;

export function addressToWord(address: Address): bigint {
  return BigInt(address);
}

export function wordToAddress(word: bigint): Address {
  const bytes = bigintToBytes(word);
  const padded = new Uint8Array(ADDRESS_BYTES);
  padded.set(bytes, ADDRESS_BYTES - bytes.length);
  return bytesToHex(padded);
}
