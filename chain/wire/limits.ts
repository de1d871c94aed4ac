/** The bounds of what nodes say to each other, checked before anything is allocated for it. */
import { MAX_BLOCK_BYTES } from "../blocks/limits.ts";

/** Arrays within arrays. The deepest message, `finals`, has seven. */
export const MAX_DEPTH = 12;

/**
 * Values in one message, the arrays themselves included. Without it a message of empty arrays, a byte each, would take
 * fifty times its length in memory.
 */
export const MAX_ITEMS = 65_536;

/** The longest message of the consensus channel is a proposal: a block and a vote. */
export const MAX_CONSENSUS_BYTES: number = MAX_BLOCK_BYTES + 1024;

/** Of the data channel. Final blocks are sent several at a time, as many as fit. */
export const MAX_DATA_BYTES: number = 4 * MAX_BLOCK_BYTES;

/** A record of the consensus log: a block is the longest. */
export const MAX_RECORD_BYTES: number = MAX_BLOCK_BYTES + 64;

/** What a sender of transactions puts into one message of gossip, except that one long transaction may stand alone. */
export const TRANSACTION_BATCH_BYTES = 100_000;

/** One transaction, as in most Ethereum nodes; the chain spec may ask for less. */
export const MAX_TRANSACTION_BYTES = 131_072;

export const MAX_BATCH_TRANSACTIONS = 4096;

/** A message of gossip: a batch of transactions. */
export const MAX_TRANSACTIONS_BYTES: number = MAX_TRANSACTION_BYTES + 1024;

/** A message of gossip: how far so many workers are, each in less than 160 bytes. */
export const MAX_BATCH_PROGRESS = 64;
export const MAX_PROGRESS_BYTES: number = MAX_BATCH_PROGRESS * 160;

/** A message of gossip: final blocks and their certificate. */
export const MAX_FINAL_BYTES: number = MAX_BLOCK_BYTES + 4096;

/** A part of a blob, and the hashes that lead from it to the address of one of 2^48 bytes. */
export const MAX_PART_BYTES: number = 256 * 1024;
export const MAX_BLOB_SIBLINGS = 32;
/** Of the channel for blobs: a part is the longest. */
export const MAX_BLOB_MESSAGE_BYTES: number = MAX_PART_BYTES + 4096;

/** Epochs, views and heights: six bytes, as in certificates and in the store. */
export const MAX_COUNT: number = 2 ** 48 - 1;

/** Blocks of one segment, segments of one answer. Their bytes are bounded by the message. */
export const MAX_SEGMENT_BLOCKS = 256;
export const MAX_SEGMENTS = 64;

/** Addresses that a node says of itself, and of others in one answer. */
export const MAX_OWN_ADDRESSES = 8;
export const MAX_PEER_ADDRESSES = 32;
export const MAX_ADDRESS_LENGTH = 160;

/** The name and version of a node's program. */
export const MAX_AGENT_LENGTH = 64;
