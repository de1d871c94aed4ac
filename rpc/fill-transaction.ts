/** What a caller leaves open of a transaction, filled in: nonce, gas, fees. */
import type { Address } from "../vm/state/account.ts";
import type { UnsignedTransaction } from "../vm/transaction/transaction.ts";
import { LATEST } from "./block-reference.ts";
import { type CallRequest, requireChain } from "./call-request.ts";
import { jobBlock } from "./calls/job-block.ts";
import type { RpcContext } from "./method.ts";
import { NO_BLOCK_OVERRIDES, NO_OVERRIDES } from "./state-override.ts";
import { nextBlockBaseFee, SUGGESTED_TIP } from "./suggested-fees.ts";

export async function fillTransaction(context: RpcContext, request: CallRequest): Promise<UnsignedTransaction> {
  const { chain, job, wait } = context;
  const { chainId } = chain.spec;
  requireChain(request, chainId);
  const from: Address = request.from ?? "0x0000000000000000000000000000000000000000";
  const place = { block: jobBlock(chain, LATEST), stateOverrides: NO_OVERRIDES, blockOverrides: NO_BLOCK_OVERRIDES };
  return {
    chainId,
    nonce: request.nonce ?? (await wait(Promise.resolve(chain.nextNonce(from)))),
    ...feesOf(context, request),
    gasLimit: request.gasLimit ?? (await job("estimateGas", { request, ...place })),
    to: request.to,
    value: request.value,
    data: request.data,
    accessList: request.accessList ?? [],
  };
}

type Fees = Pick<UnsignedTransaction, "type" | "maxFeePerGas" | "maxPriorityFeePerGas">;

/** The base fee may double before the transaction is too cheap. */
function feesOf({ chain }: RpcContext, request: CallRequest): Fees {
  const { gasPrice, accessList, type } = request;
  if (gasPrice !== undefined || type === 0n || type === 1n) {
    const price = gasPrice ?? nextBlockBaseFee(chain) + SUGGESTED_TIP;
    const isPlain = type === 0n || (type === undefined && accessList === undefined);
    return { type: isPlain ? 0 : 1, maxFeePerGas: price, maxPriorityFeePerGas: price };
  }
  const given = request.maxFeePerGas;
  const tip = request.maxPriorityFeePerGas ?? (given !== undefined && given < SUGGESTED_TIP ? given : SUGGESTED_TIP);
  return { type: 2, maxFeePerGas: given ?? 2n * nextBlockBaseFee(chain) + tip, maxPriorityFeePerGas: tip };
}
