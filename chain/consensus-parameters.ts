/** What a chain spec says, in the terms of consensus. */
import { cappedWeights } from "../base/capped-weights.ts";
import type { ChainSpec } from "../genesis/chain-spec.ts";
import { type ConsensusParameters, verifyParameters } from "./consensus/parameters.ts";
import type { ValidatorStake } from "./consensus/validator-set.ts";

/** Records of the log before it is rewritten. A matter of each node's own, so not in the spec. */
const LOG_LIMIT = 4096;

/**
 * Others that a new certificate is sent to. With equal stakes and a third of them faulty, one that made none of it itself
 * is missed by all others with a chance of 1e-7. A matter of each node's own, too.
 */
const CERTIFICATE_FANOUT = 24;

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
    certificateFanout: CERTIFICATE_FANOUT,
    logLimit: LOG_LIMIT,
  });
}

/** The validators of the first epoch, with their weights. */
export function genesisWeights({ validators, consensus }: ChainSpec): readonly ValidatorStake[] {
  const stakes = validators.map(({ publicKey, stake }) => ({ id: publicKey, stake }));
  return cappedStakes(stakes, BigInt(consensus.weightCapDivisor));
}

/** Weights in the place of stakes. */
export function cappedStakes(stakes: readonly ValidatorStake[], divisor: bigint): readonly ValidatorStake[] {
  const weights = cappedWeights(
    stakes.map(({ stake }) => stake),
    divisor,
  );
  return stakes.map(({ id }, index) => ({ id, stake: weights[index] ?? 0n }));
}
