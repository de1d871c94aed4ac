/** The object of eth_call and eth_estimateGas: a transaction that nobody has signed. */
import { bytesToHex, EMPTY_BYTES, equalBytes, type Hex } from "../base/bytes.ts";
import type { StoredHeader } from "../chain/store/block-records.ts";
import type { CallMessage, CallOutcome } from "../vm/execution/call-message.ts";
import type { Address } from "../vm/state/account.ts";
import type { AccessListEntry } from "../vm/transaction/transaction.ts";
import { MAX_ACCESS_LIST, MAX_CALL_GAS, MAX_CALL_OUTPUT_BYTES } from "./limits.ts";
import { address, data, list, member, members, type Parameter, quantity, slot } from "./parameters.ts";
import { decodeRevertReason } from "./revert-reason.ts";
import { EXECUTION_REVERTED, invalidParams, REFUSED, RpcError } from "./rpc-error.ts";

export interface CallRequest extends Omit<CallMessage, "gasLimit"> {
  readonly gasLimit: bigint | undefined;
}

const NOBODY: Address = "0x0000000000000000000000000000000000000000";

const accessEntry: Parameter<AccessListEntry> = {
  wanted: "an access list entry",
  read(value, where) {
    const holder = members(value, where);
    return {
      address: address.read(holder["address"], `${where}.address`),
      slots: list(slot, MAX_ACCESS_LIST).read(holder["storageKeys"] ?? [], `${where}.storageKeys`),
    };
  },
};

/** Fields that say nothing about how the call runs (nonce, chainId...) are passed over: libraries send them along. */
export const callRequest: Parameter<CallRequest> = {
  wanted: "a call: an object with to, data, value...",
  read(value, where) {
    const holder = members(value, where);
    const own = <Value>(name: string, parameter: Parameter<Value>): Value | undefined =>
      member(holder, name, parameter, where);
    const gasPrice = own("gasPrice", quantity);
    const maxFee = own("maxFeePerGas", quantity);
    if (gasPrice !== undefined && maxFee !== undefined) {
      throw invalidParams(`${where} has both gasPrice and maxFeePerGas`);
    }
    const input = own("input", data);
    const legacy = own("data", data);
    if (input !== undefined && legacy !== undefined && !equalBytes(input, legacy)) {
      throw invalidParams(`${where} has both data and input, and they differ`);
    }
    return {
      from: own("from", address) ?? NOBODY,
      to: own("to", address),
      value: own("value", quantity) ?? 0n,
      data: input ?? legacy ?? EMPTY_BYTES,
      gasLimit: own("gas", quantity),
      gasPrice: gasPrice ?? maxFee ?? 0n,
      accessList: own("accessList", list(accessEntry, MAX_ACCESS_LIST)) ?? [],
    };
  },
};

/** The call with all the gas that it may have. */
export function messageOf(request: CallRequest, { header }: StoredHeader): CallMessage {
  const most = header.gasLimit < MAX_CALL_GAS ? header.gasLimit : MAX_CALL_GAS;
  const wanted = request.gasLimit ?? most;
  return { ...request, gasLimit: wanted < most ? wanted : most };
}

/**
 * Why a call failed, as Ethereum's clients tell it: a revert with its reason in the message and its data in `data`.
 * Everything else that ends a call early takes all its gas and leaves no data.
 */
export function callFailure(outcome: CallOutcome, gasLimit: bigint): RpcError {
  const { output, gasNeeded } = outcome;
  if (output.length === 0 && gasNeeded === gasLimit) {
    return new RpcError(REFUSED, "out of gas, or an invalid instruction", {
      code: "CALL_FAILED",
      gasLimit: gasLimit.toString(),
    });
  }
  const reason = decodeRevertReason(output);
  const message = reason === undefined ? "execution reverted" : `execution reverted: ${reason}`;
  return new RpcError(EXECUTION_REVERTED, message, outputText(output));
}

/** What a call returned or reverted with. Throws CALL_OUTPUT_TOO_LARGE. */
export function outputText(output: Uint8Array): Hex {
  if (output.length <= MAX_CALL_OUTPUT_BYTES) return bytesToHex(output);
  throw new RpcError(REFUSED, `response too large: a call answers with at most ${MAX_CALL_OUTPUT_BYTES} bytes`, {
    code: "CALL_OUTPUT_TOO_LARGE",
    length: output.length,
  });
}
