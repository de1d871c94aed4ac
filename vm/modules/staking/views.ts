/** What anybody can ask the module, in the shapes of its interface. */
import type { ContractFunctionReturnType } from "viem";
import type { stakingAbi } from "../../interfaces/abi/staking.ts";
import type { Address } from "../../state/account.ts";
import { wordToAddress } from "../address-word.ts";
import { currentEpoch } from "../clock/clock.ts";
import type { ModuleCall } from "../module-call.ts";
import { readBytes } from "../storage.ts";
import { activeAt, activeWeight } from "./active-set.ts";
import { rewardsDue, selfStake, sharesIn } from "./delegations.ts";
import { keyInEpoch, pendingKey } from "./keys.ts";
import { liableShares, readLiabilities } from "./liabilities.ts";
import { MAX_PAGE } from "./limits.ts";
import { METADATA_SPACE, payoutOf } from "./operate.ts";
import { signedBlocks } from "./participation.ts";
import { worth } from "./shares.ts";
import { readUnbondings, unbondingWorth } from "./unbonding.ts";
import { field, fundOf, registered, standingOf, termsOf } from "./validator-record.ts";
import { validatorStatus } from "./validators.ts";

type Returned<Name extends "validator" | "delegation" | "unbondings" | "liabilities" | "activeAt"> =
  ContractFunctionReturnType<typeof stakingAbi, "view", Name>;

const NOBODY: Address = "0x0000000000000000000000000000000000000000";
const text = new TextDecoder();

export function viewValidator(call: ModuleCall, operator: Address): Returned<"validator"> {
  const terms = termsOf(call, operator);
  const standing = standingOf(call, operator);
  const fund = fundOf(call, operator);
  const isRegistered = terms.isRegistered > 0n;
  return {
    isRegistered,
    isCandidate: validatorStatus(call, operator) === "candidate",
    isTombstoned: standing.isTombstoned > 0n,
    publicKey: isRegistered ? keyInEpoch(call, operator, currentEpoch(call)) : "0x",
    nextPublicKey: pendingKey(call, operator) ?? "0x",
    payout: payoutOf(call, operator),
    stake: fund.tokens,
    shares: fund.shares,
    selfStake: selfStake(call, operator),
    commission: terms.commission,
    maxCommission: terms.maxCommission,
    maxCommissionChange: terms.maxCommissionChange,
    commissionChangedAt: terms.commissionChangedAt,
    commissionDue: field(call, "commission", operator),
    rewardsHeld: field(call, "rewards", operator),
    jailedUntil: standing.isJailed > 0n ? standing.jailedUntil : 0n,
    metadata: text.decode(readBytes(call, METADATA_SPACE, operator)),
  };
}

export function viewValidators(call: ModuleCall, start: bigint, limit: bigint): Address[] {
  const count = BigInt(registered.length(call));
  const most = limit < BigInt(MAX_PAGE) ? limit : BigInt(MAX_PAGE);
  const end = start + most < count ? start + most : count;
  const operators: Address[] = [];
  for (let index = start; index < end; index++) operators.push(wordToAddress(registered.at(call, Number(index))));
  return operators;
}

/** Nobody, at a position that the set does not have. */
export function viewActive(call: ModuleCall, index: bigint): Returned<"activeAt"> {
  const position = index < BigInt(Number.MAX_SAFE_INTEGER) ? Number(index) : Number.MAX_SAFE_INTEGER;
  const validator = activeAt(call, position);
  if (validator === undefined) return [NOBODY, "0x", 0n, 0n, 0n];
  const { operator, publicKey, stake } = validator;
  return [operator, publicKey, stake, activeWeight(call, position), signedBlocks(call, position)];
}

export function viewDelegation(call: ModuleCall, delegator: Address, operator: Address): Returned<"delegation"> {
  const shares = sharesIn(call, operator, delegator);
  return {
    shares,
    amount: worth(fundOf(call, operator), shares),
    rewards: rewardsDue(call, operator, delegator),
    liableShares: liableShares(readLiabilities(call, operator, delegator)),
  };
}

export function viewUnbondings(call: ModuleCall, delegator: Address, operator: Address): Returned<"unbondings"> {
  return readUnbondings(call, operator, delegator).map((entry) => ({
    amount: unbondingWorth(call, operator, entry),
    dueAt: entry.dueAt,
    liableFor: entry.origin?.source ?? NOBODY,
    since: entry.origin?.since ?? 0n,
  }));
}

export function viewLiabilities(call: ModuleCall, delegator: Address, operator: Address): Returned<"liabilities"> {
  return readLiabilities(call, operator, delegator);
}
