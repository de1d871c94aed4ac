/**
 * Who is said to have sent a transaction: the first eight bytes of the address. A claim is never believed.
 * It says which key to try first: seeing that a known key made a signature takes a fraction of recovering the key.
 */
import type { Address } from "../../vm/state/account.ts";

export type SenderClaim = bigint;

export const NO_CLAIM: SenderClaim = 0n;

export const CLAIM_BYTES = 8;

/** As nodes hand transactions on. */
export interface ClaimedTransaction {
  readonly raw: Uint8Array;
  readonly claim?: SenderClaim;
}

export function claimOf(sender: Address): SenderClaim {
  return BigInt(sender.slice(0, 2 + 2 * CLAIM_BYTES));
}

/** The same of an address as bytes. */
export function claimOfBytes(sender: Uint8Array): SenderClaim {
  return new DataView(sender.buffer, sender.byteOffset, CLAIM_BYTES).getBigUint64(0);
}
