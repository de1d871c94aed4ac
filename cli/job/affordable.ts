import { CodedError } from "../../base/errors.ts";
import { formatOgpu } from "../../base/units.ts";

/** Told before anything is brought or published, which costs. Fees and locks come on top: the chain sees to them. */
export function requireAffordable(budget: bigint, balance: bigint): void {
  if (budget <= balance) return;
  throw new CodedError(
    "JOB_UNAFFORDABLE",
    `the budget is ${formatOgpu(budget)} oGPU, and the account has ${formatOgpu(balance)} oGPU`,
    { hint: "Send the account more first, or choose a smaller --budget: ogpu job quote says what the work costs." },
  );
}
