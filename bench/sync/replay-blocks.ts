/** A node that is behind executes the blocks that its peers send: decode, recover senders, execute, compare, write. */
import { assert, CodedError } from "../../base/errors.ts";
import { decodeBlock, splitBlock } from "../../chain/blocks/block.ts";
import { consensusBlockOf } from "../../chain/blocks/consensus-block.ts";
import { environmentOf } from "../../chain/blocks/environment-of.ts";
import { hashHeader } from "../../chain/blocks/header.ts";
import { verifyExecuted } from "../../chain/blocks/next-header.ts";
import type { RecoveryResult, SenderPool } from "../../chain/senders/sender-pool.ts";
import type { ChainStore } from "../../chain/store/chain-store.ts";
import { FinalisedChain } from "../../chain/store/finalised-chain.ts";
import { BlockExecutor, type RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import { RULES } from "../transfers/our-chain.ts";

/** Blocks of one answer of a peer (`fetch-finals`), which can be decoded and recovered while others execute. */
const BLOCKS_AHEAD = 32;

/** The number of blocks, when the last is durable. */
export async function replayBlocks(
  store: ChainStore,
  pool: SenderPool,
  blocks: readonly Uint8Array[],
): Promise<number> {
  const chain = new FinalisedChain(store);
  const executor = new BlockExecutor(RULES);
  const recovering: Promise<readonly RecoveryResult[]>[] = [];
  const durable: Promise<void>[] = [];
  for (const [index, encoded] of blocks.entries()) {
    while (recovering.length <= index + BLOCKS_AHEAD && recovering.length < blocks.length) {
      recovering.push(
        pool.recover(splitBlock(consensusBlockOf(blocks[recovering.length] as Uint8Array).body).transactions),
      );
    }
    const transactions = good(await (recovering[index] as Promise<readonly RecoveryResult[]>));
    await chain.room();
    const { header } = decodeBlock(encoded);
    const environment = environmentOf(header, (number) => chain.blockHash(number));
    const executed = executor.execute(chain.state(), environment, transactions);
    verifyExecuted(header, executed);
    durable.push(chain.append({ header, hash: hashHeader(header), executed }));
  }
  await Promise.all(durable);
  return blocks.length;
}

function good(results: readonly RecoveryResult[]): RecoveredTransaction[] {
  return results.map((result) => {
    assert(!(result instanceof CodedError), "the transactions of the chain are good");
    return result;
  });
}

/** All blocks above genesis as peers send them. */
export function encodedBlocks(store: ChainStore): Uint8Array[] {
  return Array.from({ length: store.head?.number ?? 0 }, (_, i) => {
    const encoded = store.encodedBlock(i + 1);
    assert(encoded !== undefined, "the chain has its blocks");
    return encoded;
  });
}
