/**
 * Money that the market holds for jobs: what workers may be paid, what verifiers cost, tips and bonds. Whatever comes in or
 * goes out passes through `hold` and `spend`, so that the sum of all pots is what the account has.
 */
import type { Hex } from "../../../base/bytes.ts";
import { marketAbi } from "../../interfaces/abi/market.ts";
import type { Address } from "../../state/account.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { slotOf } from "../storage.ts";
import { fundTreasury } from "../treasury/treasury.ts";
import { clientOf, jobWords } from "./job-record.ts";

const HELD: Hex = slotOf("held");

/** All pots of all jobs. The account may have more: anybody can send money to it, and that belongs to nobody. */
export function heldMoney(call: ModuleCall): bigint {
  return call.read(HELD);
}

/** The money is in the account already. */
export function hold(call: ModuleCall, amount: bigint): void {
  if (amount > 0n) call.write(HELD, heldMoney(call) + amount);
}

/** It leaves the account: the caller pays it to somebody, or burns it. */
export function spend(call: ModuleCall, amount: bigint): void {
  if (amount > 0n) call.write(HELD, heldMoney(call) - amount);
}

export function payHeld(call: ModuleCall, to: Address, amount: bigint): void {
  if (amount === 0n) return;
  spend(call, amount);
  call.pay(to, amount);
}

export function burnHeld(call: ModuleCall, amount: bigint): void {
  if (amount === 0n) return;
  spend(call, amount);
  call.burn(amount);
}

export function fundTreasuryFromHeld(call: ModuleCall, amount: bigint, source: string): void {
  spend(call, amount);
  fundTreasury(call, amount, source);
}

type Pot = "budget" | "verification" | "tip";

export function addToPot(call: ModuleCall, job: bigint, pot: Pot, amount: bigint): void {
  if (amount !== 0n) jobWords.add(call, pot, amount, job);
}

/** What is left of the job's money goes back to its client, its tip excepted if somebody can still earn it. */
export function refundRest(call: ModuleCall, job: bigint): void {
  const rest = (["budget", "verification"] as const).reduce((sum, pot) => {
    const left = jobWords.get(call, pot, job);
    if (left > 0n) jobWords.set(call, pot, 0n, job);
    return sum + left;
  }, 0n);
  refund(call, job, rest);
}

export function refund(call: ModuleCall, job: bigint, amount: bigint): void {
  if (amount === 0n) return;
  const client = clientOf(call, job);
  payHeld(call, client, amount);
  jobWords.add(call, "refunded", amount, job);
  call.emit(marketAbi, "Refunded", { job, client, amount });
}

/** Of the value that was sent, what is not needed goes straight back. Reverts with NotEnoughSent. */
export function returnExcess(call: ModuleCall, needed: bigint): void {
  const { caller, value } = call.message;
  if (value < needed) throw revertWith(marketAbi, "NotEnoughSent", [value, needed]);
  if (value > needed) call.pay(caller, value - needed);
}
