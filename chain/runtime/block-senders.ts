/** The senders of a block's transactions: most of them wait in the mempool, where they were recovered already. */
import { bytesToHex } from "../../base/bytes.ts";
import { assert, CodedError } from "../../base/errors.ts";
import { keccak256 } from "../../base/keccak.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import { splitBlock } from "../blocks/block.ts";
import { blockError } from "../blocks/errors.ts";
import type { Block } from "../consensus/types.ts";
import type { Mempool } from "../mempool/mempool.ts";
import type { RecoveryResult } from "../senders/sender-pool.ts";
import type { HashedTransaction } from "./sender-cache.ts";

/** Throws BLOCK_TRANSACTION_INVALID. */
export async function recoverBlock(
  block: Block,
  mempool: Pick<Mempool, "get">,
  recover: (transactions: readonly HashedTransaction[]) => Promise<readonly RecoveryResult[]>,
): Promise<readonly RecoveredTransaction[]> {
  const transactions = splitBlock(block.body).transactions.map((raw) => ({ raw, hash: bytesToHex(keccak256(raw)) }));
  const known = transactions.map(({ hash }) => mempool.get(hash));
  const unknown = transactions.filter((_, index) => known[index] === undefined);
  if (unknown.length === 0) return known as RecoveredTransaction[];
  const recovered = await recover(unknown);
  let next = 0;
  return known.map((entry) => {
    if (entry !== undefined) return entry;
    const result = recovered[next++];
    assert(result !== undefined, "every transaction has an outcome");
    if (!(result instanceof CodedError)) return result;
    throw blockError("BLOCK_TRANSACTION_INVALID", `block ${block.height} has a bad transaction: ${result.message}`, {
      reason: result.code,
    });
  });
}
