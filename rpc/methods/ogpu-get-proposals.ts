import { governanceAbi } from "../../vm/interfaces/abi/governance.ts";
import { GOVERNANCE_ADDRESS } from "../../vm/modules/addresses.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { outputSchema } from "../modules/abi-json.ts";
import { ModuleViews } from "../modules/module-views.ts";
import { pageLimit, pageStart } from "../modules/page-parameters.ts";
import { optional } from "../parameters.ts";
import { listOf, objectOf, QUANTITY } from "../schema.ts";

export const ogpuGetProposals: RpcMethod = defineMethod({
  name: "ogpu_getProposals",
  summary: "A page of the proposals of governance, each with how the votes stand.",
  result: objectOf({
    total: QUANTITY,
    proposals: listOf(
      objectOf({ proposal: outputSchema(governanceAbi, "proposal"), tally: outputSchema(governanceAbi, "tally") }),
    ),
  }),
  parameters: [pageStart, pageLimit, optional(blockReference, LATEST)],
  run: ({ chain }, start, limit, block) => {
    const views = new ModuleViews(chain, block);
    const page = views.read(GOVERNANCE_ADDRESS, governanceAbi, "proposals", [start, limit]);
    return {
      total: quantityText(views.read(GOVERNANCE_ADDRESS, governanceAbi, "proposalCount", [])),
      proposals: page.map(({ id }) => ({
        proposal: views.json(GOVERNANCE_ADDRESS, governanceAbi, "proposal", [id]),
        tally: views.json(GOVERNANCE_ADDRESS, governanceAbi, "tally", [id]),
      })),
    };
  },
});
