import { blockReference, requireWholeBlock } from "../block-reference.ts";
import { JsonText } from "../envelope.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { optional } from "../parameters.ts";
import { TRACES } from "../result-schemas.ts";
import { EVERY_OPCODE, traceOptions } from "../trace-options.ts";

export const debugTraceBlockByNumber: RpcMethod = defineMethod({
  name: "debug_traceBlockByNumber",
  summary: "Runs all transactions of a block again and tells what each did.",
  result: TRACES,
  parameters: [blockReference, optional(traceOptions, EVERY_OPCODE)],
  run: async ({ chain, job }, reference, options) => {
    const { block } = requireWholeBlock(chain, reference);
    return new JsonText(await job("traceBlock", { number: Number(block.header.number), options }));
  },
});
