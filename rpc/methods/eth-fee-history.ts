import type { StoredHeader } from "../../chain/store/block-records.ts";
import { nextBaseFee } from "../../vm/execution/fees.ts";
import { blockReference, requireBlock } from "../block-reference.ts";
import type { ChainView } from "../chain-view.ts";
import { quantityText } from "../format.ts";
import { MAX_FEE_HISTORY, MAX_PERCENTILES } from "../limits.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { list, optional, type Parameter, percentile, quantity } from "../parameters.ts";
import { invalidParams } from "../rpc-error.ts";

/** A quantity; some libraries send a plain number. */
const blockCount: Parameter<bigint> = {
  wanted: "how many blocks",
  read: (value, where) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= 0
      ? BigInt(value)
      : quantity.read(value, where),
};

/** What recent blocks asked for and what their transactions paid, from which wallets make their suggestions. */
export const ethFeeHistory: RpcMethod = defineMethod({
  name: "eth_feeHistory",
  parameters: [blockCount, blockReference, optional(list(percentile, MAX_PERCENTILES), [])],
  run: async ({ chain, turn }, wanted, newest, percentiles) => {
    if (percentiles.some((value, index) => index > 0 && value < (percentiles[index - 1] as number))) {
      throw invalidParams("percentiles must not decrease");
    }
    const last = requireBlock(chain, newest);
    const lastNumber = Number(last.header.number);
    const count = Math.min(Number(wanted), MAX_FEE_HISTORY, lastNumber + 1);
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
      baseFeePerGas: [...blocks.map(({ header }) => header.baseFeePerGas), nextBaseFee(last.header)].map(quantityText),
      gasUsedRatio: blocks.map(({ header }) => Number(header.gasUsed) / Number(header.gasLimit)),
      ...(percentiles.length > 0 && { reward }),
    };
  },
});

/** The tips at these percentiles of the block's gas, lowest tip first. Zero for an empty block. */
function rewards(chain: ChainView, { header }: StoredHeader, percentiles: readonly number[]): readonly string[] {
  const receipts = chain.receipts(Number(header.number)) ?? [];
  const tips = receipts
    .map(({ gasUsed, effectiveGasPrice }) => ({ gasUsed, tip: effectiveGasPrice - header.baseFeePerGas }))
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
