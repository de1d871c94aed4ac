import type { Detector, Finding, ModuleEvent, WatchedBlock } from "../anomaly.ts";
import { PRICE_BLOCKS, PRICE_TIMES } from "../limits.ts";

interface Seen {
  readonly block: number;
  readonly price: bigint;
}

/** Prices that double within a few blocks: of gas, and of compute units per tier. */
export class PriceSpikes implements Detector {
  private readonly histories = new Map<string, Seen[]>();

  onBlock(block: WatchedBlock): readonly Finding[] {
    const gas = this.look("gas", block.number, block.baseFeePerGas);
    const tiers = block.events.filter(isPrice).flatMap(({ args }) => {
      return this.look(`tier ${String(args["tier"])}`, block.number, args["price"]);
    });
    return [...gas, ...tiers];
  }

  private look(what: string, block: number, price: bigint): readonly Finding[] {
    const history = (this.histories.get(what) ?? []).filter((seen) => seen.block > block - PRICE_BLOCKS);
    const lowest = history.reduce<Seen | undefined>(
      (least, seen) => (least && least.price <= seen.price ? least : seen),
      undefined,
    );
    const isSpike = lowest !== undefined && lowest.price > 0n && price >= PRICE_TIMES * lowest.price;
    // After a spike the new price is what the next one is measured by, or every block would tell of the same.
    this.histories.set(what, isSpike ? [{ block, price }] : [...history, { block, price }]);
    if (!isSpike) return [];
    return [
      {
        kind: "price-spike",
        severity: "warning",
        message: `The price of ${what === "gas" ? "gas" : `compute of ${what}`} went from ${lowest.price} to ${price} wei within ${block - lowest.block} blocks.`,
        data: { what, before: lowest.price.toString(), price: price.toString(), blocks: block - lowest.block },
      },
    ];
  }
}

/** A module's word on the price of a tier, whichever event carries it. */
function isPrice(event: ModuleEvent): event is ModuleEvent & { readonly args: { readonly price: bigint } } {
  return "tier" in event.args && typeof event.args["price"] === "bigint";
}
