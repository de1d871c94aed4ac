import { isCoded } from "../../base/errors.ts";
import { formatOgpu } from "../../base/units.ts";
import { TRANSACTION_GAS_CAP } from "../../genesis/verify-parameters.ts";
import type { CallMessage } from "../../vm/execution/call-message.ts";
import { estimateGas, type GasEstimate } from "../../vm/execution/estimate-gas.ts";
import { isModuleAddress } from "../../vm/modules/addresses.ts";
import type { StateReader } from "../../vm/state/reader.ts";
import { transactionError } from "../../vm/transaction/errors.ts";
import { callFailure, messageOf, requireChain } from "../call-request.ts";
import { REFUSED, RpcError } from "../rpc-error.ts";
import { SUGGESTED_TIP } from "../suggested-fees.ts";
import type { CallJobRequest } from "./call-job.ts";
import { callSetting } from "./call-setting.ts";
import type { JobContext } from "./job-context.ts";

/**
 * Native modules keep what is due, and who is in line, for everybody together: what one of their functions costs changes
 * with what others do until it is in a block, and a limit that is right to the unit would often be too low. What is not
 * needed is not paid.
 */
const MODULE_PERCENT = 150n;
const MODULE_EXTRA = 200_000n;

/**
 * The least gas limit with which the call succeeds; where it changes something in a native module, with room for others to
 * come first. Throws what eth_estimateGas answers with.
 */
export async function estimateJob(context: JobContext, { request, ...place }: CallJobRequest): Promise<bigint> {
  requireChain(request, context.spec.chainId);
  const { state, environment, precompiles } = callSetting(context, place);
  const wanted = messageOf(request, environment, context.limits.callGas);
  const message = affordable(state, wanted);
  const call: typeof context.caller.call = (...args) => {
    const [of, within, what] = args;
    return context.caller.call(of, within, what, { precompiles });
  };
  const estimate = await estimateGas({ call }, state, environment, message).catch((error: unknown) => {
    throw message.gasLimit < wanted.gasLimit ? lackOfMoney(error, state, wanted) : error;
  });
  if (!("failed" in estimate)) {
    const price = request.maxFeePerGas ?? request.gasPrice ?? 2n * (environment.baseFeePerGas + SUGGESTED_TIP);
    return withRoom(estimate, leastOf(message.gasLimit, TRANSACTION_GAS_CAP, gasFor(state, message, price)));
  }
  if (estimate.failed.failure !== "out of gas") throw callFailure(estimate.failed, message.gasLimit);
  throw new RpcError(REFUSED, `gas required exceeds allowance (${message.gasLimit})`, {
    code: "CALL_FAILED",
    gasLimit: message.gasLimit.toString(),
  });
}

/** No more than `most` of it, which may be less than is needed. */
function withRoom({ gas, outcome }: GasEstimate, most: bigint): bigint {
  const changed = [...outcome.changes().storage].filter(([, slots]) => slots.size > 0);
  if (!changed.some(([address]) => isModuleAddress(address))) return gas;
  const roomy = leastOf((gas * MODULE_PERCENT) / 100n + MODULE_EXTRA, most);
  return roomy > gas ? roomy : gas;
}

function leastOf(...values: readonly bigint[]): bigint {
  return values.reduce((least, value) => (value < least ? value : least));
}

/** What the sender's money buys at that price, beside what it sends. */
function gasFor(state: StateReader, message: CallMessage, price: bigint): bigint {
  const left = balanceOf(state, message) - message.value;
  return price === 0n ? TRANSACTION_GAS_CAP : left / price;
}

/** A sender who pays for gas has no more of it than its money buys. */
function affordable(state: StateReader, message: CallMessage): CallMessage {
  const { value, gasPrice, gasLimit } = message;
  if (balanceOf(state, message) < value) throw insufficientFunds(state, message, 0n);
  if (gasPrice === 0n) return message;
  const allowance = gasFor(state, message, gasPrice);
  return allowance < gasLimit ? { ...message, gasLimit: allowance } : message;
}

/** Where money bounds the gas, too little gas for any transaction is too little money, and libraries look for that. */
function lackOfMoney(error: unknown, state: StateReader, wanted: CallMessage): unknown {
  if (!isCoded(error, "TX_INTRINSIC_GAS_TOO_LOW", "TX_CALLDATA_FLOOR_TOO_LOW")) return error;
  const gas = error.data["needed"] as bigint;
  return wanted.gasLimit < gas ? error : insufficientFunds(state, wanted, gas);
}

/** To pay for so much gas, and to send the value. */
function insufficientFunds(state: StateReader, message: CallMessage, gas: bigint): Error {
  const balance = balanceOf(state, message);
  const needed = gas * message.gasPrice + message.value;
  const [needs, has] = [formatOgpu(needed), formatOgpu(balance)];
  const text = `needs ${needs} oGPU, the sender has ${has} oGPU`;
  return transactionError("TX_INSUFFICIENT_FUNDS", text, { needed, balance });
}

function balanceOf(state: StateReader, { from }: CallMessage): bigint {
  return state.account(from)?.balance ?? 0n;
}
