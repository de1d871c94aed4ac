/** Who is told of a job's result: kept with the job, with a tip for whoever tells it. */
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import type { ModuleCall } from "../module-call.ts";
import { jobWords } from "./job-record.ts";
import { MAX_CALLBACK_GAS, MOST_MONEY } from "./limits.ts";
import { checkRange } from "./sources.ts";

export interface Callback {
  readonly target: Address;
  readonly gas: bigint;
  readonly tip: bigint;
}

const NOBODY: Address = "0x0000000000000000000000000000000000000000";
const GAS_BITS = 64n;

/** Reverts with OutOfRange. Without a target there is nothing to pay for. */
export function checkCallback({ target, gas, tip }: Callback): void {
  checkRange("gas", gas, 0n, target === NOBODY ? 0n : MAX_CALLBACK_GAS);
  checkRange("tip", tip, 0n, target === NOBODY ? 0n : MOST_MONEY);
}

export function writeCallback(call: ModuleCall, job: bigint, { target, gas, tip }: Callback): void {
  if (target === NOBODY) return;
  jobWords.set(call, "callback", (addressToWord(target) << GAS_BITS) | gas, job);
  if (tip > 0n) jobWords.set(call, "tip", tip, job);
}

export function readCallback(call: ModuleCall, job: bigint): Callback {
  const word = jobWords.get(call, "callback", job);
  return {
    target: wordToAddress(word >> GAS_BITS),
    gas: BigInt.asUintN(64, word),
    tip: jobWords.get(call, "tip", job),
  };
}

export function hasCallback(call: ModuleCall, job: bigint): boolean {
  return jobWords.get(call, "callback", job) > 0n;
}
