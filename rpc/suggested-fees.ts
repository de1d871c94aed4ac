/** What a transaction should offer. */
import { GWEI } from "../base/units.ts";
import { nextBaseFee } from "../vm/execution/fees.ts";
import type { ChainView } from "./chain-view.ts";

/** Blocks are not full: any tip is served, and this one is what wallets offer elsewhere. */
export const SUGGESTED_TIP: bigint = GWEI;

export function nextBlockBaseFee(chain: ChainView): bigint {
  return nextBaseFee(chain.head.header);
}
