import { isSealHeader } from "../chain/blocks/header.ts";
import { nextValidatorsOf } from "../chain/blocks/validators-codec.ts";
import { makeValidatorSet, type ValidatorStake } from "../chain/consensus/validator-set.ts";
import { genesisWeights } from "../chain/consensus-parameters.ts";
import type { ChainReads } from "./chain-view.ts";
import { REFUSED, RpcError } from "./rpc-error.ts";

/** The validators that decide in an epoch, with their weights, in the order of their positions. */
export function validatorsOfEpoch(chain: ChainReads, epoch: number): readonly ValidatorStake[] | undefined {
  if (epoch > 0) return chain.seal(epoch - 1)?.nextValidators;
  const { spec } = chain;
  return nextValidatorsOf(makeValidatorSet(genesisWeights(spec)));
}

/** Throws EPOCH_UNKNOWN. */
export function requireValidators(chain: ChainReads, epoch: number): readonly ValidatorStake[] {
  const validators = validatorsOfEpoch(chain, epoch);
  if (validators !== undefined) return validators;
  throw new RpcError(REFUSED, `epoch ${epoch} is not known here`, { code: "EPOCH_UNKNOWN", epoch });
}

/** Of the next block. */
export function currentEpoch({ head }: ChainReads): number {
  const { epoch } = head.header.extra;
  return isSealHeader(head.header) ? epoch + 1 : epoch;
}
