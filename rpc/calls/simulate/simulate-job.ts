/** Runs blocks of calls on top of a block, one after the other, as if they had been made (eth_simulateV1). */
import { bytesToHex } from "../../../base/bytes.ts";
import { encodeBlock } from "../../../chain/blocks/block.ts";
import { type BlockHeader, baseFeeAfter, hashHeader } from "../../../chain/blocks/header.ts";
import type { StoredHeader } from "../../../chain/store/block-records.ts";
import type { BlockEnvironment } from "../../../vm/execution/environment.ts";
import { orderedRoot } from "../../../vm/patricia-root.ts";
import { bloomOfLogs, unionOfBlooms } from "../../../vm/receipt/bloom.ts";
import { encodeReceipt } from "../../../vm/receipt/receipt.ts";
import { GrowingOverlay } from "../../../vm/state/growing-overlay.ts";
import { callEnvironment } from "../../call-environment.ts";
import { outputText, revertMessage } from "../../call-request.ts";
import { headerJson, logJson, quantityText, transactionJson } from "../../format.ts";
import { LOG_JSON_BYTES, MAX_SIMULATED_BLOCKS } from "../../limits.ts";
import { responseTooLarge } from "../../request-budget.ts";
import { RpcError } from "../../rpc-error.ts";
import type { SimulatedBlockRequest, SimulateRequest } from "../../simulate-request.ts";
import { overriddenEnvironment } from "../../state-override.ts";
import { blockWithState, type JobBlock } from "../job-block.ts";
import type { JobContext } from "../job-context.ts";
import {
  EXECUTION_FAILED,
  NUMBER_NOT_LATER,
  simulateError,
  TIME_NOT_LATER,
  TOO_MANY_BLOCKS,
} from "./simulate-errors.ts";
import { hashOf, runCalls, type SimulatedCall } from "./simulated-block.ts";

/** The members of a call's outcome in JSON apart from its bytes. */
const CALL_JSON_BYTES = 200;

export interface SimulateJobRequest {
  readonly block: JobBlock;
  readonly request: SimulateRequest;
}

/** The blocks, as JSON, which is written here because there may be much of it. */
export async function simulateJob(context: JobContext, { block, request }: SimulateJobRequest): Promise<string> {
  const { block: base, state: below } = blockWithState(context, block);
  const state = new GrowingOverlay(below);
  const made = new Map<bigint, Uint8Array>();
  const blocks: object[] = [];
  const take = answerRoom(context.limits.answerBytes);
  let parent = base;
  for (const wanted of withGaps(request.blocks, base.header.number)) {
    const environment = environmentAfter(context, parent, wanted, request.validation, made);
    try {
      const calls = await runCalls(context, state, environment, wanted, { ...request, onCall: take });
      const stored = blockOf(parent.header, environment, calls);
      made.set(environment.number, stored.hash);
      blocks.push(blockJson(stored, calls, request.returnFullTransactions));
      parent = stored;
    } catch (error) {
      throw simulateError(error);
    }
  }
  return JSON.stringify(blocks);
}

/** Told of each call before the next one runs: what cannot be sent is not gathered either. Throws RESPONSE_TOO_LARGE. */
function answerRoom(most: number): (call: SimulatedCall) => void {
  let left = most;
  return ({ outcome, logs }) => {
    const logBytes = logs.reduce((sum, { data }) => sum + LOG_JSON_BYTES + 2 * data.length, 0);
    left -= CALL_JSON_BYTES + 2 * outcome.output.length + logBytes;
    if (left < 0) throw responseTooLarge(most);
  };
}

/** A number that is further than the next leaves empty blocks between. */
function withGaps(blocks: readonly SimulatedBlockRequest[], base: bigint): readonly SimulatedBlockRequest[] {
  const all: SimulatedBlockRequest[] = [];
  let next = base + 1n;
  for (const block of blocks) {
    const number = block.blockOverrides.number ?? next;
    if (number < next) throw new RpcError(NUMBER_NOT_LATER, `block numbers must be in order: ${number} < ${next}`);
    if (number - base > BigInt(MAX_SIMULATED_BLOCKS)) throw new RpcError(TOO_MANY_BLOCKS, "too many blocks");
    for (; next < number; next++) all.push({ ...EMPTY, blockOverrides: { number: next } });
    all.push({ ...block, blockOverrides: { ...block.blockOverrides, number } });
    next = number + 1n;
  }
  return all;
}

const EMPTY: Omit<SimulatedBlockRequest, "blockOverrides"> = { stateOverrides: new Map(), calls: [] };

function environmentAfter(
  { chain, spec }: JobContext,
  parent: StoredHeader,
  { blockOverrides }: SimulatedBlockRequest,
  validation: boolean,
  made: ReadonlyMap<bigint, Uint8Array>,
): BlockEnvironment {
  const { header } = parent;
  const step = BigInt(Math.max(1, Math.round(spec.block.intervalMilliseconds / 1000)));
  const usual = {
    ...callEnvironment(chain, parent),
    number: header.number + 1n,
    timestamp: header.timestamp + step,
    baseFeePerGas: validation ? baseFeeAfter(header) : 0n,
    prevRandao: new Uint8Array(32),
    blockHash: (number: bigint) => made.get(number) ?? chain.header(Number(number))?.hash,
  };
  const environment = overriddenEnvironment(usual, blockOverrides);
  if (environment.timestamp <= header.timestamp) {
    throw new RpcError(
      TIME_NOT_LATER,
      `block timestamps must be in order: ${environment.timestamp} <= ${header.timestamp}`,
    );
  }
  return environment;
}

/** Nothing hashes a state that nobody keeps: its root is zeros. */
function blockOf(parent: BlockHeader, environment: BlockEnvironment, calls: readonly SimulatedCall[]): StoredHeader {
  const header: BlockHeader = {
    parentHash: hashHeader(parent),
    coinbase: environment.coinbase,
    stateRoot: new Uint8Array(32),
    transactionsRoot: orderedRoot(calls.map(({ transaction }) => transaction.raw)),
    receiptsRoot: orderedRoot(calls.map(({ receipt }) => encodeReceipt(receipt))),
    logsBloom: unionOfBlooms(calls.map(({ logs }) => bloomOfLogs(logs))),
    number: environment.number,
    gasLimit: environment.gasLimit,
    gasUsed: calls.reduce((sum, { outcome }) => sum + outcome.gasUsed, 0n),
    timestamp: environment.timestamp,
    extra: { ...parent.extra, milliseconds: 0, reservedGas: 0n, nextValidatorSetHash: new Uint8Array(0) },
    beacon: environment.prevRandao,
    baseFeePerGas: environment.baseFeePerGas,
  };
  return { header, hash: hashHeader(header) };
}

function blockJson(block: StoredHeader, calls: readonly SimulatedCall[], isFull: boolean): object {
  const transactions = calls.map(({ transaction }) => transaction.raw);
  let logIndex = 0;
  return {
    ...headerJson(block),
    totalDifficulty: quantityText(0),
    size: quantityText(encodeBlock({ header: block.header, transactions, nextValidators: undefined }).length),
    uncles: [],
    transactions: calls.map((call, index) =>
      isFull ? transactionJson(call.transaction, call.sender, { block, index }) : hashOf(call),
    ),
    calls: calls.map((call, index) => {
      const logs = call.logs.map((log) => logJson(log, hashOf(call), { block, index }, logIndex++));
      return callJson(call, logs);
    }),
  };
}

function callJson({ outcome }: SimulatedCall, logs: readonly object[]): object {
  const { succeeded, output, gasUsed, gasNeeded, failure = "" } = outcome;
  const isRevert = failure === "execution reverted";
  const result = {
    returnData: outputText(succeeded || isRevert ? output : new Uint8Array(0)),
    logs: succeeded ? logs : [],
    gasUsed: quantityText(gasUsed),
    maxUsedGas: quantityText(gasNeeded),
    status: quantityText(succeeded ? 1 : 0),
  };
  if (succeeded) return result;
  const error = isRevert
    ? { code: 3, message: revertMessage(output), data: bytesToHex(output) }
    : { code: EXECUTION_FAILED, message: `vm execution error: ${failure}` };
  return { ...result, error };
}
