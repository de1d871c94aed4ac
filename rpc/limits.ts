/** Every bound of the RPC, in one place. What a method answers with is bounded by these, whatever the chain holds. */
import { TRANSACTION_GAS_CAP } from "../genesis/verify-parameters.ts";

const MIB = 1024 * 1024;

/** Open connections; more are closed at once. */
export const MAX_CONNECTIONS = 256;
/**
 * Requests under way in the whole process, from their headers to the last byte of their answer. One connection can
 * have many of them (HTTP pipelining), so the connections do not bound them.
 */
export const MAX_REQUESTS_UNDER_WAY = 256;
/** What those requests hold in memory together: their bodies and answers, by these weights. */
export const MAX_BYTES_UNDER_WAY: number = 256 * MIB;
/** JSON takes up to 20 times its text once it is parsed (measured with nested empty lists). */
export const BODY_WEIGHT = 20;
/** An answer is there as its parts, as a whole, and as the bytes that are sent. */
export const ANSWER_WEIGHT = 3;
/** A body that has not arrived by then is given up. */
export const REQUEST_TIMEOUT_MILLISECONDS = 30_000;
/** A connection on which nothing moves for so long is closed, also when its client does not read the answer. */
export const IDLE_TIMEOUT_MILLISECONDS = 60_000;

/** A request body; the largest transaction is 1 MiB, twice that as hexadecimal text. */
export const MAX_BODY_BYTES: number = 5 * MIB;
/** The answer to one body, all of a batch together. */
export const MAX_ANSWER_BYTES: number = 25 * MIB;
/** Requests of one batch. */
export const MAX_BATCH = 1_000;
/** Time on the node's thread that one body gets, all of a batch together; waiting for a turn does not count. */
export const MAX_WORK_MILLISECONDS = 5_000;
/** Requests work for so long, then everything else that the node does has its turn. */
export const SLICE_MILLISECONDS = 10;

/** A call gets no more gas than a transaction could: it bounds the longest work that is done in one piece. */
export const MAX_CALL_GAS: bigint = TRANSACTION_GAS_CAP;
/** What a call returns or reverts with: forty times the largest contract. */
export const MAX_CALL_OUTPUT_BYTES: number = MIB;
/** The part of a revert's text that is repeated in the message. */
export const MAX_REASON_BYTES = 1_024;
/** Entries of a call's access list, and slots of each. */
export const MAX_ACCESS_LIST = 1_000;

/** Blocks that one eth_getLogs looks at, and logs that it answers with. */
export const MAX_LOG_BLOCKS = 10_000;
export const MAX_LOGS = 10_000;
/** Addresses, and choices per topic, of a log filter. */
export const MAX_FILTER_CHOICES = 1_000;
/** A log has no more: LOG4. */
export const MAX_TOPICS = 4;
/** Blocks of one eth_feeHistory: Ethereum nodes allow as many. */
export const MAX_FEE_HISTORY = 1_024;
export const MAX_PERCENTILES = 100;
