import { blockReference, LATEST } from "../block-reference.ts";
import { callRequest } from "../call-request.ts";
import { jobBlock } from "../calls/job-block.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { optional } from "../parameters.ts";
import { ref } from "../result-schemas.ts";
import { objectOf, QUANTITY, TEXT } from "../schema.ts";
import { blockOverrides, NO_BLOCK_OVERRIDES, NO_OVERRIDES, stateOverrides } from "../state-override.ts";

export const ethCreateAccessList: RpcMethod = defineMethod({
  name: "eth_createAccessList",
  summary: "The accounts and slots that a transaction touches, as an access list.",
  result: objectOf({ accessList: ref("AccessList"), gasUsed: QUANTITY }, { error: TEXT }),
  parameters: [
    callRequest,
    optional(blockReference, LATEST),
    optional(stateOverrides, NO_OVERRIDES),
    optional(blockOverrides, NO_BLOCK_OVERRIDES),
  ],
  run: async ({ chain, job }, request, block, state, environment) => {
    const place = { block: jobBlock(chain, block), stateOverrides: state, blockOverrides: environment };
    const { accessList, gasUsed, error } = await job("accessList", { request, ...place });
    return {
      accessList: accessList.map(({ address, slots }) => ({ address, storageKeys: slots })),
      gasUsed: quantityText(gasUsed),
      ...(error !== undefined && { error }),
    };
  },
});
