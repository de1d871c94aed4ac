import { stakingAbi } from "../../vm/interfaces/abi/staking.ts";
import { STAKING_ADDRESS } from "../../vm/modules/addresses.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { positionsOf, sumOf } from "../modules/delegations.ts";
import { ModuleViews } from "../modules/module-views.ts";
import { address, optional } from "../parameters.ts";
import { ADDRESS, listOf, objectOf, QUANTITY } from "../schema.ts";

export const ogpuGetRewards: RpcMethod = defineMethod({
  name: "ogpu_getRewards",
  summary: "What an account can claim: as a delegator, and as a validator its commission.",
  result: objectOf({
    rewards: QUANTITY,
    commission: QUANTITY,
    byValidator: listOf(objectOf({ operator: ADDRESS, rewards: QUANTITY })),
  }),
  parameters: [address, optional(blockReference, LATEST)],
  run: async (context, account, block) => {
    const views = new ModuleViews(context.chain, block);
    const positions = await positionsOf(context, views, account);
    const { commissionDue } = views.read(STAKING_ADDRESS, stakingAbi, "validator", [account]);
    return {
      rewards: quantityText(sumOf(positions, ({ rewards }) => rewards)),
      commission: quantityText(commissionDue),
      byValidator: positions.map(({ operator, rewards }) => ({ operator, rewards: quantityText(rewards) })),
    };
  },
});
