/** Every bound of what is logged, in one place. */

/** Objects within objects. */
export const MAX_DEPTH = 4;
/** Members of one object or list. */
export const MAX_ITEMS = 32;
/** Characters of one text. */
export const MAX_TEXT = 1000;
/** Of one piece of bytes. */
export const MAX_BYTES_SHOWN = 64;
