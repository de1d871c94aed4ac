/** The bounds of the verification module. */

/** Tiles that one round checks. */
export const MAX_SEATS = 32;
/** Disputed tiles of one round: at most one for each seat. */
export const MAX_DISPUTES: number = MAX_SEATS;
/** Accounts that are never drawn for a round, the client and the worker among them; the draw takes as many. */
export const MAX_EXCLUDED_PARTIES = 16;
/** Buffers that a commitment names as outputs, and a job as inputs. */
export const MAX_ADDRESSES = 256;
/** Challenges of one round that wait for the referee at the same time. */
export const MAX_CHALLENGES = 64;
/** So many of them have the same bond, the next as many twice that: all places together cost 262,140 times the first. */
export const CHALLENGES_OF_A_BOND = 4;
/** Decided rounds that the market takes out in one block; the rest waits. */
export const MAX_DECIDED = 64;
/** For how long a canary waits to be revealed; then its prize is the treasury's again. */
export const CANARY_SECONDS = 604_800n;
/**
 * What a round costs the chain itself, paid by whoever begins it: draws, phases, and paying seats. About what the agenda's
 * handlers use for a round that nobody disputes.
 */
export const ROUND_GAS = 200_000n;
export const SEAT_GAS = 120_000n;
/** Seats that one duty answers for: finding out whether it is one takes a few reads for each, and nobody pays for them. */
export const MAX_DUTY_SEATS = 64;
/** Calls that stage chunks at the price of duties, for one challenge: 0.7 MB. Its bond does not pay for more. */
export const MAX_DUTY_STAGES = 32;
