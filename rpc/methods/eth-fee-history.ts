import { baseFeeAfter } from "../../chain/blocks/header.ts";
import type { StoredHeader } from "../../chain/store/block-records.ts";
import { SYSTEM_RECEIPT_TYPE } from "../../vm/receipt/receipt.ts";
import { blockReference, prunedError, requireBlock } from "../block-reference.ts";
import type { ChainReads } from "../chain-view.ts";
import { quantityText } from "../format.ts";
import { MAX_FEE_HISTORY, MAX_PERCENTILES } from "../limits.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { list, named, optional, type Parameter, percentile, quantity } from "../parameters.ts";
import { invalidParams } from "../rpc-error.ts";
import { listOf, objectOf, QUANTITY } from "../schema.ts";

/** A quantity; some libraries send a plain number. */
const blockCount: Parameter<bigint> = {
  name: "blockCount",
  wanted: "how many blocks",
  schema: { anyOf: [quantity.schema, { type: "integer", minimum: 0 }] },
  read: (value, where) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= 0
      ? BigInt(value)
      : quantity.read(value, where),
};

export const ethFeeHistory: RpcMethod = defineMethod({
  name: "eth_feeHistory",
  summary: "What recent blocks asked for and what their transactions paid, from which wallets make their suggestions.",
  result: objectOf(
    { oldestBlock: QUANTITY, baseFeePerGas: listOf(QUANTITY), gasUsedRatio: listOf({ type: "number" }) },
    { reward: listOf(listOf(QUANTITY)) },
  ),
  parameters: [blockCount, blockReference, optional(named("percentiles", list(percentile, MAX_PERCENTILES)), [])],
  run: async ({ chain, turn }, wanted, newest, percentiles) => {
    if (percentiles.some((value, index) => index > 0 && value < (percentiles[index - 1] as number))) {
      throw invalidParams("percentiles must not decrease");
    }
    const last = requireBlock(chain, newest);
    const lastNumber = Number(last.header.number);
    // A node that began with a snapshot lacks what was before it, but for some headers.
    const kept = chain.base === 0 ? 0 : chain.base + 1;
    if (lastNumber < kept) throw prunedError(chain.base);
    const count = Math.min(Number(wanted), MAX_FEE_HISTORY, lastNumber + 1 - kept);
    const oldest = lastNumber + 1 - count;
    const blocks = Array.from({ length: count }, (_, index) => chain.header(oldest + index)).filter(
      (block) => block !== undefined,
    );
    const reward: (readonly string[])[] = [];
    for (const block of percentiles.length > 0 ? blocks : []) {
      await turn();
      reward.push(rewards(chain, block, percentiles));
    }
    return {
      oldestBlock: quantityText(oldest),
      baseFeePerGas: [...blocks.map(({ header }) => header.baseFeePerGas), baseFeeAfter(last.header)].map(quantityText),
      gasUsedRatio: blocks.map(({ header }) => Number(header.gasUsed) / Number(header.gasLimit)),
      ...(percentiles.length > 0 && { reward }),
    };
  },
});

/** The tips at these percentiles of the block's gas, lowest tip first. Zero for an empty block. */
function rewards(chain: ChainReads, { header }: StoredHeader, percentiles: readonly number[]): readonly string[] {
  const receipts = chain.receipts(Number(header.number)) ?? [];
  const tips = receipts
    // The protocol's own work pays nothing.
    .filter(({ type }) => type !== SYSTEM_RECEIPT_TYPE)
    .map(({ gasUsed, effectiveGasPrice }) => ({ gasUsed, tip: effectiveGasPrice - header.baseFeePerGas }))
    // Of those whose turn it was: they did not pay this base fee.
    .map(({ gasUsed, tip }) => ({ gasUsed, tip: tip < 0n ? 0n : tip }))
    .sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0));
  return percentiles.map((wanted) => {
    const threshold = (Number(header.gasUsed) * wanted) / 100;
    let gas = 0;
    const found = tips.find(({ gasUsed }) => {
      gas += Number(gasUsed);
      return gas >= threshold;
    });
    return quantityText(found?.tip ?? 0n);
  });
}
