/** Where the validators of the next epoch come from. Consensus and the ledger know this port only. */
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import type { StateReader } from "../../vm/state/reader.ts";
import type { ValidatorStake } from "../consensus/validator-set.ts";
import { genesisStakes } from "../consensus-parameters.ts";

/** A block, and where its epoch began. */
export interface EpochPosition {
  readonly epoch: number;
  /** The height of the epoch's root: genesis, or the seal of the epoch before. */
  readonly rootHeight: number;
  readonly height: number;
}

export interface ValidatorSource {
  /** The validators of the next epoch if the block ends its own; `state` is that after its transactions. */
  sealedBy(position: EpochPosition, state: StateReader): readonly ValidatorStake[] | undefined;
}

/** The validators of the chain spec, epoch after epoch, until a module of the state decides. */
export function specValidators(spec: ChainSpec): ValidatorSource {
  const validators = genesisStakes(spec);
  return {
    sealedBy: ({ height, rootHeight }) => (height - rootHeight >= spec.consensus.epochBlocks ? validators : undefined),
  };
}
