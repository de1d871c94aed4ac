import { environmentOf } from "../chain/blocks/environment-of.ts";
import type { StoredHeader } from "../chain/store/block-records.ts";
import type { BlockEnvironment } from "../vm/execution/environment.ts";
import type { ChainReads } from "./chain-view.ts";

/** A call sees the block on whose state it runs, as Ethereum's clients have it. */
export function callEnvironment(chain: ChainReads, { header }: StoredHeader): BlockEnvironment {
  return environmentOf(header, (number) => chain.header(Number(number))?.hash);
}
