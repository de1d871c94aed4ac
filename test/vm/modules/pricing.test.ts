import { describe, expect, it } from "vitest";
import { OGPU } from "../../../base/units.ts";
import { pricingAbi } from "../../../vm/interfaces/abi/pricing.ts";
import { PRICING_ADDRESS } from "../../../vm/modules/addresses.ts";
import { nextPrice, roll, type TierPrice } from "../../../vm/modules/pricing/base-price.ts";
import { MAX_COMPUTE_UNITS, MAX_PRICE } from "../../../vm/modules/pricing/limits.ts";
import { EconomyChain } from "../support/economy-chain.ts";

const PRICING = { address: PRICING_ADDRESS, abi: pricingAbi } as const;
const parameters = {
  initialPrice: 1_000_000n,
  minPrice: 1_000n,
  minCharge: 1n,
  periodSeconds: 60n,
  maxChangeShare: 125_000n,
};
const STARTED: TierPrice = {
  price: 1_000_000n,
  devices: 0n,
  busySeconds: 0n,
  deviceSeconds: 0n,
  periodStart: 1_000n,
  counted: 1_000n,
  utilisation: 0n,
};

describe("a tier's price", () => {
  it.each([
    [0n, 875_000n],
    [250_000n, 937_500n],
    [500_000n, 1_000_000n],
    [750_000n, 1_062_500n],
    [1_000_000n, 1_125_000n],
  ])("moves by up to an eighth: devices that were busy for %s millionths make it %s", (utilisation, expected) => {
    expect(nextPrice(1_000_000n, utilisation, parameters)).toBe(expected);
  });

  it("stays between its floor and the greatest there is, and never sticks at a small value", () => {
    expect(nextPrice(1_001n, 0n, parameters)).toBe(1_000n);
    expect(nextPrice(1n, 600_000n, { ...parameters, minPrice: 1n })).toBe(2n);
    expect(nextPrice(MAX_PRICE, 1_000_000n, parameters)).toBe(MAX_PRICE);
  });

  it("starts with the spec's when somebody first looks", () => {
    const { tier } = roll({ ...STARTED, price: 0n }, 5_000n, parameters);
    expect(tier).toMatchObject({ price: 1_000_000n, periodStart: 5_000n, counted: 5_000n });
  });

  it("changes when a period is over, by the devices' time in it", () => {
    // Two devices for 60 s, busy for 90 s in all: three quarters.
    const stored = { ...STARTED, devices: 2n, busySeconds: 90n };
    expect(roll(stored, 1_059n, parameters)).toMatchObject({ periods: 0n, tier: { price: 1_000_000n } });
    const { tier, periods } = roll(stored, 1_070n, parameters);
    expect(periods).toBe(1n);
    expect(tier).toMatchObject({ price: 1_062_500n, utilisation: 750_000n, busySeconds: 0n, periodStart: 1_060n });
    expect(tier.deviceSeconds).toBe(20n);
  });

  it("counts devices from when they came", () => {
    // One device for the first half of the period (counted already), two for the rest.
    const stored = { ...STARTED, devices: 2n, deviceSeconds: 30n, counted: 1_030n, busySeconds: 45n };
    expect(roll(stored, 1_060n, parameters).tier.price).toBe(1_000_000n);
  });

  it("falls in every period without use, but not where there are no devices", () => {
    const idle = roll({ ...STARTED, devices: 1n, busySeconds: 30n }, 1_000n + 180n, parameters).tier;
    expect(idle.price).toBe((((1_000_000n * 7n) / 8n) * 7n) / 8n);
    expect(roll(STARTED, 1_000_000n, parameters).tier.price).toBe(1_000_000n);
  });

  it("is the same however often somebody looks", () => {
    const stored = { ...STARTED, devices: 3n, busySeconds: 20n };
    let step: TierPrice = stored;
    for (let time = 1_000n; time <= 1_500n; time += 7n) step = roll(step, time, parameters).tier;
    expect(roll(step, 1_500n, parameters).tier).toEqual(roll(stored, 1_500n, parameters).tier);
  });
});

describe("a quote", () => {
  const chain = new EconomyChain();

  it("is the price of a million units in proportion, rounded up, and at least the least charge", () => {
    const price = chain.view(PRICING, "priceOf", [3]);
    expect(price).toBe(10n ** 12n);
    expect(chain.view(PRICING, "quote", [3, 5_000_000_000n])).toBe(5_000n * price);
    expect(chain.view(PRICING, "quote", [3, 5_000_000_001n])).toBe(5_000n * price + price / 1_000_000n);
    expect(chain.view(PRICING, "quote", [3, 1n])).toBe(OGPU / 1_000n);
  });

  it("is refused for what does not exist", () => {
    expect(chain.revertOf(PRICING, "priceOf", [16])).toEqual({ name: "BadTier", args: [16, 15] });
    expect(chain.revertOf(PRICING, "tierOf", [16])).toEqual({ name: "BadTier", args: [16, 15] });
    expect(chain.revertOf(PRICING, "quote", [0, MAX_COMPUTE_UNITS + 1n])).toMatchObject({ name: "TooMuch" });
  });

  it("has sixteen tiers", () => {
    const tiers = chain.view(PRICING, "tiers", []);
    expect(tiers.map(({ tier }) => tier)).toEqual(Array.from({ length: 16 }, (_, tier) => tier));
    expect(tiers[7]).toEqual(chain.view(PRICING, "tierOf", [7]));
  });
});
