/**
 * Who is a verifier, and its stake: the functions by which the verification module freezes, takes, releases and jails.
 * They take a call in any account, and addresses in lower case.
 */

import { verifiersAbi } from "../../interfaces/abi/verifiers.ts";
import type { Address } from "../../state/account.ts";
import { VERIFIERS_ADDRESS } from "../addresses.ts";
import { epochStart, protocolTime } from "../clock/clock.ts";
import {
  beginLeaving,
  bindFree,
  bindLeaving,
  boundFunds,
  freeFunds,
  type LeavingFunds,
  leavingFunds,
  takeBound,
  takeFree,
  takeLeaving,
  unbind,
} from "../held-funds.ts";
import type { ModuleCall } from "../module-call.ts";
import { type RecordSpace, recordSpace, slotOf } from "../storage.ts";

export const VERIFIER_STATUS = { none: 0n, active: 1n, paused: 2n, leaving: 3n } as const;

type VerifierField = "status" | "since" | "jailedUntil" | "weight";

/** `weight` is what a snapshot reads: see `weigh`. */
export const verifierRecords: RecordSpace<VerifierField> = recordSpace("verifier", [
  "status",
  "since",
  "jailedUntil",
  "weight",
]);

/** Not 0 when a snapshot taken now would differ from the last one. */
const CHANGED_SLOT = slotOf("weights changed");

export interface VerifierStake {
  readonly stake: bigint;
  readonly frozen: bigint;
  readonly leaving: bigint;
}

export function verifierStake(call: ModuleCall, verifier: Address): VerifierStake {
  const own = call.in(VERIFIERS_ADDRESS);
  return { stake: freeFunds(own, verifier), frozen: boundFunds(own, verifier), leaving: leavingFunds(own, verifier) };
}

export function verifierStatus(call: ModuleCall, verifier: Address): bigint {
  return verifierRecords.get(call.in(VERIFIERS_ADDRESS), "status", verifier);
}

export function jailedUntil(call: ModuleCall, verifier: Address): bigint {
  return verifierRecords.get(call.in(VERIFIERS_ADDRESS), "jailedUntil", verifier);
}

/** What it would have in a snapshot taken now. */
export function unitsOf(call: ModuleCall, verifier: Address): bigint {
  const own = call.in(VERIFIERS_ADDRESS);
  const weight = verifierRecords.get(own, "weight", verifier);
  const { minStake, unitStake } = own.parameters.verifiers;
  return weight < minStake ? 0n : weight / unitStake;
}

/**
 * Withholds up to `amount` until a penalty is decided: of the stake first, then of what leaves. Says how much it was,
 * which is less when there is no more; `takeFrozen` and `releaseFrozen` are for exactly that much.
 */
export function freezeStake(call: ModuleCall, verifier: Address, amount: bigint): bigint {
  const own = call.in(VERIFIERS_ADDRESS);
  const { ofStake, ofLeaving } = reach(own, verifier, amount);
  if (ofStake > 0n) bindFree(own, verifier, ofStake);
  if (ofLeaving > 0n) bindLeaving(own, verifier, ofLeaving);
  if (ofStake + ofLeaving === 0n) return 0n;
  weigh(own, verifier);
  own.emit(verifiersAbi, "Frozen", { verifier, amount: ofStake + ofLeaving });
  return ofStake + ofLeaving;
}

/** Frozen stake goes to the account `to`, which is the caller's to share out. */
export function takeFrozen(call: ModuleCall, verifier: Address, amount: bigint, reason: number, to: Address): void {
  const own = call.in(VERIFIERS_ADDRESS);
  takeBound(own, verifier, amount);
  payLoss(own, verifier, amount, reason, to);
}

/** No penalty: frozen stake is stake again, and leaves at once if its verifier does. */
export function releaseFrozen(call: ModuleCall, verifier: Address, amount: bigint): void {
  if (amount === 0n) return;
  const own = call.in(VERIFIERS_ADDRESS);
  unbind(own, verifier, amount);
  own.emit(verifiersAbi, "Unfrozen", { verifier, amount });
  if (verifierStatus(own, verifier) === VERIFIER_STATUS.leaving) leaveWith(own, verifier, amount);
  else weigh(own, verifier);
}

/**
 * Up to `amount` of what is not frozen goes to the account `to`: of the stake first, then of what leaves. Says how much
 * it was.
 */
export function takeStake(call: ModuleCall, verifier: Address, amount: bigint, reason: number, to: Address): bigint {
  const own = call.in(VERIFIERS_ADDRESS);
  const { ofStake, ofLeaving } = reach(own, verifier, amount);
  if (ofStake > 0n) takeFree(own, verifier, ofStake);
  if (ofLeaving > 0n) takeLeaving(own, verifier, ofLeaving);
  weigh(own, verifier);
  payLoss(own, verifier, ofStake + ofLeaving, reason, to);
  return ofStake + ofLeaving;
}

/** It is in no snapshot until it is unjailed, which it can be at `until`. Never shortens a jail. */
export function jailVerifier(call: ModuleCall, verifier: Address, until: bigint): void {
  const own = call.in(VERIFIERS_ADDRESS);
  if (until <= jailedUntil(own, verifier)) return;
  verifierRecords.set(own, "jailedUntil", until, verifier);
  weigh(own, verifier);
  own.emit(verifiersAbi, "Jailed", { verifier, until });
}

/** Stake begins to leave. */
export function leaveWith(own: ModuleCall, verifier: Address, amount: bigint): bigint {
  const due = beginLeaving(own, verifier, amount, protocolTime(own) + own.parameters.verifiers.exitSeconds);
  weigh(own, verifier);
  own.emit(verifiersAbi, "WithdrawalRequested", { verifier, amount, due });
  return due;
}

/**
 * When stake that leaves is paid: not before it has been liable for the whole delay after the epoch in which it began to
 * leave, as draws of that epoch still count it. While that epoch runs the time is not known: it is always a delay away.
 */
export function dueOf(own: ModuleCall, { due, epoch }: LeavingFunds): bigint {
  const epochEnd = epochStart(own, epoch + 1n) || protocolTime(own);
  const liableUntil = epochEnd + own.parameters.verifiers.exitSeconds;
  return due > liableUntil ? due : liableUntil;
}

/** Keeps the one word that a snapshot reads: the stake of who can be drawn. After every change of stake or status. */
export function weigh(own: ModuleCall, verifier: Address): void {
  const isDrawn = verifierStatus(own, verifier) === VERIFIER_STATUS.active && jailedUntil(own, verifier) === 0n;
  const weight = isDrawn ? freeFunds(own, verifier) : 0n;
  if (weight === verifierRecords.get(own, "weight", verifier)) return;
  verifierRecords.set(own, "weight", weight, verifier);
  own.write(CHANGED_SLOT, 1n);
}

export function haveWeightsChanged(own: ModuleCall): boolean {
  return own.read(CHANGED_SLOT) > 0n;
}

export function forgetChange(own: ModuleCall): void {
  own.write(CHANGED_SLOT, 0n);
}

function reach(
  own: ModuleCall,
  verifier: Address,
  amount: bigint,
): { readonly ofStake: bigint; readonly ofLeaving: bigint } {
  const { stake, leaving } = verifierStake(own, verifier);
  const ofStake = amount < stake ? amount : stake;
  const rest = amount - ofStake;
  return { ofStake, ofLeaving: rest < leaving ? rest : leaving };
}

function payLoss(own: ModuleCall, verifier: Address, amount: bigint, reason: number, to: Address): void {
  if (amount === 0n) return;
  own.pay(to, amount);
  own.emit(verifiersAbi, "Slashed", { verifier, to, amount, reason });
}
