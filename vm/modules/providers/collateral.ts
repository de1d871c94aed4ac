/**
 * Who is a provider, and its collateral: the functions by which the market reserves, gives back and takes. They take a
 * call in any account, and addresses in lower case.
 */

import { providersAbi } from "../../interfaces/abi/providers.ts";
import type { Address } from "../../state/account.ts";
import { PROVIDERS_ADDRESS } from "../addresses.ts";
import { protocolTime } from "../clock/clock.ts";
import {
  beginLeaving,
  bindFree,
  boundFunds,
  freeFunds,
  leavingFunds,
  takeBound,
  takeFree,
  takeLeaving,
  unbind,
} from "../held-funds.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { type RecordSpace, recordSpace } from "../storage.ts";
import { recordLoss } from "./reputation.ts";

export const PROVIDER_STATUS = { none: 0n, active: 1n, paused: 2n, leaving: 3n } as const;

export const providerRecords: RecordSpace<"status" | "since"> = recordSpace("provider", ["status", "since"]);

export interface Collateral {
  readonly free: bigint;
  readonly reserved: bigint;
  readonly leaving: bigint;
}

export function collateralOf(call: ModuleCall, provider: Address): Collateral {
  const own = call.in(PROVIDERS_ADDRESS);
  return { free: freeFunds(own, provider), reserved: boundFunds(own, provider), leaving: leavingFunds(own, provider) };
}

export function providerStatus(call: ModuleCall, provider: Address): bigint {
  return providerRecords.get(call.in(PROVIDERS_ADDRESS), "status", provider);
}

/** Whether it may get work: active, with enough collateral. */
export function isAvailable(call: ModuleCall, provider: Address): boolean {
  if (providerStatus(call, provider) !== PROVIDER_STATUS.active) return false;
  const { free, reserved } = collateralOf(call, provider);
  return free + reserved >= call.parameters.providers.minCollateral;
}

/** For a job that the provider takes. Reverts with NotAvailable or NotEnoughFree. */
export function reserveCollateral(call: ModuleCall, provider: Address, amount: bigint): void {
  const own = call.in(PROVIDERS_ADDRESS);
  if (!isAvailable(own, provider)) throw revertWith(providersAbi, "NotAvailable", [provider]);
  const free = freeFunds(own, provider);
  if (amount > free) throw revertWith(providersAbi, "NotEnoughFree", [free, amount]);
  bindFree(own, provider, amount);
  own.emit(providersAbi, "Reserved", { provider, amount });
}

/** Gives reserved collateral back; it leaves at once if its provider does. */
export function releaseCollateral(call: ModuleCall, provider: Address, amount: bigint): void {
  if (amount === 0n) return;
  const own = call.in(PROVIDERS_ADDRESS);
  unbind(own, provider, amount);
  own.emit(providersAbi, "ReservationReleased", { provider, amount });
  if (providerStatus(own, provider) === PROVIDER_STATUS.leaving) leaveWith(own, provider, amount);
}

/** Reserved collateral goes to the account `to`, which is the caller's to share out. */
export function takeReserved(call: ModuleCall, provider: Address, amount: bigint, reason: number, to: Address): void {
  const own = call.in(PROVIDERS_ADDRESS);
  takeBound(own, provider, amount);
  payLoss(own, provider, amount, reason, to);
}

/**
 * Up to `amount` of what is not reserved for other jobs goes to the account `to`: what is free first, then what leaves.
 * Says how much it was.
 */
export function takeCollateral(
  call: ModuleCall,
  provider: Address,
  amount: bigint,
  reason: number,
  to: Address,
): bigint {
  const own = call.in(PROVIDERS_ADDRESS);
  const { free, leaving } = collateralOf(own, provider);
  const ofFree = amount < free ? amount : free;
  const ofLeaving = amount - ofFree < leaving ? amount - ofFree : leaving;
  if (ofFree > 0n) takeFree(own, provider, ofFree);
  if (ofLeaving > 0n) takeLeaving(own, provider, ofLeaving);
  payLoss(own, provider, ofFree + ofLeaving, reason, to);
  return ofFree + ofLeaving;
}

/** Free collateral begins to leave. */
export function leaveWith(own: ModuleCall, provider: Address, amount: bigint): bigint {
  const due = beginLeaving(own, provider, amount, protocolTime(own) + own.parameters.providers.exitSeconds);
  own.emit(providersAbi, "WithdrawalRequested", { provider, amount, due });
  return due;
}

function payLoss(own: ModuleCall, provider: Address, amount: bigint, reason: number, to: Address): void {
  if (amount === 0n) return;
  own.pay(to, amount);
  recordLoss(own, provider, amount);
  own.emit(providersAbi, "Slashed", { provider, to, amount, reason });
}
