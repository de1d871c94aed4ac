/** Bounds and prices of the programs module. `npm run bench -- referee` measures what the prices stand for. */

/** Bytes of a piece: as much as code may have, in a round number. */
export const MAX_PIECE_BYTES = 24_000;
/** Pieces of one program: more than the gas of a transaction checks. */
export const MAX_PIECES = 512;
/** For whatever a program is, and for each byte of it: decoding, checking and compiling its kernels. */
export const CHECK_GAS = 100_000n;
export const CHECK_BYTE_GAS = 30n;
/** For decoding the plan, each byte. */
export const PLAN_GAS = 2_000n;
export const PLAN_BYTE_GAS = 4n;
/** Programs that stay in memory, and the bytes of all of their encodings: checked ones are some 20 times as large. */
export const MAX_CACHED_PROGRAMS = 64;
export const MAX_CACHED_BYTES: number = 8 << 20;
/** Of why a program is refused. */
export const MAX_REASON_LENGTH = 256;
