/** ICAP: an address written as an international bank account number (ISO 13616), direct form. */
import { bytesToBigint } from "../../../base/bytes.ts";

const COUNTRY = "XE";

export function icapOf(address: Uint8Array): string {
  const account = bytesToBigint(address).toString(36).toUpperCase().padStart(30, "0");
  // The check digits make the whole, with letters as numbers from 10, leave 1 when divided by 97 (ISO 7064).
  const digits = [...`${account}${COUNTRY}00`].map((character) => Number.parseInt(character, 36)).join("");
  const check = 98n - (BigInt(digits) % 97n);
  return COUNTRY + check.toString().padStart(2, "0") + account;
}
