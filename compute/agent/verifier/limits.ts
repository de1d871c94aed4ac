/** Bounds of a verifier. */

/** Rounds that are not over and have something of this verifier's: the oldest is forgotten beyond. */
export const MAX_ROUNDS = 1_024;
/** Journal records before they are written anew without those of rounds that are over. */
export const MAX_RECORDS = 4_096;
/** Programs that the thread keeps checked. */
export const KEPT_PROGRAMS = 16;
/** Bytes of proven inputs that are kept for challenges; beyond it they are asked for again. */
export const KEPT_BYTES: number = 128 << 20;
/** Milliseconds that one question to a worker may take. */
export const ASK_MILLISECONDS = 20_000;
/** Milliseconds between two questions: at first, and at most. */
export const ASK_PAUSE_MILLISECONDS = 700;
export const LONGEST_ASK_PAUSE_MILLISECONDS = 5_600;
/** Times that the referee is called for a tile where something breaks it off. */
export const REFEREE_TRIES = 5;
/** Bytes of chunks in one transaction that stages them, as the chain has it, and of all of its call. */
export const STAGE_CONTENTS = 24_575;
export const STAGE_BYTES = 80_000;
/** Bytes of an output that is held to what its seats computed: it is fetched as a whole, into memory. */
export const MAX_OUTPUT_BYTES: number = 64 << 20;
/** Times that it is tried. */
export const OUTPUT_TRIES = 4;
/** Milliseconds until the agent looks again at rounds that wait for it. */
export const LOOK_MILLISECONDS = 1_000;
/** Milliseconds between two looks at all rounds under way: a notice that was lost costs no more than that. */
export const PATROL_MILLISECONDS = 10_000;
