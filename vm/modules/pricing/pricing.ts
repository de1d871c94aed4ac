/** The pricing module: what compute costs now, for each tier of hardware. */
import { pricingAbi } from "../../interfaces/abi/pricing.ts";
import { PRICING_ADDRESS } from "../addresses.ts";
import { defineModule, type NativeModule } from "../module.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import type { ParameterStore } from "../parameter-store.ts";
import { MAX_TIER } from "../providers/limits.ts";
import { quote, tierPrice } from "./base-price.ts";

export function createPricingModule(parameters: ParameterStore): NativeModule {
  return defineModule({
    name: "pricing",
    address: PRICING_ADDRESS,
    abi: pricingAbi,
    parameters,
    handlers: {
      quote: (call, tier, computeUnits) => quote(call, checkTier(tier), computeUnits),
      priceOf: (call, tier) => tierPrice(call, checkTier(tier)).price,
      tierOf: (call, tier) => tierView(call, checkTier(tier)),
      tiers: (call) => Array.from({ length: MAX_TIER + 1 }, (_, tier) => tierView(call, tier)),
    },
  });
}

function checkTier(tier: number): number {
  if (tier > MAX_TIER) throw revertWith(pricingAbi, "BadTier", [tier, MAX_TIER]);
  return tier;
}

function tierView(call: ModuleCall, tier: number): Record<string, unknown> {
  return { tier, ...tierPrice(call, tier) };
}
