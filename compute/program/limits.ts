/** Bounds on a program: what can be checked, scheduled and refereed at a price known from its text. */

/** Bytes of an encoded program. */
export const MAX_PROGRAM_BYTES: number = 8 << 20;
export const MAX_KERNELS = 64;
export const MAX_BUFFERS = 256;
/** Bytes of one buffer. */
export const MAX_BUFFER_BYTES: number = 1 << 30;
/** Bytes of all buffers: what fits in the 32-bit memory of the reference engine, with room for frames. */
export const MAX_MEMORY_BYTES: number = 3 * (1 << 30);
/** Launches and loops as written, at all depths. */
export const MAX_STEPS = 4_096;
/** Loops within loops. */
export const MAX_LOOP_DEPTH = 4;
/** Iterations of one loop. */
export const MAX_ITERATIONS: number = 2 ** 32;
/** Launches when all loops have run. */
export const MAX_LAUNCHES: number = 2 ** 40;
/** Blocks of one launch. */
export const MAX_GRID_BLOCKS: number = 2 ** 24;
/** Threads of one block. */
export const MAX_BLOCK_THREADS = 1_024;
export const MAX_DYNAMIC_SHARED: number = 48 * 1024;
export const MAX_ARGUMENTS = 64;
/** Bytes of one scalar argument. */
export const MAX_SCALAR_BYTES = 4_096;
/** Buffers that an alternating argument goes round. */
export const MAX_ALTERNATES = 8;
export const MAX_NAME_LENGTH = 64;
/** Fuel of one tile. */
export const MAX_TILE_FUEL: number = 2 ** 44;
/** The most that one tile may use for the referee to take it: about a quarter of a second of the reference engine. */
export const REFEREE_FUEL: number = 2 ** 27;
/** Bytes that a tile may touch, and that the chunks of what it owns may have, for the referee to take it. */
export const REFEREE_BYTES: number = 1 << 20;
/** Blocks of a launch that is one tile for the referee to take it: each costs some of its time besides its fuel. */
export const REFEREE_BLOCKS = 256;
