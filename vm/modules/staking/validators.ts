/** What other modules ask about validators and stake. Calls may be in any account. */
import type { Address } from "../../state/account.ts";
import { STAKING_ADDRESS } from "../addresses.ts";
import type { ModuleCall } from "../module-call.ts";
import { rewardsDue, selfStake, sharesAt, sharesIn } from "./delegations.ts";
import { worth } from "./shares.ts";
import { readUnbondings, unbondingWorth } from "./unbonding.ts";
import { bondedAt, fundAt, fundOf, isRegistered, standingOf } from "./validator-record.ts";

/** `exited`: its operator has less at stake than a validator must have. */
export type ValidatorStatus = "none" | "candidate" | "jailed" | "tombstoned" | "exited";

export function validatorStatus(call: ModuleCall, operator: Address): ValidatorStatus {
  const own = call.in(STAKING_ADDRESS);
  if (!isRegistered(own, operator)) return "none";
  const { isJailed, isTombstoned } = standingOf(own, operator);
  if (isTombstoned > 0n) return "tombstoned";
  if (isJailed > 0n) return "jailed";
  return selfStake(own, operator) >= call.parameters.staking.minSelfStake ? "candidate" : "exited";
}

/** What the operator itself could lose with its validator: bonded, or on its way out. */
export function ownAtStake(call: ModuleCall, operator: Address): bigint {
  const own = call.in(STAKING_ADDRESS);
  const leaving = readUnbondings(own, operator, operator).map((entry) => unbondingWorth(own, operator, entry));
  return leaving.reduce((sum, amount) => sum + amount, selfStake(own, operator));
}

/** Whether the account has anything with that validator: shares, rewards that it did not claim, stake on its way out. */
export function hasPosition(call: ModuleCall, operator: Address, delegator: Address): boolean {
  const own = call.in(STAKING_ADDRESS);
  return (
    sharesIn(own, operator, delegator) > 0n ||
    rewardsDue(own, operator, delegator) > 0n ||
    readUnbondings(own, operator, delegator).length > 0
  );
}

/** What is bonded to the validator, in wei. */
export function stakeOf(call: ModuleCall, operator: Address): bigint {
  return fundOf(call.in(STAKING_ADDRESS), operator).tokens;
}

/** All that was bonded, to whomever, when the epoch began. */
export function totalStakeAt(call: ModuleCall, epoch: bigint): bigint {
  return bondedAt(call.in(STAKING_ADDRESS), epoch);
}

export function validatorStakeAt(call: ModuleCall, epoch: bigint, operator: Address): bigint {
  return fundAt(call.in(STAKING_ADDRESS), epoch, operator).tokens;
}

/** Rounded down, so that the delegations of a validator never add up to more than its stake. */
export function delegationAt(call: ModuleCall, epoch: bigint, operator: Address, delegator: Address): bigint {
  const own = call.in(STAKING_ADDRESS);
  return worth(fundAt(own, epoch, operator), sharesAt(own, epoch, operator, delegator));
}
