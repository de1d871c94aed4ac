/** Bounds on a model, so that reading and lowering it take time and memory in proportion to its bytes. */

/** Bytes of a model's file. */
export const MAX_MODEL_BYTES: number = 1 << 30;
/** Fields of all messages of a file, and numbers in lists; raw tensors count as one, messages as eight. */
export const MAX_FIELDS: number = 1 << 24;
/** Of a file, and of a model whose loops are written out. */
export const MAX_NODES = 65_536;
/** Messages within messages: loops within loops take three each. */
export const MAX_DEPTH = 32;
export const MAX_RANK = 16;
/** Elements of one tensor: positions are 32-bit numbers in the kernels. */
export const MAX_ELEMENTS: number = 2 ** 28;
/** Elements of a value that is worked out while lowering, because a shape depends on it. */
export const MAX_KNOWN_ELEMENTS: number = 1 << 20;
/** Elements of a table that lowering makes: counting numbers, taps, grids. */
export const MAX_TABLE: number = 1 << 22;
/** Steps in time that a recurrent operator is unrolled to, and rounds of a loop. */
export const MAX_UNROLLED = 512;
