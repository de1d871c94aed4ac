import { stakingAbi } from "../../vm/interfaces/abi/staking.ts";
import { STAKING_ADDRESS } from "../../vm/modules/addresses.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { outputSchema } from "../modules/abi-json.ts";
import { ModuleViews } from "../modules/module-views.ts";
import { pageLimit, pageStart } from "../modules/page-parameters.ts";
import { optional } from "../parameters.ts";
import { ADDRESS, listOf, objectOf, QUANTITY } from "../schema.ts";

export const ogpuGetStakingValidators: RpcMethod = defineMethod({
  name: "ogpu_getStakingValidators",
  summary: "A page of the validators that are registered, whether they sign or not.",
  result: objectOf({
    total: QUANTITY,
    validators: listOf(objectOf({ operator: ADDRESS, validator: outputSchema(stakingAbi, "validator") })),
  }),
  parameters: [pageStart, pageLimit, optional(blockReference, LATEST)],
  run: ({ chain }, start, limit, block) => {
    const views = new ModuleViews(chain, block);
    const operators = views.read(STAKING_ADDRESS, stakingAbi, "validators", [start, limit]);
    return {
      total: quantityText(views.read(STAKING_ADDRESS, stakingAbi, "validatorCount", [])),
      validators: operators.map((operator) => ({
        operator: operator.toLowerCase(),
        validator: views.json(STAKING_ADDRESS, stakingAbi, "validator", [operator]),
      })),
    };
  },
});
