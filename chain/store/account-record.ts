/**
 * An account as bytes, for the disk:
 *
 *   nonce length 1 | nonce | balance length 1 | balance | code hash 32, unless there is no code
 *
 * Integers are big-endian in their shortest form, so an account has one encoding.
 */
import { bigintToBytes, bytesToBigint, bytesToHex, hexToBytes } from "../../base/bytes.ts";
import { type Account, EMPTY_CODE_HASH } from "../../vm/state/account.ts";
import { damaged } from "./errors.ts";

const HASH_BYTES = 32;

export function encodeAccount(account: Account): Uint8Array {
  const nonce = bigintToBytes(account.nonce);
  const balance = bigintToBytes(account.balance);
  const hasCode = account.codeHash !== EMPTY_CODE_HASH;
  const bytes = new Uint8Array(2 + nonce.length + balance.length + (hasCode ? HASH_BYTES : 0));
  bytes[0] = nonce.length;
  bytes.set(nonce, 1);
  const balanceAt = 1 + nonce.length;
  bytes[balanceAt] = balance.length;
  bytes.set(balance, balanceAt + 1);
  if (hasCode) bytes.set(hexToBytes(account.codeHash), balanceAt + 1 + balance.length);
  return bytes;
}

/** The parts of an account's record, as views into it. */
export interface AccountFields {
  readonly nonce: Uint8Array;
  readonly balance: Uint8Array;
  /** `undefined` when there is no code. */
  readonly codeHash: Uint8Array | undefined;
}

/** `undefined` for most of what `encodeAccount` does not write: the hash of no code is let through. */
export function accountFields(bytes: Uint8Array): AccountFields | undefined {
  const nonceEnd = 1 + (bytes[0] ?? 0);
  const balanceEnd = nonceEnd + 1 + (bytes[nonceEnd] ?? 0);
  const rest = bytes.length - balanceEnd;
  const isLong = nonceEnd > 1 + 8 || balanceEnd - nonceEnd > 1 + 32;
  if (
    isLong ||
    (rest !== 0 && rest !== HASH_BYTES) ||
    (bytes[1] === 0 && nonceEnd > 1) ||
    (bytes[nonceEnd + 1] === 0 && balanceEnd > nonceEnd + 1)
  ) {
    return undefined;
  }
  return {
    nonce: bytes.subarray(1, nonceEnd),
    balance: bytes.subarray(nonceEnd + 1, balanceEnd),
    codeHash: rest === 0 ? undefined : bytes.subarray(balanceEnd),
  };
}

/** Throws STORE_DAMAGED for everything that `encodeAccount` does not write. */
export function decodeAccount(bytes: Uint8Array): Account {
  const fields = accountFields(bytes);
  if (fields === undefined) throw damaged("an account record is malformed");
  const { nonce, balance, codeHash } = fields;
  return {
    nonce: bytesToBigint(nonce),
    balance: bytesToBigint(balance),
    codeHash: codeHash === undefined ? EMPTY_CODE_HASH : bytesToHex(codeHash),
  };
}
