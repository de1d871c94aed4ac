/**
 * Every bound of the RPC, in one place. Those of LIMITS can be set by operators (`--rpc-limit name=value`) and are listed
 * in docs/rpc.md; the others follow from them or from what a method is.
 */
import { CodedError } from "../base/errors.ts";
import { TRANSACTION_GAS_CAP } from "../genesis/verify-parameters.ts";

const MIB = 1024 * 1024;

export type LimitName =
  | "connections"
  | "connectionsPerAddress"
  | "requestsPerSecond"
  | "requestsUnderWay"
  | "bytesUnderWay"
  | "requestMilliseconds"
  | "takenPerSecond"
  | "idleMilliseconds"
  | "bodyBytes"
  | "batchRequests"
  | "answerBytes"
  | "workMilliseconds"
  | "callGas"
  | "callMilliseconds"
  | "callWorkers"
  | "callsWaiting"
  | "logBlocks"
  | "logs"
  | "subscriptions"
  | "subscriptionsPerConnection"
  | "filters"
  | "filtersPerAddress"
  | "filterSeconds"
  | "bytesWaiting";

export interface LimitSpec {
  /** Where nothing else is said. */
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly means: string;
}

function limit(value: number, means: string, most: number = 1000 * value, least = 1): LimitSpec {
  return { value, least, most, means };
}

export const LIMITS: Readonly<Record<LimitName, LimitSpec>> = {
  connections: limit(1_024, "open connections; more are closed at once", 65_000),
  connectionsPerAddress: limit(256, "of these from one address; loopback is not counted", 65_000),
  requestsPerSecond: limit(500, "requests of one address, each of a batch counted; loopback is not counted", 1_000_000),
  requestsUnderWay: limit(1_024, "requests under way, from their headers to the last byte of their answer", 65_000),
  bytesUnderWay: limit(256 * MIB, "what those hold in memory together", 64 * 1024 * MIB, MIB),
  requestMilliseconds: limit(30_000, "a body that has not arrived by then is given up"),
  takenPerSecond: limit(131_072, "bytes of an answer that a client has to take, after as long as a body may take", 1e9),
  idleMilliseconds: limit(60_000, "a connection on which nothing moves for so long is closed"),
  bodyBytes: limit(5 * MIB, "of one request, or of one WebSocket message", 256 * MIB, 1_024),
  batchRequests: limit(1_000, "requests of one batch", 100_000),
  answerBytes: limit(25 * MIB, "of the answer to one body, all of a batch together", 1024 * MIB, 1_024),
  workMilliseconds: limit(5_000, "work on one body, all of a batch together, calls included"),
  callGas: limit(Number(TRANSACTION_GAS_CAP), "of one call; by default what a transaction could have", 1e12, 21_000),
  callMilliseconds: limit(5_000, "a call, estimate or trace that takes longer is stopped"),
  callWorkers: limit(0, "threads for calls; 0 is one fewer than there are processors, at least one", 64, 0),
  callsWaiting: limit(4_096, "calls that wait for one of those threads", 1_000_000),
  logBlocks: limit(10_000, "blocks of one eth_getLogs"),
  logs: limit(10_000, "logs of its answer", 1_000_000),
  subscriptions: limit(20_000, "of all WebSocket connections together", 1_000_000),
  subscriptionsPerConnection: limit(100, "of one connection", 100_000),
  filters: limit(10_000, "of all clients together", 1_000_000),
  filtersPerAddress: limit(1_000, "of one address", 1_000_000),
  filterSeconds: limit(300, "a filter that nobody asks about for so long is gone"),
  bytesWaiting: limit(4 * MIB, "told to a WebSocket client that does not read; beyond, it is disconnected", 1024 * MIB),
};

export type RpcLimits = Readonly<Record<LimitName, number>>;

export const DEFAULT_LIMITS: RpcLimits = limitsFrom([]);

/** From `name=value` texts. Throws RPC_LIMIT_INVALID. */
export function limitsFrom(texts: readonly string[]): RpcLimits {
  const names = Object.keys(LIMITS) as LimitName[];
  const limits = Object.fromEntries(names.map((name) => [name, LIMITS[name].value])) as Record<LimitName, number>;
  for (const text of texts) {
    const [, given, digits] = /^(\w+)=(\d+)$/.exec(text) ?? [];
    const name = names.find((candidate) => candidate === given);
    if (name === undefined) {
      throw new CodedError("RPC_LIMIT_INVALID", `${text}: write name=value, with a name of ${names.join(", ")}`);
    }
    const value = Number(digits);
    const { least, most } = LIMITS[name];
    if (value < least || value > most) {
      throw new CodedError("RPC_LIMIT_INVALID", `${name} is from ${least} to ${most}`, { name, value });
    }
    limits[name] = value;
  }
  return limits;
}

/** Of requestsUnderWay and bytesUnderWay, what one address may have; loopback may have all. */
export const REQUESTS_SHARE: number = 1 / 4;
export const BYTES_SHARE: number = 1 / 2;
/** Of bytesUnderWay, what large requests have together: one that holds more than so many bytes, and is not alone, is large. */
export const LARGE_SHARE: number = 3 / 4;
export const SMALL_REQUEST_BYTES: number = MIB;
/** JSON takes up to 20 times its text once it is parsed (measured with nested empty lists). */
export const BODY_WEIGHT = 20;
/** An answer is there as its parts, as a whole, and as the bytes that are sent. */
export const ANSWER_WEIGHT = 3;
/** Of a WebSocket message that has not come whole, so much is not counted. */
export const UNCOUNTED_BYTES = 65_536;
/** Pieces of one: of the sender's making, and of the network's. Each takes a hundred bytes besides its own. */
export const MAX_MESSAGE_PIECES = 16_384;
/** Pings and pongs of a WebSocket client in half of idleMilliseconds: each costs as much as a small request. */
export const MAX_CONTROL_FRAMES = 1_000;
/** Requests work for so long, then everything else that the RPC's thread does has its turn. */
export const SLICE_MILLISECONDS = 10;
/** Calls of one body that are under way at once: a batch of calls does not push others back. */
export const MAX_CALLS_AT_ONCE = 64;
/** Jobs that a call worker has in hand: it need not wait for the next, and little is lost with it. */
export const MAX_JOBS_IN_HAND = 32;
/** And no more than it does in so many milliseconds, or one: whoever comes next does not wait behind long ones. */
export const IN_HAND_MILLISECONDS = 20;
/** A batch of reads is sent to a call worker when its body is no longer; the worker answers for so long, or so much of it. */
export const MAX_READS_BODY: number = MIB / 4;
export const READS_MILLISECONDS = 10;
/** It has no more of them in hand than it does in so many milliseconds, or two; the RPC's thread answers the others. */
export const READS_IN_HAND_MILLISECONDS = 3;
export const MAX_READS_ANSWER: number = MIB;
/** Of callsWaiting, what one address may have; loopback may have all. */
export const CALLS_SHARE: number = 1 / 4;
/** Of transactions on their way to the node, in all. */
export const MAX_SUBMITTED_BYTES: number = 64 * MIB;
/** Of subscriptions, what one address may have; loopback may have all. */
export const SUBSCRIPTIONS_SHARE: number = 1 / 4;
/** Blocks whose logs subscribers have yet to be told of; beyond, nothing else is done until they are. */
export const MAX_BLOCKS_TOLD = 16;
/** Questions to the node's thread that are not answered yet. */
export const MAX_QUESTIONS: number = 32_768;
/** A subscription or filter of waiting transactions holds, and is told at once, at most so many. */
export const MAX_PENDING_HASHES = 4_096;
/** Decoded blocks that a thread keeps, by the transactions in them: one counts once, and once for each so many bytes. */
export const CACHED_TRANSACTIONS = 8_192;
export const CACHED_TRANSACTION_BYTES = 4_096;
/** A log apart from its data. */
export const CACHED_LOG_BYTES = 512;
export const CACHED_HEADERS = 2_048;

/** What a call returns or reverts with: forty times the largest contract. */
export const MAX_CALL_OUTPUT_BYTES: number = MIB;
/** The part of a revert's text that is repeated in the message. */
export const MAX_REASON_BYTES = 1_024;
/** Entries of a call's access list, and slots of each. */
export const MAX_ACCESS_LIST = 1_000;

/** Addresses, and choices per topic, of a log filter. */
export const MAX_FILTER_CHOICES = 1_000;
/** A filter or subscription that is kept counts as one for each so many of its choices: they are what it takes. */
export const CHOICES_PER_FILTER = 50;
/** A log has no more: LOG4. */
export const MAX_TOPICS = 4;
/** The members of a log in JSON apart from its data. */
export const LOG_JSON_BYTES = 700;
/** Blocks of one eth_feeHistory: Ethereum nodes allow as many. */
export const MAX_FEE_HISTORY = 1_024;
export const MAX_PERCENTILES = 100;

/** Accounts that a call may override, and slots of each. */
export const MAX_OVERRIDES = 1_000;
export const MAX_OVERRIDDEN_SLOTS = 10_000;
/** Blocks of one eth_simulateV1, those it leaves out counted, and calls of all of them. */
export const MAX_SIMULATED_BLOCKS = 256;
export const MAX_SIMULATED_CALLS = 1_000;
/** A trace as JSON, about; what would be longer is refused. */
export const MAX_TRACE_BYTES: number = 16 * MIB;
/** Trials of eth_createAccessList until its list stays as it is. */
export const MAX_ACCESS_LIST_TRIALS = 10;
/** Accounts of one eth_getStorageValues, and slots of all of them or of one proof. */
export const MAX_STORAGE_ACCOUNTS = 100;
export const MAX_STORAGE_SLOTS = 1_024;
/** Transactions that one txpool_content shows. */
export const MAX_POOL_CONTENT = 10_000;
/** And what they take together: as JSON, twice that and six hundred bytes each, they fit into an answer. */
export const MAX_POOL_CONTENT_BYTES: number = 8 * MIB;
/** How long eth_sendRawTransactionSync waits where nothing else is said, and at most. */
export const SYNC_MILLISECONDS = 10_000;
export const MAX_SYNC_MILLISECONDS = 60_000;
/** How many of these wait at one time, and what part of them for one address; loopback may have all. */
export const MAX_SYNC_WAITS = 1_024;
export const SYNC_WAITS_SHARE: number = 1 / 4;
/** Epochs whose seals one light-client proof carries. */
export const MAX_PROOF_EPOCHS = 256;
