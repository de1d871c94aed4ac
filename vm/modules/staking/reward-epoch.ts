/**
 * What an epoch earns. Nothing is minted per block: when the epoch ends, the emission of its counted blocks is shared
 * out by weight and participation. What an absent validator would have got is never minted. docs/spec/rewards.md
 */
import { WHOLE } from "../../../genesis/economy.ts";
import { stakingAbi } from "../../interfaces/abi/staking.ts";
import { currentEpoch } from "../clock/clock.ts";
import type { ModuleCall } from "../module-call.ts";
import { mintEmission, type TokenParameters } from "../token/token.ts";
import { type ActiveValidator, activeSet, activeTotalWeight, activeWeight } from "./active-set.ts";
import { addRewards } from "./delegations.ts";
import { epochTally, proposerCredit, signedBlocks } from "./participation.ts";
import { addToField, addToTotal, standingOf, termsOf } from "./validator-record.ts";

export function rewardEpoch(call: ModuleCall, token: TokenParameters): void {
  const { counted, emission } = epochTally(call);
  const totalWeight = activeTotalWeight(call);
  if (counted === 0n || totalWeight === 0n) return;
  const { finaliserShare, proposerShare } = call.parameters.staking;
  const finalisers = (emission * finaliserShare) / WHOLE;
  const proposers = (finalisers * proposerShare) / WHOLE;
  const voters = finalisers - proposers;
  let minted = 0n;
  for (const [index, validator] of activeSet(call).entries()) {
    if (standingOf(call, validator.operator).isTombstoned > 0n) continue;
    const voting = voters * activeWeight(call, index) * signedBlocks(call, index);
    const proposing = proposers * proposerCredit(call, index);
    const reward = (voting + proposing) / (totalWeight * counted);
    if (reward > 0n) giveReward(call, validator, reward);
    minted += reward;
  }
  mintEmission(call, token, minted);
  addToTotal(call, "rewards", minted);
  call.emit(stakingAbi, "EpochRewarded", {
    epoch: currentEpoch(call),
    countedBlocks: counted,
    emission: finalisers,
    minted,
  });
}

function giveReward(call: ModuleCall, { operator }: ActiveValidator, reward: bigint): void {
  const commission = (reward * termsOf(call, operator).commission) / WHOLE;
  addToField(call, "commission", commission, operator);
  addRewards(call, operator, reward - commission);
  call.emit(stakingAbi, "Rewarded", { operator, epoch: currentEpoch(call), commission, rest: reward - commission });
}
