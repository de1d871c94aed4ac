import { trustLockAbi } from "../../vm/interfaces/abi/trust-lock.ts";
import { TRUST_LOCK_ADDRESS } from "../../vm/modules/addresses.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { outputSchema } from "../modules/abi-json.ts";
import { ModuleViews } from "../modules/module-views.ts";
import { pageLimit, pageStart } from "../modules/page-parameters.ts";
import { address, optional } from "../parameters.ts";
import { objectOf, QUANTITY } from "../schema.ts";

export const ogpuGetTrustLocks: RpcMethod = defineMethod({
  name: "ogpu_getTrustLocks",
  summary: "A page of what an account has locked as trust, and what it is withdrawing.",
  result: objectOf({
    account: outputSchema(trustLockAbi, "accountOf"),
    total: QUANTITY,
    commitments: outputSchema(trustLockAbi, "commitmentsOf"),
    unlocks: outputSchema(trustLockAbi, "unlocksOf"),
  }),
  parameters: [address, pageStart, pageLimit, optional(blockReference, LATEST)],
  run: ({ chain }, owner, start, limit, block) => {
    const views = new ModuleViews(chain, block);
    return {
      account: views.json(TRUST_LOCK_ADDRESS, trustLockAbi, "accountOf", [owner]),
      total: quantityText(views.read(TRUST_LOCK_ADDRESS, trustLockAbi, "commitmentCount", [owner])),
      commitments: views.json(TRUST_LOCK_ADDRESS, trustLockAbi, "commitmentsOf", [owner, start, limit]),
      unlocks: views.json(TRUST_LOCK_ADDRESS, trustLockAbi, "unlocksOf", [owner]),
    };
  },
});
