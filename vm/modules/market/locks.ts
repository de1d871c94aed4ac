/**
 * Trust locks behind promises of the market: a client's for its job, a device's for its membership, a bidder's for its bid.
 * What the lock lacks comes out of the value sent. A commitment outlives every job, so that its owner cannot reclaim it
 * while the job runs; the market always gives back what is left.
 */
import { bytes32, bytesToHex, concatBytes, type Hex, utf8 } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { WHOLE } from "../../../genesis/economy.ts";
import { marketAbi } from "../../interfaces/abi/market.ts";
import { trustLockAbi } from "../../interfaces/abi/trust-lock.ts";
import type { Address } from "../../state/account.ts";
import { MARKET_ADDRESS, TREASURY_ADDRESS, TRUST_LOCK_ADDRESS } from "../addresses.ts";
import { protocolTime } from "../clock/clock.ts";
import { depositFunds } from "../held-funds.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import {
  allocateTrust,
  BURNED,
  breachTrust,
  type CommitmentKey,
  commitmentLeft,
  releaseTrust,
} from "../trust-lock/commitments.ts";
import { MAX_COMMITMENT_SECONDS } from "../trust-lock/limits.ts";
import { trustAccount } from "../trust-lock/trust-lock.ts";

function nameOf(role: string, ...numbers: readonly bigint[]): Hex {
  return bytesToHex(keccak256(concatBytes(utf8(role), ...numbers.map(bytes32))));
}

export function clientKey(client: Address, job: bigint): CommitmentKey {
  return { owner: client, controller: MARKET_ADDRESS, commitment: nameOf("client", job) };
}

export function memberKey(provider: Address, member: bigint): CommitmentKey {
  return { owner: provider, controller: MARKET_ADDRESS, commitment: nameOf("member", member) };
}

export function bidKey(bidder: Address, job: bigint, attempt: bigint): CommitmentKey {
  return { owner: bidder, controller: MARKET_ADDRESS, commitment: nameOf("bid", job, attempt) };
}

/** A part of an amount, at least a wei: nobody promises for nothing. */
export function lockPart(amount: bigint, share: bigint): bigint {
  const part = (amount * share) / WHOLE;
  return part > 0n ? part : 1n;
}

/**
 * Sets `amount` of the caller's lock aside, and says how much of `available` it took for that. Reverts with NotEnoughSent
 * when both together are too little.
 */
export function setAside(call: ModuleCall, key: CommitmentKey, amount: bigint, available: bigint): bigint {
  const { owner } = key;
  const { free, allocated, unlocking } = trustAccount(call, owner);
  const missing = amount > free ? amount - free : 0n;
  if (missing > available) {
    const { value } = call.message;
    throw revertWith(marketAbi, "NotEnoughSent", [value, value - available + missing]);
  }
  if (missing > 0n) {
    const lock = call.in(TRUST_LOCK_ADDRESS);
    call.pay(TRUST_LOCK_ADDRESS, missing);
    depositFunds(lock, owner, missing);
    lock.emit(trustLockAbi, "Locked", { owner, amount: missing, total: free + allocated + unlocking + missing });
  }
  allocateTrust(call, key, amount, protocolTime(call) + MAX_COMMITMENT_SECONDS);
  return missing;
}

export function releaseLock(call: ModuleCall, key: CommitmentKey): void {
  const left = commitmentLeft(call, key);
  if (left > 0n) releaseTrust(call, key, left);
}

/** Who has a part in a penalty besides the treasury. */
export interface Beneficiaries {
  /** Whom it harmed. */
  readonly victim?: Address | undefined;
  /** Who proved it. */
  readonly catcher?: Address | undefined;
}

export interface PenaltyParts {
  readonly toVictim: bigint;
  readonly toCatcher: bigint;
  readonly toTreasury: bigint;
  readonly burned: bigint;
}

/** How a penalty is shared out, to the wei: what is rounded, and the part of whom there is not, is burned. */
export function shareOut(call: ModuleCall, amount: bigint, { victim, catcher }: Beneficiaries): PenaltyParts {
  const { victimShare, catcherShare, treasuryShare } = call.parameters.market;
  const toVictim = victim === undefined ? 0n : (amount * victimShare) / WHOLE;
  const toCatcher = catcher === undefined ? 0n : (amount * catcherShare) / WHOLE;
  const toTreasury = (amount * treasuryShare) / WHOLE;
  return { toVictim, toCatcher, toTreasury, burned: amount - toVictim - toCatcher - toTreasury };
}

/** Takes up to `amount` of what is left. Says how much it was, and who got what of it. */
export function breachLock(
  call: ModuleCall,
  key: CommitmentKey,
  amount: bigint,
  reason: number,
  to: Beneficiaries,
): PenaltyParts & { readonly taken: bigint } {
  const left = commitmentLeft(call, key);
  const taken = amount < left ? amount : left;
  const parts = shareOut(call, taken, to);
  if (taken > 0n) {
    breachTrust(call, key, reason, [
      { to: to.victim ?? BURNED, amount: parts.toVictim },
      { to: to.catcher ?? BURNED, amount: parts.toCatcher },
      { to: TREASURY_ADDRESS, amount: parts.toTreasury },
      { to: BURNED, amount: parts.burned },
    ]);
  }
  return { taken, ...parts };
}
