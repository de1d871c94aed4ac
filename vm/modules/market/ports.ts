/** What the market needs of verification. It is given to it, so that the market's own rules can be tested by themselves. */
import type { ModuleCall } from "../module-call.ts";
import type { TokenParameters } from "../token/token.ts";
import type { DecidedRound, RoundRequest } from "../verification/round-types.ts";

/** What an accepted round is worth trusting; shares and chances in millionths, `voteError` in 10^-18. */
export interface RoundAssurance {
  readonly seats: number;
  readonly tier: number;
  readonly stakeAtRisk: bigint;
  readonly adversaryShare: bigint;
  readonly corruptibleShare: bigint;
  readonly passChance: bigint;
  readonly voteError: bigint;
}

export interface VerificationPort {
  /** Takes the seats' fees out of the account that the call is in; says the round's number. */
  beginRound(call: ModuleCall, request: RoundRequest): bigint;
  /** Rounds that were decided or became final, oldest first. */
  takeDecided(call: ModuleCall, most: number): readonly DecidedRound[];
  assuranceOf(call: ModuleCall, round: bigint): RoundAssurance;
}

export interface MarketPorts {
  readonly verification: VerificationPort;
  readonly token: TokenParameters;
}
