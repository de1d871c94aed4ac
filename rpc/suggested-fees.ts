/** What a transaction should offer. */

import { GWEI } from "../base/units.ts";
import { baseFeeAfter } from "../chain/blocks/header.ts";
import type { ChainReads } from "./chain-view.ts";

/** Blocks are not full: any tip is served, and this one is what wallets offer elsewhere. */
export const SUGGESTED_TIP: bigint = GWEI;

export function nextBlockBaseFee(chain: ChainReads): bigint {
  return baseFeeAfter(chain.head.header);
}
