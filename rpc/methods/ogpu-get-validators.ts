import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { integer, named, optional } from "../parameters.ts";
import { VALIDATORS } from "../result-schemas.ts";
import { INTEGER, objectOf, QUANTITY } from "../schema.ts";
import { currentEpoch, requireValidators } from "../validators-of-epoch.ts";

export const ogpuGetValidators: RpcMethod = defineMethod({
  name: "ogpu_getValidators",
  summary: "The validators of an epoch with their weights; of the current one where none is named.",
  result: objectOf({ epoch: INTEGER, totalWeight: QUANTITY, validators: VALIDATORS }),
  parameters: [optional<number | undefined>(named("epoch", integer), undefined)],
  run: ({ chain }, wanted) => {
    const epoch = wanted ?? currentEpoch(chain);
    const validators = requireValidators(chain, epoch);
    return {
      epoch,
      totalWeight: quantityText(validators.reduce((sum, { stake }) => sum + stake, 0n)),
      validators: validators.map(({ id, stake }, index) => ({ index, publicKey: id, weight: quantityText(stake) })),
    };
  },
});
