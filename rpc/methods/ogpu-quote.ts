import { bytesToHex } from "../../base/bytes.ts";
import { governanceAbi } from "../../vm/interfaces/abi/governance.ts";
import { pricingAbi } from "../../vm/interfaces/abi/pricing.ts";
import { programsAbi } from "../../vm/interfaces/abi/programs.ts";
import { GOVERNANCE_ADDRESS, PRICING_ADDRESS, PROGRAMS_ADDRESS } from "../../vm/modules/addresses.ts";
import { biasedShare, QUOTED_ADVERSARY } from "../../vm/modules/verification/assurance.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { expectedTime } from "../modules/expected-time.ts";
import { ModuleViews } from "../modules/module-views.ts";
import { hash, integer, named, object, optional, quantity } from "../parameters.ts";
import { invalidParams } from "../rpc-error.ts";
import { listOf, objectOf, orNull, QUANTITY } from "../schema.ts";

const WHOLE = 1_000_000n;
const MAX_TIER = 15;
const MAX_SEATS = 64;
/** Shares of the work, in millionths, that a cheat might falsify. */
const FALSIFIED: readonly bigint[] = [10_000n, 100_000n, 500_000n, WHOLE];

const request = object("what is to be computed: program or computeUnits, and the terms", {
  ...{ program: hash, computeUnits: quantity, budget: quantity },
  ...{ tier: integer, seats: integer, assurance: integer, segments: integer },
});

/** The chance that a cheat is caught, at least: each seat sees a false tile unless it lies, with the bias that leaders have. */
function caught(falsified: bigint, seats: number): bigint {
  const honest = WHOLE - biasedShare(QUOTED_ADVERSARY);
  const passes = WHOLE - (falsified * honest) / WHOLE;
  const all = passes ** BigInt(seats);
  const scale = WHOLE ** BigInt(seats - 1);
  return WHOLE - (all + scale - 1n) / scale;
}

export const ogpuQuote: RpcMethod = defineMethod({
  name: "ogpu_quote",
  summary:
    "What work costs now, how long it is expected to take, and how likely a cheat is caught. Shares in millionths.",
  result: objectOf({
    ...{ computeUnits: QUANTITY, price: QUANTITY, verification: QUANTITY, total: QUANTITY, lock: QUANTITY },
    ...{ expectedSeconds: orNull(QUANTITY), devices: QUANTITY, adversaryShare: QUANTITY },
    odds: listOf(objectOf({ falsified: QUANTITY, caught: QUANTITY })),
  }),
  parameters: [named("request", request), optional(blockReference, LATEST)],
  run: ({ chain }, { program, computeUnits = 0n, tier = 0, seats = 3, budget = 0n, segments = 1 }, block) => {
    if (tier > MAX_TIER) throw invalidParams(`parameter 1 (request).tier is at most ${MAX_TIER}`);
    if (seats < 1 || seats > MAX_SEATS) throw invalidParams(`parameter 1 (request).seats is 1 to ${MAX_SEATS}`);
    if (segments < 1) throw invalidParams("parameter 1 (request).segments is at least 1");
    const views = new ModuleViews(chain, block);
    const parameter = (name: string): bigint => views.read(GOVERNANCE_ADDRESS, governanceAbi, "parameter", [name]);
    const units =
      program === undefined
        ? computeUnits
        : views.read(PROGRAMS_ADDRESS, programsAbi, "summaryOf", [bytesToHex(program)]).fuel;
    const base = views.read(PRICING_ADDRESS, pricingAbi, "quote", [tier, units]);
    const price = budget > 0n ? budget : base;
    const verification = BigInt(seats) * BigInt(segments) * parameter("market.seatFee");
    const { devices, seconds } = expectedTime(views, tier, units);
    return {
      computeUnits: quantityText(units),
      price: quantityText(price),
      verification: quantityText(verification),
      total: quantityText(price + verification),
      lock: quantityText((price * parameter("market.clientLockShare") + WHOLE - 1n) / WHOLE),
      expectedSeconds: seconds === undefined ? null : quantityText(seconds),
      devices: quantityText(devices),
      adversaryShare: quantityText(QUOTED_ADVERSARY),
      odds: FALSIFIED.map((falsified) => ({
        falsified: quantityText(falsified),
        caught: quantityText(caught(falsified, seats)),
      })),
    };
  },
});
