/** The bounds of a block, checked before anything else is done with one. */

/** A whole block as bytes. */
export const MAX_BLOCK_BYTES: number = 8 * 1024 * 1024;

export const MAX_BLOCK_TRANSACTIONS = 65_536;

/** A certificate: one aggregate signature and a bitmap of its signers. */
export const MAX_CERTIFICATE_BYTES = 16_384;

/** A header: its fixed fields take about 700 bytes, the parent's certificate the rest. */
export const MAX_HEADER_BYTES: number = MAX_CERTIFICATE_BYTES + 2_048;
