import { marketAbi } from "../../vm/interfaces/abi/market.ts";
import { MARKET_ADDRESS } from "../../vm/modules/addresses.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { outputSchema } from "../modules/abi-json.ts";
import { ModuleViews } from "../modules/module-views.ts";
import { named, optional, quantity } from "../parameters.ts";
import { PROGRESS, progressJson } from "../progress-json.ts";
import { listOf, objectOf, orNull } from "../schema.ts";

export const ogpuGetJob: RpcMethod = defineMethod({
  name: "ogpu_getJob",
  summary:
    "A job of the market, with the bids for it, what somebody must show, and what workers report now; null if there is none.",
  result: orNull(
    objectOf({
      job: outputSchema(marketAbi, "jobOf"),
      bids: outputSchema(marketAbi, "bidsOf"),
      demands: outputSchema(marketAbi, "openDemands"),
      progress: listOf(PROGRESS),
    }),
  ),
  parameters: [named("job", quantity), optional(blockReference, LATEST)],
  run: async ({ chain, wait }, id, block) => {
    const views = new ModuleViews(chain, block);
    if (views.read(MARKET_ADDRESS, marketAbi, "jobOf", [id]).status === 0) return null;
    return {
      job: views.json(MARKET_ADDRESS, marketAbi, "jobOf", [id]),
      bids: views.json(MARKET_ADDRESS, marketAbi, "bidsOf", [id]),
      demands: views.json(MARKET_ADDRESS, marketAbi, "openDemands", [id]),
      progress: (await wait(Promise.resolve(chain.progress.of(id)))).map(progressJson),
    };
  },
});
