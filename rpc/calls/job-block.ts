/**
 * The block that a job runs on. It is found where the request came in, on the RPC's thread, so that "latest" is the same
 * block for a call as for everything else that is asked there.
 */
import { isCoded } from "../../base/errors.ts";
import type { StoredHeader } from "../../chain/store/block-records.ts";
import type { StateReader } from "../../vm/state/reader.ts";
import { type BlockReference, requireBlock } from "../block-reference.ts";
import type { ChainReads } from "../chain-view.ts";
import type { JobContext } from "./job-context.ts";

export interface JobBlock {
  readonly number: number;
  /** Asked for as the last one: where its state is gone, that of a later block is as good. */
  readonly orLater: boolean;
}

export interface BlockWithState {
  readonly block: StoredHeader;
  readonly state: StateReader;
}

/** Throws BLOCK_UNKNOWN or BLOCK_PRUNED. */
export function jobBlock(chain: ChainReads, reference: BlockReference): JobBlock {
  const { header } = requireBlock(chain, reference);
  return { number: Number(header.number), orLater: "tag" in reference && reference.tag !== "earliest" };
}

/**
 * With the state after it. A worker that was busy while blocks went by has missed some: who asked for the last one gets a
 * later one instead, and the RPC's thread is told, so that nothing it answers afterwards is older. Throws STORE_NO_ARCHIVE.
 */
export function blockWithState({ chain, onLater }: JobContext, { number, orLater }: JobBlock): BlockWithState {
  const block = requireBlock(chain, { number: BigInt(number) });
  try {
    return { block, state: chain.stateAt(number) };
  } catch (error) {
    const { head } = chain;
    if (!orLater || !isCoded(error, "STORE_NO_ARCHIVE") || Number(head.header.number) <= number) throw error;
    onLater?.();
    return { block: head, state: chain.stateAt(Number(head.header.number)) };
  }
}
