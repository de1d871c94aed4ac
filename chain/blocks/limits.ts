/** The bounds of a block, checked before anything else is done with one. */
import { MAX_SPEC_VALIDATORS } from "../../genesis/chain-spec.ts";

/** A whole block as bytes. */
export const MAX_BLOCK_BYTES: number = 8 * 1024 * 1024;

export const MAX_BLOCK_TRANSACTIONS = 65_536;

/** Of one epoch. Bounds the bitmaps of certificates and the list in a seal. */
export const MAX_VALIDATORS: number = MAX_SPEC_VALIDATORS;

/** Byte strings and lists of a block: transactions, three for each validator in a seal, and what holds them. */
export const MAX_BLOCK_ITEMS: number = MAX_BLOCK_TRANSACTIONS + 3 * MAX_VALIDATORS + 4;

/** One aggregate signature, a hash, the bitmap of its signers (512 bytes for the most validators) and three numbers. */
export const MAX_CERTIFICATE_BYTES = 768;

/** A header: its other fields take less than 800 bytes, the parent's certificate the rest. */
export const MAX_HEADER_BYTES: number = MAX_CERTIFICATE_BYTES + 1024;

/** The list in a seal: per validator a key of 48 bytes, a weight of up to 16, and the RLP around them. */
export const MAX_NEXT_VALIDATORS_BYTES: number = MAX_VALIDATORS * 70 + 4;

/** What a proposer may fill with transactions, each counted with the at most five bytes of RLP around it. */
export const MAX_TRANSACTIONS_BYTES: number = MAX_BLOCK_BYTES - MAX_HEADER_BYTES - MAX_NEXT_VALIDATORS_BYTES - 32;

/** Epochs and views: six bytes, as in certificates. */
export const MAX_VIEW_BYTES = 6;

/** Heights take six bytes in the store's keys: below 2^48, which at 50 ms per block is 446,000 years. */
export const MAX_BLOCK_NUMBER: bigint = 2n ** 48n - 1n;

/**
 * Seconds since 1970, below the end of JavaScript's dates at 8.64 * 10^15 milliseconds. So the time in milliseconds is
 * exact in a number, and every header's time can be written as a date.
 */
export const MAX_TIMESTAMP = 8_639_999_999_999n;
