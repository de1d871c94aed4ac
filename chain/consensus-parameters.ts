/** What a chain spec says, in the terms of consensus. */
import type { ChainSpec } from "../genesis/chain-spec.ts";
import { type ConsensusParameters, verifyParameters } from "./consensus/parameters.ts";
import type { ValidatorStake } from "./consensus/validator-set.ts";

/** Records of the log before it is rewritten. A matter of each node's own, so not in the spec. */
const LOG_LIMIT = 4096;

export function consensusParametersOf({ chainId, block, consensus }: ChainSpec): ConsensusParameters {
  return verifyParameters({
    chainId,
    blockInterval: block.intervalMilliseconds,
    viewTimeout: consensus.viewTimeoutMilliseconds,
    viewTimeoutStep: consensus.viewTimeoutStepMilliseconds,
    viewTimeoutCap: consensus.viewTimeoutCapMilliseconds,
    heartbeat: consensus.heartbeatMilliseconds,
    resendInterval: consensus.resendMilliseconds,
    fetchInterval: consensus.fetchMilliseconds,
    maxSkew: consensus.maxSkewMilliseconds,
    maxUnfinal: consensus.maxUnfinalBlocks,
    capDivisor: BigInt(consensus.weightCapDivisor),
    logLimit: LOG_LIMIT,
  });
}

/** The validators of the first epoch. */
export function genesisStakes({ validators }: ChainSpec): readonly ValidatorStake[] {
  return validators.map(({ publicKey, stake }) => ({ id: publicKey, stake }));
}
