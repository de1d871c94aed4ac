/** What a network sets for its consensus. Times are milliseconds. */
import { CodedError } from "../../base/errors.ts";

export interface ConsensusParameters {
  readonly chainId: bigint;
  /** The least time from a block to the next one. */
  readonly blockInterval: number;
  /** The view timer after a final view, what each further view adds, and the most it may be. */
  readonly viewTimeout: number;
  readonly viewTimeoutStep: number;
  readonly viewTimeoutCap: number;
  /** An idle chain makes a block so long after the last final one. */
  readonly heartbeat: number;
  /** Without progress for so long, everything is sent again. */
  readonly resendInterval: number;
  /** What is missing is asked for again, from somebody else, after so long. */
  readonly fetchInterval: number;
  /** How far a block's time may be ahead of the local clock. */
  readonly maxSkew: number;
  /** So many blocks above the final one only empty ones are valid. */
  readonly maxUnfinal: number;
  /** A new certificate is sent to so many others. */
  readonly certificateFanout: number;
  /** The log is rewritten, after a commit, once it has so many records. */
  readonly logLimit: number;
}

/**
 * Throws PARAMETERS_INVALID unless:
 * - every time and count is a positive integer, except that the step and the skew may be 0;
 * - the view timer exceeds the block interval (or honest leaders would be timed out while they wait), and its cap is
 *   not below it;
 * - the cap divisor is at least 4: a validator with a third of the weight could stop the chain alone.
 */
export function verifyParameters(parameters: ConsensusParameters): ConsensusParameters {
  const { chainId, viewTimeoutStep, maxSkew, ...positive } = parameters;
  for (const [name, value] of Object.entries(positive)) demand(Number.isSafeInteger(value) && value > 0, name);
  demand(Number.isSafeInteger(viewTimeoutStep) && viewTimeoutStep >= 0, "viewTimeoutStep");
  demand(Number.isSafeInteger(maxSkew) && maxSkew >= 0, "maxSkew");
  demand(chainId > 0n, "chainId");
  demand(parameters.viewTimeout > parameters.blockInterval, "viewTimeout");
  demand(parameters.viewTimeoutCap >= parameters.viewTimeout, "viewTimeoutCap");
  return parameters;
}

function demand(condition: boolean, name: string): void {
  if (condition) return;
  throw new CodedError("PARAMETERS_INVALID", `the consensus parameter ${name} is out of range`, { name });
}

/** The time that a view is given, growing with the views since the final one. */
export function viewTimeout(parameters: ConsensusParameters, viewsSinceFinal: number): number {
  const grown = parameters.viewTimeout + parameters.viewTimeoutStep * (viewsSinceFinal - 1);
  return Math.min(grown, parameters.viewTimeoutCap);
}
