import { verifiersAbi } from "../../vm/interfaces/abi/verifiers.ts";
import { VERIFIERS_ADDRESS } from "../../vm/modules/addresses.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { outputSchema } from "../modules/abi-json.ts";
import { ModuleViews } from "../modules/module-views.ts";
import { pageLimit, pageStart } from "../modules/page-parameters.ts";
import { optional } from "../parameters.ts";
import { objectOf, QUANTITY } from "../schema.ts";

export const ogpuGetVerifiers: RpcMethod = defineMethod({
  name: "ogpu_getVerifiers",
  summary: "A page of the verifiers of results.",
  result: objectOf({ total: QUANTITY, verifiers: outputSchema(verifiersAbi, "verifiers") }),
  parameters: [pageStart, pageLimit, optional(blockReference, LATEST)],
  run: ({ chain }, start, limit, block) => {
    const views = new ModuleViews(chain, block);
    return {
      total: quantityText(views.read(VERIFIERS_ADDRESS, verifiersAbi, "verifierCount", [])),
      verifiers: views.json(VERIFIERS_ADDRESS, verifiersAbi, "verifiers", [start, limit]),
    };
  },
});
