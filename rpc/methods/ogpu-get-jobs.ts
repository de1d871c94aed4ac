import { marketAbi } from "../../vm/interfaces/abi/market.ts";
import { MARKET_ADDRESS } from "../../vm/modules/addresses.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { outputSchema } from "../modules/abi-json.ts";
import { ModuleViews } from "../modules/module-views.ts";
import { pageLimit, pageStart } from "../modules/page-parameters.ts";
import { address, integer, named, object, optional } from "../parameters.ts";
import { invalidParams } from "../rpc-error.ts";
import { listOf, objectOf, QUANTITY } from "../schema.ts";

/** Jobs in a status are listed as long as they go on. */
const LAST_LISTED = 5;

const filter = object("whose jobs, or which: client, worker, or status from 1 to 5; nothing for all", {
  ...{ client: address, worker: address, status: integer },
});

export const ogpuGetJobs: RpcMethod = defineMethod({
  name: "ogpu_getJobs",
  summary: "A page of the market's jobs, the newest first; those in a status come in no order.",
  result: objectOf({ total: QUANTITY, jobs: listOf(outputSchema(marketAbi, "jobOf")) }),
  parameters: [
    optional(named("filter", filter), { client: undefined, worker: undefined, status: undefined }),
    pageStart,
    pageLimit,
    optional(blockReference, LATEST),
  ],
  run: ({ chain }, { client, worker, status }, start, limit, block) => {
    if ([client, worker, status].filter((given) => given !== undefined).length > 1) {
      throw invalidParams("parameter 1 (filter) has one of client, worker and status");
    }
    if (status !== undefined && status > LAST_LISTED)
      throw invalidParams(`parameter 1 (filter).status is at most ${LAST_LISTED}`);
    const views = new ModuleViews(chain, block);
    const read = { address: MARKET_ADDRESS, abi: marketAbi };
    const ids =
      client !== undefined
        ? views.read(read.address, read.abi, "jobsOfClient", [client, start, limit])
        : worker !== undefined
          ? views.read(read.address, read.abi, "jobsOfWorker", [worker, start, limit])
          : status !== undefined
            ? views.read(read.address, read.abi, "jobsByStatus", [status, start, limit])
            : views.read(read.address, read.abi, "jobs", [start, limit]);
    return {
      total: quantityText(views.read(MARKET_ADDRESS, marketAbi, "jobCount", [])),
      jobs: ids.map((id) => views.json(MARKET_ADDRESS, marketAbi, "jobOf", [id])),
    };
  },
});
