import { providersAbi } from "../../vm/interfaces/abi/providers.ts";
import { PROVIDERS_ADDRESS } from "../../vm/modules/addresses.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { outputSchema } from "../modules/abi-json.ts";
import { ModuleViews } from "../modules/module-views.ts";
import { pageLimit, pageStart } from "../modules/page-parameters.ts";
import { optional } from "../parameters.ts";
import { objectOf, QUANTITY } from "../schema.ts";

export const ogpuGetProviders: RpcMethod = defineMethod({
  name: "ogpu_getProviders",
  summary: "A page of the providers of compute.",
  result: objectOf({ total: QUANTITY, providers: outputSchema(providersAbi, "providers") }),
  parameters: [pageStart, pageLimit, optional(blockReference, LATEST)],
  run: ({ chain }, start, limit, block) => {
    const views = new ModuleViews(chain, block);
    return {
      total: quantityText(views.read(PROVIDERS_ADDRESS, providersAbi, "providerCount", [])),
      providers: views.json(PROVIDERS_ADDRESS, providersAbi, "providers", [start, limit]),
    };
  },
});
