/** Accounts, and the names of the things that live in the state. */
import type { Hex } from "../../base/bytes.ts";

/** Twenty bytes as lower-case hex with `0x`: the key of an account everywhere above the store. */
export type Address = Hex;

/** keccak-256 of no code. */
export const EMPTY_CODE_HASH: Hex = "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470";

/** Immutable: a change makes a new one. */
export interface Account {
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly codeHash: Hex;
}

export const EMPTY_ACCOUNT: Account = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH };

/** Empty in the sense of EIP-161: such an account does not exist in the state. */
export function isEmptyAccount(account: Account): boolean {
  return account.nonce === 0n && account.balance === 0n && account.codeHash === EMPTY_CODE_HASH;
}
