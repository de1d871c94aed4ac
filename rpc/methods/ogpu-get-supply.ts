import { governanceAbi } from "../../vm/interfaces/abi/governance.ts";
import { providersAbi } from "../../vm/interfaces/abi/providers.ts";
import { stakingAbi } from "../../vm/interfaces/abi/staking.ts";
import { treasuryAbi } from "../../vm/interfaces/abi/treasury.ts";
import { trustLockAbi } from "../../vm/interfaces/abi/trust-lock.ts";
import { verifiersAbi } from "../../vm/interfaces/abi/verifiers.ts";
import {
  GOVERNANCE_ADDRESS,
  PROVIDERS_ADDRESS,
  STAKING_ADDRESS,
  TREASURY_ADDRESS,
  TRUST_LOCK_ADDRESS,
  VERIFIERS_ADDRESS,
} from "../../vm/modules/addresses.ts";
import { readSupply } from "../../vm/modules/token/token.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { ModuleViews } from "../modules/module-views.ts";
import { optional } from "../parameters.ts";
import { objectOf, QUANTITY } from "../schema.ts";
import { stateOf } from "../state-of.ts";

/** What modules hold for others. */
function lockedIn(views: ModuleViews): object {
  const [bonded, unbonding, rewards] = views.read(STAKING_ADDRESS, stakingAbi, "totals", []);
  return {
    staked: quantityText(bonded),
    unbonding: quantityText(unbonding),
    rewards: quantityText(rewards),
    trust: quantityText(views.read(TRUST_LOCK_ADDRESS, trustLockAbi, "totalLocked", [])),
    collateral: quantityText(views.read(PROVIDERS_ADDRESS, providersAbi, "totalCollateral", [])),
    verifiers: quantityText(views.read(VERIFIERS_ADDRESS, verifiersAbi, "totalStake", [])),
    deposits: quantityText(views.read(GOVERNANCE_ADDRESS, governanceAbi, "depositsHeld", [])),
    treasury: quantityText(views.read(TREASURY_ADDRESS, treasuryAbi, "balance", [])),
  };
}

export const ogpuGetSupply: RpcMethod = defineMethod({
  name: "ogpu_getSupply",
  summary:
    "How much oGPU there is at a block, was minted and was burned, how much of it is locked where, and how much there can ever be.",
  result: objectOf({
    total: QUANTITY,
    genesis: QUANTITY,
    minted: QUANTITY,
    burned: QUANTITY,
    cap: QUANTITY,
    locked: objectOf({
      staked: QUANTITY,
      unbonding: QUANTITY,
      rewards: QUANTITY,
      trust: QUANTITY,
      collateral: QUANTITY,
      verifiers: QUANTITY,
      deposits: QUANTITY,
      treasury: QUANTITY,
    }),
  }),
  parameters: [optional(blockReference, LATEST)],
  run: ({ chain }, block) => {
    const { genesis, minted, burned } = readSupply(stateOf(chain, block));
    return {
      total: quantityText(genesis + minted - burned),
      genesis: quantityText(genesis),
      minted: quantityText(minted),
      burned: quantityText(burned),
      cap: quantityText(chain.spec.modules.token.cap),
      locked: lockedIn(new ModuleViews(chain, block)),
    };
  },
});
