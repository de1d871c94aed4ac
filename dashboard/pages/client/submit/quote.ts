/** What work costs now, as ogpu_quote has it. */
import type { Hex } from "viem";
import { numberToHex } from "viem";
import { ask } from "../../../state/node.ts";

export interface Quote {
  readonly price: bigint;
  readonly verification: bigint;
  readonly total: bigint;
  readonly lock: bigint;
  /** `undefined` where nobody has done such work yet. */
  readonly expectedSeconds: number | undefined;
  readonly devices: bigint;
  /** Shares in millionths. */
  readonly odds: readonly { readonly falsified: bigint; readonly caught: bigint }[];
}

interface QuoteJson {
  readonly price: Hex;
  readonly verification: Hex;
  readonly total: Hex;
  readonly lock: Hex;
  readonly expectedSeconds: Hex | null;
  readonly devices: Hex;
  readonly odds: readonly { readonly falsified: Hex; readonly caught: Hex }[];
}

export interface QuoteWords {
  readonly computeUnits: bigint;
  readonly tier: number;
  readonly seats: number;
}

export async function readQuote({ computeUnits, tier, seats }: QuoteWords): Promise<Quote> {
  const json = await ask<QuoteJson>("ogpu_quote", { computeUnits: numberToHex(computeUnits), tier, seats });
  return {
    ...{ price: BigInt(json.price), verification: BigInt(json.verification), total: BigInt(json.total) },
    ...{ lock: BigInt(json.lock), devices: BigInt(json.devices) },
    expectedSeconds: json.expectedSeconds === null ? undefined : Number(json.expectedSeconds),
    odds: json.odds.map(({ falsified, caught }) => ({ falsified: BigInt(falsified), caught: BigInt(caught) })),
  };
}
