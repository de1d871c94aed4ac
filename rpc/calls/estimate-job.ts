import { formatOgpu } from "../../base/units.ts";
import { TRANSACTION_GAS_CAP } from "../../genesis/verify-parameters.ts";
import type { CallMessage } from "../../vm/execution/call-message.ts";
import { estimateGas, type GasEstimate } from "../../vm/execution/estimate-gas.ts";
import { isModuleAddress } from "../../vm/modules/addresses.ts";
import type { StateReader } from "../../vm/state/reader.ts";
import { transactionError } from "../../vm/transaction/errors.ts";
import { callFailure, messageOf } from "../call-request.ts";
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
  const { state, environment, precompiles } = callSetting(context, place);
  const message = affordable(state, messageOf(request, environment, context.limits.callGas));
  const call: typeof context.caller.call = (...args) => {
    const [of, within, what] = args;
    return context.caller.call(of, within, what, { precompiles });
  };
  const estimate = await estimateGas({ call }, state, environment, message);
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
function gasFor(state: StateReader, { from, value }: CallMessage, price: bigint): bigint {
  const left = (state.account(from)?.balance ?? 0n) - value;
  return price === 0n ? TRANSACTION_GAS_CAP : left / price;
}

/** A sender who pays for gas has no more of it than its money buys. */
function affordable(state: StateReader, message: CallMessage): CallMessage {
  const { from, value, gasPrice, gasLimit } = message;
  const balance = state.account(from)?.balance ?? 0n;
  if (balance < value) {
    const [needs, has] = [formatOgpu(value), formatOgpu(balance)];
    throw transactionError("TX_INSUFFICIENT_FUNDS", `sends ${needs} oGPU, has ${has} oGPU`, { needed: value, balance });
  }
  if (gasPrice === 0n) return message;
  const allowance = gasFor(state, message, gasPrice);
  return allowance < gasLimit ? { ...message, gasLimit: allowance } : message;
}
