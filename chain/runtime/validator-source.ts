/** Where the validators of the next epoch come from. Consensus and the ledger know this port only. */
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import { readActiveSet } from "../../vm/modules/staking/active-set.ts";
import type { StateReader } from "../../vm/state/reader.ts";
import type { ValidatorStake } from "../consensus/validator-set.ts";

/** A block, and where its epoch began. */
export interface EpochPosition {
  readonly epoch: number;
  /** The height of the epoch's root: genesis, or the seal of the epoch before. */
  readonly rootHeight: number;
  readonly height: number;
}

export interface ValidatorSource {
  endsEpoch(position: EpochPosition): boolean;
  /** Of the epoch after a block that ends its own; `state` is that after its transactions. */
  nextValidators(position: EpochPosition, state: StateReader): readonly ValidatorStake[];
}

/** The validators whom the staking module has chosen. */
export function stakingValidators({ consensus }: ChainSpec): ValidatorSource {
  return {
    endsEpoch: ({ height, rootHeight }) => height - rootHeight >= consensus.epochBlocks,
    nextValidators: (_, state) => readActiveSet(state).map(({ publicKey, stake }) => ({ id: publicKey, stake })),
  };
}
