import { stakingAbi } from "../../vm/interfaces/abi/staking.ts";
import { STAKING_ADDRESS } from "../../vm/modules/addresses.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { outputSchema } from "../modules/abi-json.ts";
import { positionsOf, sumOf } from "../modules/delegations.ts";
import { ModuleViews } from "../modules/module-views.ts";
import { address, optional } from "../parameters.ts";
import { objectOf, orNull, QUANTITY } from "../schema.ts";

export const ogpuGetStake: RpcMethod = defineMethod({
  name: "ogpu_getStake",
  summary: "What an account has at stake in all, and what it is as a validator, if it is one.",
  result: objectOf({
    delegated: QUANTITY,
    unbonding: QUANTITY,
    rewards: QUANTITY,
    validator: orNull(outputSchema(stakingAbi, "validator")),
  }),
  parameters: [address, optional(blockReference, LATEST)],
  run: async (context, account, block) => {
    const views = new ModuleViews(context.chain, block);
    const positions = await positionsOf(context, views, account);
    const { isRegistered } = views.read(STAKING_ADDRESS, stakingAbi, "validator", [account]);
    return {
      delegated: quantityText(sumOf(positions, ({ amount }) => amount)),
      unbonding: quantityText(sumOf(positions, ({ unbonding }) => sumOf(unbonding, ({ amount }) => amount))),
      rewards: quantityText(sumOf(positions, ({ rewards }) => rewards)),
      validator: isRegistered ? views.json(STAKING_ADDRESS, stakingAbi, "validator", [account]) : null,
    };
  },
});
