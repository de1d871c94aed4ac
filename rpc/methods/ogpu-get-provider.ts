import { providersAbi } from "../../vm/interfaces/abi/providers.ts";
import { PROVIDERS_ADDRESS } from "../../vm/modules/addresses.ts";
import { MAX_PAGE } from "../../vm/modules/page.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { outputSchema } from "../modules/abi-json.ts";
import { ModuleViews } from "../modules/module-views.ts";
import { address, optional } from "../parameters.ts";
import { objectOf } from "../schema.ts";

export const ogpuGetProvider: RpcMethod = defineMethod({
  name: "ogpu_getProvider",
  summary: "A provider, its reputation and its devices.",
  result: objectOf({
    provider: outputSchema(providersAbi, "providerOf"),
    reputation: outputSchema(providersAbi, "reputationOf"),
    devices: outputSchema(providersAbi, "devicesOf"),
  }),
  parameters: [address, optional(blockReference, LATEST)],
  run: ({ chain }, account, block) => {
    const views = new ModuleViews(chain, block);
    return {
      provider: views.json(PROVIDERS_ADDRESS, providersAbi, "providerOf", [account]),
      reputation: views.json(PROVIDERS_ADDRESS, providersAbi, "reputationOf", [account]),
      devices: views.json(PROVIDERS_ADDRESS, providersAbi, "devicesOf", [account, 0n, MAX_PAGE]),
    };
  },
});
