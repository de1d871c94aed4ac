/** The bounds of consensus, in one place. */

/** Votes are kept up to so many views above the current one. An honest validator is ahead only by certificates. */
export const VIEW_WINDOW = 64;

/** Proposals are kept as far ahead, and executed from so many views before their own. */
export const VIEWS_EXECUTED_AHEAD = 1;

/** Different things that are asked for at one time. */
export const MAX_WANTED = 64;

/** Certificates in the answer to one request, and in one resend. */
export const MAX_CERTIFICATES_SENT = 256;

/** FINALIZE votes in one resend, and others: together, every second, well below what peers take (`rate-limits.ts`). */
export const MAX_VOTES_RESENT = 256;

/** Unchecked votes of one peer in one view: one of each kind, for it hands on its own and its leader's PROPOSE only. */
export const MAX_UNCHECKED_PER_PEER = 4;

/** Final blocks in one answer. */
export const MAX_FINALS_SENT = 32;

/** Public keys kept parsed. */
export const PARSED_KEYS = 4096;

/** Final blocks are kept while they are no further than this above our own; longer than any commit should be. */
export const FINALS_WINDOW = 1024;

/** Bytes of all blocks that are held, beyond which those that were asked for are taken only if they can be executed now. */
export const MAX_HELD_BYTES: number = 128 * 1024 * 1024;
