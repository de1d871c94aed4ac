/** Bounds of the agenda. */

/**
 * What the due work of one block may use, in gas of the modules; the entry that crosses it is the last of the block. About
 * a tenth of a block's gas limit, and modules' gas takes less time than that of contracts.
 */
export const AGENDA_GAS_PER_BLOCK = 5_000_000n;
/** What taking an entry off the agenda costs, paid when it is put there: up to 32 levels, most of them never. */
export const TAKE_GAS = 60_000n;
/** Numbers of modules and kinds. */
export const MAX_KIND = 0xffff;
/** Numbers of what an entry is about. */
export const ID_BITS = 160n;
/** Blocks and seconds. */
export const DUE_BITS = 64n;
/**
 * When work that failed is tried again, in seconds: a bug stays until an upgrade, and until then each try costs a block some
 * of its budget.
 */
export const RETRY_SECONDS = 86_400n;
