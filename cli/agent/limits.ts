/** Bounds of what connects agents with a node. */

/** Milliseconds between two looks at the chain when no notice of a block comes. */
export const POLL_MILLISECONDS = 2_000;
/** Milliseconds until a lost WebSocket is opened again. */
export const RECONNECT_MILLISECONDS = 1_000;
/** A connection that says nothing for so long is taken for dead: an idle chain makes a block per heartbeat, at most a minute. */
export const SILENCE_MILLISECONDS = 180_000;
/** Bytes of one notice of a block. */
export const MAX_NOTICE_BYTES: number = 1 << 20;
/** Blocks whose logs are asked for at once. */
export const BLOCKS_AT_ONCE = 500n;

/** Milliseconds after which a transaction that is in no block is sent again for more. */
export const RESEND_MILLISECONDS = 8_000;
/** In percent of what was offered before; pools take no replacement for less than a tenth more. */
export const RAISE_PERCENT = 130n;
/** How often fees are raised; then it is sent again as it is. */
export const MAX_RAISES = 12;
/** Milliseconds after which the port gives up on a transaction and says that it cannot tell. */
export const GIVE_UP_MILLISECONDS = 600_000;
/** Gas beyond the estimate: whoever acts last in a phase also pays for its end, which an estimate may not have seen. */
export const GAS_PERCENT = 150n;
export const GAS_EXTRA = 2_000_000n;
/** How often a call is sent again that failed in its block and would succeed now; with the most gas then. */
export const MAX_TRIES = 3;
/** EIP-7825: what one transaction may ask for. */
export const MAX_GAS: bigint = 1n << 24n;
/** Transactions of one account that are under way. */
export const MAX_IN_FLIGHT = 16;

/** Blocks in one search for earlier commitments to a job, and how many such searches there are, backwards. */
export const COMMITMENT_BLOCKS = 10_000n;
export const COMMITMENT_RANGES = 20;
/** Programs of an agent that are kept in memory. */
export const MAX_PROGRAMS_KEPT = 32;

/** Records of a journal, and bytes of one. */
export const MAX_JOURNAL_BYTES: number = 256 << 20;
export const MAX_RECORD_BYTES: number = 1 << 20;

/** Bytes of an output that is brought to the node too; larger ones stay with the provider. */
export const MAX_OFFERED_BYTES: number = 64 << 20;
/** Milliseconds that this may take. */
export const OFFER_MILLISECONDS = 120_000;

/** Seconds that a provider which is stopped usually waits for its pause to be on the chain: less than supervisors wait before they kill. */
export const STOP_PAUSE_SECONDS = 6;
