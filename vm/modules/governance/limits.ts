/** Bounds of the governance module that no vote can move. */

export const MAX_TITLE_BYTES = 128;
/** In the log alone; the state has its hash. */
export const MAX_BODY_BYTES = 4096;
/** Parameters that one proposal changes. */
export const MAX_CHANGES = 16;
/** Of why a proposal could not be carried out. */
export const MAX_REASON_BYTES = 256;
/** What a view lists at once. */
export const MAX_LISTED = 50n;
/** Upgrades to come: every block looks at all of them. */
export const MAX_SCHEDULED_UPGRADES = 8;
/** A name is one word. */
export const MAX_UPGRADE_NAME_BYTES = 32;
/**
 * Blocks between the one that schedules an upgrade and the upgrade itself, at least: far more than a healthy chain has
 * blocks that are not final, so that nodes stop for what is decided and not for a branch that may die.
 */
export const UPGRADE_NOTICE_BLOCKS = 32n;
/** Heights are block numbers of 64 bits. */
export const MAX_HEIGHT: bigint = (1n << 64n) - 1n;
/** For verifying the economy as a whole. */
export const VERIFY_GAS = 50_000n;
