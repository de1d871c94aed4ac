/** EIP-7702: an account whose code names another account runs that account's code. */
import { bytesToHex } from "../../../base/bytes.ts";
import type { Address } from "../../state/account.ts";

const DESIGNATOR_BYTES = 23;

/** The account that `code` delegates to. */
export function delegateOf(code: Uint8Array): Address | undefined {
  if (code.length !== DESIGNATOR_BYTES || code[0] !== 0xef || code[1] !== 0x01 || code[2] !== 0x00) return undefined;
  return bytesToHex(code.subarray(3));
}
