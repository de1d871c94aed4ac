import { blockReference, LATEST } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { positionsOf } from "../modules/delegations.ts";
import { ModuleViews } from "../modules/module-views.ts";
import { address, optional } from "../parameters.ts";
import { ADDRESS, listOf, objectOf, QUANTITY } from "../schema.ts";

export const ogpuGetDelegations: RpcMethod = defineMethod({
  name: "ogpu_getDelegations",
  summary: "What an account has delegated, to whom, what it has earned there, and what it is withdrawing.",
  result: listOf(
    objectOf({
      operator: ADDRESS,
      shares: QUANTITY,
      amount: QUANTITY,
      rewards: QUANTITY,
      unbonding: listOf(objectOf({ amount: QUANTITY, dueAt: QUANTITY })),
    }),
  ),
  parameters: [address, optional(blockReference, LATEST)],
  run: async (context, account, block) => {
    const positions = await positionsOf(context, new ModuleViews(context.chain, block), account);
    return positions.map(({ operator, shares, amount, rewards, unbonding }) => ({
      operator,
      shares: quantityText(shares),
      amount: quantityText(amount),
      rewards: quantityText(rewards),
      unbonding: unbonding.map((entry) => ({ amount: quantityText(entry.amount), dueAt: quantityText(entry.dueAt) })),
    }));
  },
});
