import { verificationAbi } from "../../vm/interfaces/abi/verification.ts";
import { VERIFICATION_ADDRESS } from "../../vm/modules/addresses.ts";
import { MAX_PAGE } from "../../vm/modules/page.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { outputSchema } from "../modules/abi-json.ts";
import { ModuleViews } from "../modules/module-views.ts";
import { named, optional, quantity } from "../parameters.ts";
import { objectOf, orNull } from "../schema.ts";

export const ogpuGetRound: RpcMethod = defineMethod({
  name: "ogpu_getRound",
  summary:
    "A round of verification: its seats, the first hundred votes, what it is worth trusting; null if there is none.",
  result: orNull(
    objectOf({
      round: outputSchema(verificationAbi, "roundOf"),
      seats: outputSchema(verificationAbi, "seatsOf"),
      votes: outputSchema(verificationAbi, "votesOf"),
      addresses: outputSchema(verificationAbi, "addressesOf"),
      assurance: outputSchema(verificationAbi, "assuranceOf"),
    }),
  ),
  parameters: [named("round", quantity), optional(blockReference, LATEST)],
  run: ({ chain }, id, block) => {
    const views = new ModuleViews(chain, block);
    const at = VERIFICATION_ADDRESS;
    if (id === 0n || id > views.read(at, verificationAbi, "roundCount", [])) return null;
    return {
      round: views.json(at, verificationAbi, "roundOf", [id]),
      seats: views.json(at, verificationAbi, "seatsOf", [id]),
      votes: views.json(at, verificationAbi, "votesOf", [id, 0n, MAX_PAGE]),
      addresses: views.json(at, verificationAbi, "addressesOf", [id]),
      assurance: views.json(at, verificationAbi, "assuranceOf", [id]),
    };
  },
});
