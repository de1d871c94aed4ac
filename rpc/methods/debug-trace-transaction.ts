import { JsonText } from "../envelope.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { hash, optional } from "../parameters.ts";
import { ANYTHING } from "../schema.ts";
import { EVERY_OPCODE, traceOptions } from "../trace-options.ts";

export const debugTraceTransaction: RpcMethod = defineMethod({
  name: "debug_traceTransaction",
  summary:
    "Runs a transaction of the chain again and tells what it did. The state before its block must be there: an archive has all.",
  result: ANYTHING,
  parameters: [hash, optional(traceOptions, EVERY_OPCODE)],
  run: async ({ job }, wanted, options) => new JsonText(await job("traceTransaction", { hash: wanted, options })),
});
