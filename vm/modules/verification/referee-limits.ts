/** Bounds and prices of the referee. `npm run bench -- referee` measures what the prices stand for. */

/** The kind of work on the agenda; the number is the challenge's. */
export const JUDGE = 16;
/** Calls that stage chunks for one challenge: each stores as much as code may have. */
export const MAX_STAGES = 256;
/**
 * A staged byte. It leaves the state with the verdict, but what was code stays on disk: at this price and that of call data,
 * staging fills disks more slowly than blocks do.
 */
export const STAGED_BYTE_GAS = 40n;
/** Finding where a chunk belongs and following its proofs. */
export const STAGED_CHUNK_GAS = 10_000n;
/** Making an engine, and putting chunks together. */
export const REFEREE_GAS = 500_000n;
/**
 * What checking a tile for races may take, besides its fuel (run-paged-tile.ts counts it): a kernel of nothing but accesses to
 * shared memory would take 50 times its fuel. One that would take more is not judged; real ones take half of it.
 */
export const CHECKS_FOR_ALL: number = 1 << 20;
/** Each thousand units of fuel that the tile may use, in checking mode. */
export const REFEREE_KILOFUEL_GAS = 80n;
/** Each chunk of buffers that the tile may touch. */
export const REFEREE_CHUNK_GAS = 200n;
/** For each thread: its local memory, 16 KiB at most, is cleared before its block runs, at some 10 GB/s. */
export const REFEREE_THREAD_GAS = 16n;
