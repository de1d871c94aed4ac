import { marketAbi } from "../../vm/interfaces/abi/market.ts";
import { MARKET_ADDRESS } from "../../vm/modules/addresses.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { outputSchema } from "../modules/abi-json.ts";
import { ModuleViews } from "../modules/module-views.ts";
import { named, optional, quantity } from "../parameters.ts";
import { orNull } from "../schema.ts";

export const ogpuGetReceipt: RpcMethod = defineMethod({
  name: "ogpu_getReceipt",
  summary: "What the client of a job got for its money, in numbers; null if there is no such job.",
  result: orNull(outputSchema(marketAbi, "receiptOf")),
  parameters: [named("job", quantity), optional(blockReference, LATEST)],
  run: ({ chain }, id, block) => {
    const views = new ModuleViews(chain, block);
    if (views.read(MARKET_ADDRESS, marketAbi, "jobOf", [id]).status === 0) return null;
    return views.json(MARKET_ADDRESS, marketAbi, "receiptOf", [id]);
  },
});
