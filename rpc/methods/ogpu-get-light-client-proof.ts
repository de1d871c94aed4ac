import { blockReference, LATEST } from "../block-reference.ts";
import { LIGHT_PROOF, lightClientProof } from "../light-client-proof.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { integer, named, optional } from "../parameters.ts";

export const ogpuGetLightClientProof: RpcMethod = defineMethod({
  name: "ogpu_getLightClientProof",
  summary:
    "A header that is final, with all that a light client needs to trust it: its certificate and the seals of the epochs since one that the client knows.",
  result: LIGHT_PROOF,
  parameters: [optional(blockReference, LATEST), optional(named("fromEpoch", integer), 0)],
  run: ({ chain }, reference, fromEpoch) => lightClientProof(chain, reference, fromEpoch),
});
