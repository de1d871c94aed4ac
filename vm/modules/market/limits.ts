/** The bounds of the market: what one call, one draw or one block walks through. */

/** Places in a race. */
export const MAX_RACERS = 8;
/** Tiles that a round checks; verification has the same bound. */
export const MAX_SEATS = 32;
/** Parts of an auction job. */
export const MAX_SEGMENTS = 1_024;
/** Content addresses that a job brings; programs have at most as many buffers. */
export const MAX_INPUTS = 256;
/** Sources that one device may have joined: a draw takes it out of all of them. */
export const MAX_SOURCES_OF_DEVICE = 8;
/** Members that a draw looks at beyond the places it has: those that are not available lose their membership. */
export const MAX_SKIPPED = 8;
/** Tasks of a source that get racers in one block; the rest comes in the next. */
export const MAX_DRAWS = 4;
/** How long a source whose idle members cannot bear its next task waits before it looks again, if nothing changes. */
export const DRAW_PAUSE_SECONDS = 10n;
/** Decided rounds that one block deals with; the rest comes in the next. */
export const MAX_DECIDED = 32;
/** Demands that wait for an answer in one job at the same time, and in its whole life; as many again for its client. */
export const MAX_OPEN_DEMANDS = 8;
export const MAX_DEMANDS = 64;
/** Gas that a callback may ask for. */
export const MAX_CALLBACK_GAS = 5_000_000n;
/** What a worker may ask for its time in a bid, in seconds. */
export const MAX_SECONDS: bigint = 31_536_000n;
/**
 * Amounts that people name: far more than all the money there is, which has 85 bits, and far below what would not fit a word
 * when it is added up or multiplied.
 */
export const MOST_MONEY: bigint = 1n << 96n;
