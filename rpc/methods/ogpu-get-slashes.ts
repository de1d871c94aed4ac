import { slashingAbi } from "../../vm/interfaces/abi/slashing.ts";
import { SLASHING_ADDRESS } from "../../vm/modules/addresses.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { outputSchema } from "../modules/abi-json.ts";
import { ModuleViews } from "../modules/module-views.ts";
import { pageLimit, pageStart } from "../modules/page-parameters.ts";
import { optional } from "../parameters.ts";
import { objectOf, QUANTITY } from "../schema.ts";

export const ogpuGetSlashes: RpcMethod = defineMethod({
  name: "ogpu_getSlashes",
  summary: "A page of the penalties that validators have paid.",
  result: objectOf({ total: QUANTITY, slashes: outputSchema(slashingAbi, "slashAt") }),
  parameters: [pageStart, pageLimit, optional(blockReference, LATEST)],
  run: ({ chain }, start, limit, block) => {
    const views = new ModuleViews(chain, block);
    return {
      total: quantityText(views.read(SLASHING_ADDRESS, slashingAbi, "slashCount", [])),
      slashes: views.json(SLASHING_ADDRESS, slashingAbi, "slashAt", [start, limit]),
    };
  },
});
