/** Every bound of the RPC, in one place. */

/** Open connections; each has at most one request under way, so this bounds the work that waits as well. */
export const MAX_CONNECTIONS = 2_048;
/** A request body; the largest transaction is 1 MiB, twice that as hexadecimal text. */
export const MAX_BODY_BYTES: number = 5 * 1024 * 1024;
/** Requests of one batch. */
export const MAX_BATCH = 1_000;
/** Blocks that one eth_getLogs looks at, and logs that it answers with. */
export const MAX_LOG_BLOCKS = 10_000;
export const MAX_LOGS = 10_000;
/** Addresses, and choices per topic, of a log filter. */
export const MAX_FILTER_CHOICES = 1_000;
/** Blocks of one eth_feeHistory: Ethereum nodes allow as many. */
export const MAX_FEE_HISTORY = 1_024;
export const MAX_PERCENTILES = 100;
