/** What the page holds in memory and how long it waits. */
export const MAX_WAITING_REQUESTS = 512;
/** Also for a node that is away: longer, and people have gone. */
export const REQUEST_MILLISECONDS = 20_000;
/** Between attempts to reach a node that is away. */
export const RETRY_MILLISECONDS: readonly number[] = [250, 500, 1000, 2000, 3000];
/** Blocks that charts and lists go back. */
export const MAX_RECENT_BLOCKS = 240;
export const MAX_ANOMALIES = 256;
