/** Who finalises the next epoch: of all candidates those with the most stake, of equals those with the lower address. */

import { stakingAbi } from "../../interfaces/abi/staking.ts";
import { wordToAddress } from "../address-word.ts";
import { currentEpoch } from "../clock/clock.ts";
import type { ModuleCall } from "../module-call.ts";
import { type ActiveValidator, activeSet, writeActiveSet } from "./active-set.ts";
import { candidates, sharesIn } from "./delegations.ts";
import { keyInEpoch } from "./keys.ts";
import { worth } from "./shares.ts";
import { fundOf } from "./validator-record.ts";

/** Without a single candidate the old set goes on: the chain must not stop. Their new keys count all the same. */
export function chooseActiveSet(call: ModuleCall, capDivisor: number): void {
  const epoch = currentEpoch(call) + 1n;
  const found = eligible(call, epoch);
  const sorted = found.sort((a, b) => (a.stake !== b.stake ? (a.stake < b.stake ? 1 : -1) : byAddress(a, b)));
  const chosen = sorted.slice(0, Number(call.parameters.staking.maxValidators));
  const next =
    chosen.length > 0
      ? chosen
      : activeSet(call).map((validator) => ({
          ...validator,
          publicKey: keyInEpoch(call, validator.operator, epoch),
        }));
  writeActiveSet(call, next, capDivisor);
  const stake = next.reduce((sum, validator) => sum + validator.stake, 0n);
  call.emit(stakingAbi, "ActiveSetChosen", { epoch, count: BigInt(next.length), stake });
}

function byAddress(a: ActiveValidator, b: ActiveValidator): number {
  return a.operator < b.operator ? -1 : 1;
}

function eligible(call: ModuleCall, epoch: bigint): ActiveValidator[] {
  const { minSelfStake } = call.parameters.staking;
  const found: ActiveValidator[] = [];
  const count = candidates.length(call);
  for (let index = 0; index < count; index++) {
    const operator = wordToAddress(candidates.at(call, index));
    const fund = fundOf(call, operator);
    if (worth(fund, sharesIn(call, operator, operator)) < minSelfStake) continue;
    found.push({ operator, publicKey: keyInEpoch(call, operator, epoch), stake: fund.tokens });
  }
  return found;
}
