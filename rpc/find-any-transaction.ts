import { bytesToHex } from "../base/bytes.ts";
import type { RecoveredTransaction } from "../vm/execution/execute-block.ts";
import { type FoundTransaction, findTransaction } from "./find-transaction.ts";
import type { RpcContext } from "./method.ts";

/** A transaction of a block, or one that waits, which has no place. */
export async function findAnyTransaction(
  { chain, wait }: Pick<RpcContext, "chain" | "wait">,
  hash: Uint8Array,
): Promise<FoundTransaction | (RecoveredTransaction & { readonly place?: undefined }) | undefined> {
  const found = findTransaction(chain, hash);
  if (found !== undefined) return found;
  const waiting = await wait(Promise.resolve(chain.waiting(bytesToHex(hash))));
  // While the node was asked it may have got into a block: then it waits no more, and is here by now.
  return waiting ?? findTransaction(chain, hash);
}
