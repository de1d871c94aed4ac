/** What watching keeps in memory, and what counts as unusual. */

/** Of `ogpu_getRecentBlocks`, and of what is remembered of each block. */
export const MAX_RECENT_BLOCKS = 240;
/** Of `ogpu_getAnomalies`; older ones are forgotten. */
export const MAX_ANOMALIES = 256;
/** Events of one block that are looked at; a block has room for more, but not for more that matter. */
export const MAX_EVENTS = 4096;

/** A validator that signed none of so many blocks in a row. Certificates close at two thirds, so that the last signer of
 * a small set is often missing from a few. */
export const MISSED_BLOCKS = 16;
/** Finality is slow beyond both of these: so many milliseconds, and so many times the median of the last blocks. */
export const SLOW_MILLISECONDS = 3_000;
export const SLOW_TIMES = 8;
export const MEDIAN_BLOCKS = 32;
/** Views that passed without a block, between two blocks. */
export const SKIPPED_VIEWS = 3;
/** No block for so long, though a heartbeat should have come: times the heartbeat. */
export const SILENT_HEARTBEATS = 3;
/** A price that has doubled within so many blocks, from at least the least price that is worth a word. */
export const PRICE_TIMES = 2n;
export const PRICE_BLOCKS = 64;
/** A job whose next step is overdue for so long; protocol time may be behind the blocks' after an outage. */
export const STUCK_SECONDS = 120;
/** Jobs that are followed for being stuck; beyond, the oldest are let go. */
export const MAX_FOLLOWED_JOBS = 10_000;
