/** One block of a simulation: its header, and what becomes of its calls. */
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { formatOgpu } from "../../../base/units.ts";
import type { CallMessage, CallOutcome } from "../../../vm/execution/call-message.ts";
import type { BlockEnvironment } from "../../../vm/execution/environment.ts";
import type { Log } from "../../../vm/receipt/log.ts";
import type { Receipt } from "../../../vm/receipt/receipt.ts";
import type { Address } from "../../../vm/state/account.ts";
import type { GrowingOverlay } from "../../../vm/state/growing-overlay.ts";
import { applyOverrides } from "../../../vm/state/state-override.ts";
import { transactionError } from "../../../vm/transaction/errors.ts";
import { decodeTransaction, encodeSigned, type Transaction } from "../../../vm/transaction/transaction.ts";
import { type CallRequest, messageOf, requireBaseFee, requireChain } from "../../call-request.ts";
import { RpcError } from "../../rpc-error.ts";
import type { SimulatedBlockRequest } from "../../simulate-request.ts";
import type { JobContext } from "../job-context.ts";
import { precompileMoves } from "../precompile-moves.ts";
import { BLOCK_GAS_EXCEEDED } from "./simulate-errors.ts";
import { TransferListener } from "./transfer-listener.ts";

export interface SimulatedCall {
  readonly transaction: Transaction;
  readonly sender: Address;
  readonly outcome: CallOutcome;
  readonly receipt: Receipt;
  readonly logs: readonly Log[];
}

export interface SimulateOptions {
  readonly traceTransfers: boolean;
  readonly validation: boolean;
  /** Called after each call; what it throws ends the simulation. */
  readonly onCall: (call: SimulatedCall) => void;
}

/** Runs the calls, one after the other, and leaves what they change in `state`. */
export async function runCalls(
  context: JobContext,
  state: GrowingOverlay,
  environment: BlockEnvironment,
  { calls, stateOverrides }: SimulatedBlockRequest,
  options: SimulateOptions,
): Promise<readonly SimulatedCall[]> {
  const precompiles = precompileMoves(stateOverrides, context.rules.fork);
  applyOverrides(state, stateOverrides);
  const done: SimulatedCall[] = [];
  let gasUsed = 0n;
  for (const request of calls) {
    const left = environment.gasLimit - gasUsed;
    requireChain(request, context.rules.chainId, "parameter 1 (payload).blockStateCalls[].calls[]");
    // Before the sender's money and nonce are looked at, as Ethereum's clients do.
    if (options.validation) requireBaseFee(request, environment.baseFeePerGas);
    const message = messageWithin(request, environment, left, context.limits.callGas);
    const nonce = checkSender(state, request, message, options);
    const listener = new TransferListener();
    const watching = options.traceTransfers ? { precompiles, listener } : { precompiles };
    const outcome = await context.caller.call(state, environment, message, watching);
    const logs = options.traceTransfers ? listener.logs : outcome.logs;
    gasUsed += outcome.gasUsed;
    const transaction = transactionOf(context, request, message, nonce);
    const receipt = receiptOf(outcome, logs, message, gasUsed);
    const call: SimulatedCall = { transaction, sender: message.from, outcome, logs, receipt };
    options.onCall(call);
    done.push(call);
    state.apply(outcome.changes());
  }
  return done;
}

function messageWithin(
  request: CallRequest,
  environment: BlockEnvironment,
  left: bigint,
  callGas: number,
): CallMessage {
  if ((request.gasLimit ?? 0n) > left) {
    throw new RpcError(BLOCK_GAS_EXCEEDED, `block gas limit reached: ${request.gasLimit} wanted, ${left} left`);
  }
  return messageOf(request, { ...environment, gasLimit: left }, callGas);
}

/** The nonce that the call has. Whether it fits is looked at only when the caller wants it. Contracts may call anyhow. */
function checkSender(
  state: GrowingOverlay,
  request: CallRequest,
  message: CallMessage,
  { validation }: SimulateOptions,
): bigint {
  const account = state.account(message.from);
  const expected = account?.nonce ?? 0n;
  const nonce = request.nonce ?? expected;
  if (!validation) return nonce;
  if (nonce < expected) throw transactionError("TX_NONCE_TOO_LOW", `nonce ${nonce} was used, the next is ${expected}`);
  if (nonce > expected) throw transactionError("TX_NONCE_TOO_HIGH", `nonce ${nonce} has to wait for ${expected}`);
  const cost = message.gasLimit * message.gasPrice + message.value;
  const balance = account?.balance ?? 0n;
  if (balance < cost) {
    const [needs, has] = [formatOgpu(cost), formatOgpu(balance)];
    throw transactionError("TX_INSUFFICIENT_FUNDS", `needs ${needs} oGPU, the sender has ${has} oGPU`);
  }
  return nonce;
}

/** As a transaction without a signature, so that it has a hash. */
function transactionOf(
  { rules }: JobContext,
  request: CallRequest,
  { to, value, data, gasLimit, gasPrice, accessList }: CallMessage,
  nonce: bigint,
): Transaction {
  const fees = {
    maxFeePerGas: request.maxFeePerGas ?? gasPrice,
    maxPriorityFeePerGas: request.maxPriorityFeePerGas ?? gasPrice,
  };
  const unsigned = { type: 2, chainId: rules.chainId, nonce, ...fees, gasLimit, to, value, data, accessList } as const;
  return decodeTransaction(encodeSigned(unsigned, { r: 0n, s: 0n, yParity: 0 }));
}

function receiptOf(
  { succeeded, gasUsed, createdAddress, output }: CallOutcome,
  logs: readonly Log[],
  { gasPrice }: CallMessage,
  cumulativeGasUsed: bigint,
): Receipt {
  const gas = { gasUsed, cumulativeGasUsed, effectiveGasPrice: gasPrice };
  return { type: 2, succeeded, ...gas, logs, createdAddress, output };
}

export function hashOf({ transaction }: SimulatedCall): Hex {
  return bytesToHex(transaction.hash);
}
