/** The bounds of what nodes say to each other, checked before anything is allocated for it. */

/** Arrays within arrays. The deepest message, `finals`, has five. */
export const MAX_DEPTH = 12;

/**
 * Values in one message, the arrays themselves included. Without it a message of empty arrays, a byte each, would take
 * fifty times its length in memory.
 */
export const MAX_ITEMS = 65_536;
