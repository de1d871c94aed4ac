import { chainSpecJson } from "../../genesis/write-chain-spec.ts";
import { governanceAbi } from "../../vm/interfaces/abi/governance.ts";
import { GOVERNANCE_ADDRESS } from "../../vm/modules/addresses.ts";
import { MAX_PAGE } from "../../vm/modules/page.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { ModuleViews } from "../modules/module-views.ts";
import { optional } from "../parameters.ts";
import { ANYTHING, INTEGER, mapOf, objectOf, QUANTITY, TEXT } from "../schema.ts";

type Document = Readonly<
  Record<"name" | "chainId" | "fork" | "genesisTime" | "block" | "consensus" | "modules", unknown>
>;

/** By name, with the bounds within which governance may move them. */
function currentParameters(views: ModuleViews): object {
  const found: Record<string, object> = {};
  for (let start = 0n; ; start += MAX_PAGE) {
    const page = views.read(GOVERNANCE_ADDRESS, governanceAbi, "parameters", [start, MAX_PAGE]);
    for (const { name, value, least, most } of page) {
      found[name] = { value: quantityText(value), least: quantityText(least), most: quantityText(most) };
    }
    if (BigInt(page.length) < MAX_PAGE) return found;
  }
}

export const ogpuGetParameters: RpcMethod = defineMethod({
  name: "ogpu_getParameters",
  summary:
    "The parameters that the chain was launched with, and those that governance has changed since as they are at a block.",
  result: objectOf({
    name: TEXT,
    chainId: INTEGER,
    fork: TEXT,
    genesisTime: INTEGER,
    block: mapOf(ANYTHING),
    consensus: mapOf(ANYTHING),
    modules: mapOf(ANYTHING),
    current: mapOf(objectOf({ value: QUANTITY, least: QUANTITY, most: QUANTITY })),
  }),
  parameters: [optional(blockReference, LATEST)],
  run: ({ chain }, reference) => {
    const { name, chainId, fork, genesisTime, block, consensus, modules } = chainSpecJson(chain.spec) as Document;
    const current = currentParameters(new ModuleViews(chain, reference));
    return { name, chainId, fork, genesisTime, block, consensus, modules, current };
  },
});
