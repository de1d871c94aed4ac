/** Penalties. Whether somebody deserves one is the slashing module's business, which calls these. */
import { assert } from "../../../base/errors.ts";
import { WHOLE } from "../../../genesis/economy.ts";
import { stakingAbi } from "../../interfaces/abi/staking.ts";
import type { Address } from "../../state/account.ts";
import { STAKING_ADDRESS } from "../addresses.ts";
import { protocolTime } from "../clock/clock.ts";
import type { ModuleCall } from "../module-call.ts";
import { refreshCandidate } from "./delegations.ts";
import { ceilDiv } from "./shares.ts";
import { slashPools } from "./unbonding.ts";
import { changeFund, fundOf, isRegistered, standingOf, writeStanding } from "./validator-record.ts";

/**
 * Takes `share` millionths of what is bonded to the validator, by the price of its shares, and, if asked, of what began
 * to unbond in the era of `since` or later; stake that was redelegated since then follows when it is settled. What was
 * taken, in wei, stays in the staking account for distributeSlash.
 */
export function slashValidator(
  call: ModuleCall,
  operator: Address,
  share: bigint,
  since: bigint,
  includeUnbonding: boolean,
): bigint {
  const own = call.in(STAKING_ADDRESS);
  assert(share >= 0n && share <= WHOLE, "a slash takes a part");
  assert(isRegistered(own, operator), "only validators are slashed");
  const bonded = ceilDiv(fundOf(own, operator).tokens * share, WHOLE);
  changeFund(own, operator, -bonded, 0n);
  const unbonding = includeUnbonding ? slashPools(own, operator, share, since) : 0n;
  if (includeUnbonding) recordSlash(own, operator, share, since);
  own.emit(stakingAbi, "Slashed", { operator, share, bonded, unbonding });
  return bonded + unbonding;
}

/** For stake that has left to another validator; the first one counts, as a validator is found out only once. */
function recordSlash(call: ModuleCall, operator: Address, slashShare: bigint, offenceAt: bigint): void {
  const standing = standingOf(call, operator);
  if (standing.slashedAt > 0n) return;
  writeStanding(call, operator, { ...standing, slashShare, offenceAt, slashedAt: protocolTime(call) });
}

/** Not chosen any more until `unjail`, which is possible from `until` on. */
export function jail(call: ModuleCall, operator: Address, until: bigint): void {
  const own = call.in(STAKING_ADDRESS);
  const standing = standingOf(own, operator);
  if (standing.isTombstoned > 0n) return;
  const jailedUntil = until > standing.jailedUntil ? until : standing.jailedUntil;
  writeStanding(own, operator, { ...standing, isJailed: 1n, jailedUntil });
  refreshCandidate(own, operator);
  own.emit(stakingAbi, "Jailed", { operator, until: jailedUntil });
}

/** Never chosen again, and earns nothing in the epoch that runs. */
export function tombstone(call: ModuleCall, operator: Address): void {
  const own = call.in(STAKING_ADDRESS);
  const standing = standingOf(own, operator);
  if (standing.isTombstoned > 0n) return;
  writeStanding(own, operator, { ...standing, isTombstoned: 1n });
  refreshCandidate(own, operator);
  own.emit(stakingAbi, "TombstonedForever", { operator });
}
