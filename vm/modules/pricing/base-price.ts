/**
 * The base price of each tier: what a million compute units cost now. It follows how busy the tier's joined devices were,
 * as EIP-1559's base fee follows how full blocks were: busy for half of the time leaves it as it is. Periods end when
 * somebody looks, so that nothing has to be done for a tier that nobody uses. Functions take a call in any account.
 */
import { assert } from "../../../base/errors.ts";
import { type EconomyParameters, WHOLE } from "../../../genesis/economy.ts";
import { pricingAbi } from "../../interfaces/abi/pricing.ts";
import { PRICING_ADDRESS } from "../addresses.ts";
import { protocolTime } from "../clock/clock.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { recordSpace } from "../storage.ts";
import { MAX_COMPUTE_UNITS, MAX_IDLE_PERIODS, MAX_PRICE } from "./limits.ts";

/** What a price is for. */
const MILLION = 1_000_000n;

export interface TierPrice {
  /** Wei for a million compute units. */
  readonly price: bigint;
  /** Devices that have joined sources. */
  readonly devices: bigint;
  /** Of the running period: for how long devices were busy, of how long they were there. */
  readonly busySeconds: bigint;
  readonly deviceSeconds: bigint;
  readonly periodStart: bigint;
  /** Until when `deviceSeconds` counts. */
  readonly counted: bigint;
  /** Of the last period in which there were devices, in millionths. */
  readonly utilisation: bigint;
}

/** A price of 0 is one that was never written: the initial one. */
const tiers = recordSpace("tier", [
  "price",
  "devices",
  "busySeconds",
  "deviceSeconds",
  "periodStart",
  "counted",
  "utilisation",
]);

/** As it is now, whether or not anybody has written it down. */
export function tierPrice(call: ModuleCall, tier: number): TierPrice {
  return roll(readTier(call.in(PRICING_ADDRESS), tier), protocolTime(call), call.parameters.pricing).tier;
}

/** What `computeUnits` cost now, rounded up. Reverts with TooMuch. */
export function quote(call: ModuleCall, tier: number, computeUnits: bigint): bigint {
  if (computeUnits > MAX_COMPUTE_UNITS) throw revertWith(pricingAbi, "TooMuch", [computeUnits, MAX_COMPUTE_UNITS]);
  const { price } = tierPrice(call, tier);
  const charge = (price * computeUnits + MILLION - 1n) / MILLION;
  const { minCharge } = call.parameters.pricing;
  return charge > minCharge ? charge : minCharge;
}

/** A device joins the tier's sources for the first time, or leaves the last of them. */
export function noteDevices(call: ModuleCall, tier: number, change: bigint): void {
  const now = update(call, tier);
  assert(now.devices + change >= 0n, "no more devices leave than have joined");
  tiers.set(call.in(PRICING_ADDRESS), "devices", now.devices + change, tier);
}

/** A device was busy for so long; told when it ends. */
export function noteUse(call: ModuleCall, tier: number, busySeconds: bigint): void {
  const now = update(call, tier);
  tiers.set(call.in(PRICING_ADDRESS), "busySeconds", now.busySeconds + busySeconds, tier);
}

function readTier(own: ModuleCall, tier: number): TierPrice {
  const get = (field: Parameters<typeof tiers.get>[1]): bigint => tiers.get(own, field, tier);
  return {
    price: get("price"),
    devices: get("devices"),
    busySeconds: get("busySeconds"),
    deviceSeconds: get("deviceSeconds"),
    periodStart: get("periodStart"),
    counted: get("counted"),
    utilisation: get("utilisation"),
  };
}

function update(call: ModuleCall, tier: number): TierPrice {
  const own = call.in(PRICING_ADDRESS);
  const { tier: now, periods } = roll(readTier(own, tier), protocolTime(own), own.parameters.pricing);
  for (const field of ["price", "busySeconds", "deviceSeconds", "periodStart", "counted", "utilisation"] as const) {
    tiers.set(own, field, now[field], tier);
  }
  if (periods > 0n) {
    own.emit(pricingAbi, "PriceChanged", { tier, price: now.price, utilisation: now.utilisation, periods });
  }
  return now;
}

type PricingParameters = EconomyParameters["pricing"];

/** Ends the periods that are over by `time`: the running one with what was counted in it, the others with no use. */
export function roll(
  stored: TierPrice,
  time: bigint,
  parameters: PricingParameters,
): { readonly tier: TierPrice; readonly periods: bigint } {
  const { initialPrice, periodSeconds } = parameters;
  if (stored.price === 0n) {
    return { tier: { ...stored, price: initialPrice, periodStart: time, counted: time }, periods: 0n };
  }
  const periods = (time - stored.periodStart) / periodSeconds;
  if (periods <= 0n) {
    const deviceSeconds = stored.deviceSeconds + stored.devices * (time - stored.counted);
    return { tier: { ...stored, deviceSeconds, counted: time }, periods: 0n };
  }
  const end = stored.periodStart + periodSeconds;
  const first = stored.deviceSeconds + stored.devices * (end > stored.counted ? end - stored.counted : 0n);
  let { price, utilisation } = stored;
  if (first > 0n) {
    utilisation = utilisationOf(stored.busySeconds, first);
    price = nextPrice(price, utilisation, parameters);
  }
  if (stored.devices > 0n && periods > 1n) {
    utilisation = 0n;
    const idle = periods - 1n < MAX_IDLE_PERIODS ? periods - 1n : MAX_IDLE_PERIODS;
    for (let period = 0n; period < idle; period++) price = nextPrice(price, 0n, parameters);
  }
  const periodStart = stored.periodStart + periods * periodSeconds;
  const deviceSeconds = stored.devices * (time - periodStart);
  return {
    tier: { ...stored, price, utilisation, busySeconds: 0n, deviceSeconds, periodStart, counted: time },
    periods,
  };
}

function utilisationOf(busySeconds: bigint, deviceSeconds: bigint): bigint {
  const share = (busySeconds * WHOLE) / deviceSeconds;
  return share < WHOLE ? share : WHOLE;
}

/** Half is the target: at it nothing moves, at nothing and all by the whole of `maxChangeShare`, never below the floor. */
export function nextPrice(price: bigint, utilisation: bigint, parameters: PricingParameters): bigint {
  const { maxChangeShare, minPrice } = parameters;
  const target = WHOLE / 2n;
  const above = utilisation >= target;
  const distance = above ? utilisation - target : target - utilisation;
  const change = (price * maxChangeShare * distance) / (WHOLE * target);
  // A small price must be able to rise at all.
  const moved = above ? price + (change === 0n && distance > 0n ? 1n : change) : price - change;
  if (moved > MAX_PRICE) return MAX_PRICE;
  return moved > minPrice ? moved : minPrice;
}
