import type { StateReader } from "../vm/state/reader.ts";
import { type BlockReference, requireBlock } from "./block-reference.ts";
import type { ChainReads } from "./chain-view.ts";

/** The state after the block that the reference names. */
export function stateOf(chain: ChainReads, reference: BlockReference): StateReader {
  return chain.stateAt(Number(requireBlock(chain, reference).header.number));
}
