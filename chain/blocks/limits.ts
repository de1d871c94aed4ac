/** The bounds of a block, checked before anything else is done with one. */

/** A whole block as bytes. */
export const MAX_BLOCK_BYTES: number = 8 * 1024 * 1024;

export const MAX_BLOCK_TRANSACTIONS = 65_536;

/** A certificate: one aggregate signature and a bitmap of its signers. */
export const MAX_CERTIFICATE_BYTES = 16_384;

/** A header: its fixed fields take about 700 bytes, the parent's certificate the rest. */
export const MAX_HEADER_BYTES: number = MAX_CERTIFICATE_BYTES + 2_048;

/** Heights take six bytes in the store's keys: below 2^48, which at 50 ms per block is 446,000 years. */
export const MAX_BLOCK_NUMBER: bigint = 2n ** 48n - 1n;

/**
 * Seconds since 1970, below the end of JavaScript's dates at 8.64 * 10^15 milliseconds. So the time in milliseconds is
 * exact in a number, and every header's time can be written as a date.
 */
export const MAX_TIMESTAMP = 8_639_999_999_999n;
