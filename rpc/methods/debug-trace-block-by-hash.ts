import { requireWholeBlock } from "../block-reference.ts";
import { JsonText } from "../envelope.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { hash, optional } from "../parameters.ts";
import { TRACES } from "../result-schemas.ts";
import { EVERY_OPCODE, traceOptions } from "../trace-options.ts";

export const debugTraceBlockByHash: RpcMethod = defineMethod({
  name: "debug_traceBlockByHash",
  summary: "Runs all transactions of a block again and tells what each did.",
  result: TRACES,
  parameters: [hash, optional(traceOptions, EVERY_OPCODE)],
  run: async ({ chain, job }, wanted, options) => {
    const { block } = requireWholeBlock(chain, { hash: wanted });
    return new JsonText(await job("traceBlock", { number: Number(block.header.number), options }));
  },
});
