/**
 * Commitments: parts of a lock that stand behind a promise, in the hands of a controller. Contracts control theirs by
 * calls of the module, modules by the functions below, which take a call in any account. Who controls what is checked by
 * the key: a commitment is found by (owner, controller, name) only.
 */
import { bytes32, bytesToHex, type Hex } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import { trustLockAbi } from "../../interfaces/abi/trust-lock.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import { TREASURY_ADDRESS, TRUST_LOCK_ADDRESS } from "../addresses.ts";
import { protocolTime } from "../clock/clock.ts";
import { bindFree, depositFunds, freeFunds, takeBound, unbind } from "../held-funds.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { recordSpace, slotOf } from "../storage.ts";
import { fundTreasury } from "../treasury/treasury.ts";
import { MAX_COMMITMENT_SECONDS } from "./limits.ts";

/** Which commitment: all in lower case. */
export interface CommitmentKey {
  readonly owner: Address;
  readonly controller: Address;
  /** 32 bytes; the controller's name for it. */
  readonly commitment: Hex;
}

export interface Commitment extends CommitmentKey {
  readonly status: number;
  readonly amount: bigint;
  readonly released: bigint;
  readonly breached: bigint;
  readonly reclaimed: bigint;
  readonly left: bigint;
  readonly since: bigint;
  readonly deadline: bigint;
}

/** A part of a breach. `BURNED` takes it out of the supply. */
export interface BreachPart {
  readonly to: Address;
  readonly amount: bigint;
}

export const BURNED: Address = "0x0000000000000000000000000000000000000000";

export const COMMITMENT_STATUS = { none: 0, open: 1, released: 2, breached: 3, reclaimed: 4 } as const;

const FIELDS = ["amount", "released", "breached", "reclaimed", "since", "deadline"] as const;
/** By owner and number. */
const records = recordSpace("commitment", ["commitment", "controller", ...FIELDS]);

function countSlot(owner: Address): Hex {
  return slotOf("commitment count", owner);
}

/** Holds the commitment's number plus one. */
function numberSlot({ owner, controller, commitment }: CommitmentKey): Hex {
  return slotOf("commitment number", owner, controller, commitment);
}

export function commitmentCount(call: ModuleCall, owner: Address): number {
  return Number(call.in(TRUST_LOCK_ADDRESS).read(countSlot(owner)));
}

/** `undefined` if there never was one. */
export function findCommitment(call: ModuleCall, key: CommitmentKey): Commitment | undefined {
  const own = call.in(TRUST_LOCK_ADDRESS);
  const number = numberOf(own, key);
  return number === undefined ? undefined : commitmentAt(own, key.owner, number);
}

export function commitmentAt(call: ModuleCall, owner: Address, number: number): Commitment {
  const own = call.in(TRUST_LOCK_ADDRESS);
  const get = (field: (typeof FIELDS)[number]): bigint => records.get(own, field, owner, number);
  const [amount, released, breached, reclaimed] = [get("amount"), get("released"), get("breached"), get("reclaimed")];
  const left = amount - released - breached - reclaimed;
  return {
    owner,
    controller: wordToAddress(records.get(own, "controller", owner, number)),
    commitment: bytesToHex(bytes32(records.get(own, "commitment", owner, number))),
    status: statusOf(left, breached, reclaimed),
    amount,
    released,
    breached,
    reclaimed,
    left,
    since: get("since"),
    deadline: get("deadline"),
  };
}

function statusOf(left: bigint, breached: bigint, reclaimed: bigint): number {
  if (left > 0n) return COMMITMENT_STATUS.open;
  if (breached > 0n) return COMMITMENT_STATUS.breached;
  return reclaimed > 0n ? COMMITMENT_STATUS.reclaimed : COMMITMENT_STATUS.released;
}

/** What the controller may still release or take; nothing if there is no such commitment. */
export function commitmentLeft(call: ModuleCall, key: CommitmentKey): bigint {
  return findCommitment(call, key)?.left ?? 0n;
}

/**
 * Sets free money of the owner aside. A module calls this in a transaction of the owner's, who agrees by sending it.
 * Reverts with ZeroAmount, NotEnoughFree, BadDeadline or CommitmentUsed.
 */
export function allocateTrust(call: ModuleCall, key: CommitmentKey, amount: bigint, deadline: bigint): void {
  const own = call.in(TRUST_LOCK_ADDRESS);
  const { owner, controller, commitment } = key;
  if (numberOf(own, key) !== undefined) {
    throw revertWith(trustLockAbi, "CommitmentUsed", [owner, controller, commitment]);
  }
  const now = protocolTime(own);
  checkDeadline(deadline, now, now);
  bindChecked(own, owner, amount);
  const number = commitmentCount(own, owner);
  own.write(countSlot(owner), BigInt(number + 1));
  own.write(numberSlot(key), BigInt(number + 1));
  records.set(own, "commitment", BigInt(commitment), owner, number);
  records.set(own, "controller", addressToWord(controller), owner, number);
  records.set(own, "amount", amount, owner, number);
  records.set(own, "since", now, owner, number);
  records.set(own, "deadline", deadline, owner, number);
  own.emit(trustLockAbi, "Allocated", { ...key, amount, deadline });
}

/** More for an open commitment. Reverts with ZeroAmount, NotEnoughFree, NoCommitment or CommitmentClosed. */
export function increaseTrust(call: ModuleCall, key: CommitmentKey, amount: bigint): void {
  const own = call.in(TRUST_LOCK_ADDRESS);
  const { number } = openCommitment(own, key);
  bindChecked(own, key.owner, amount);
  records.add(own, "amount", amount, key.owner, number);
  own.emit(trustLockAbi, "Increased", { ...key, amount });
}

/** A later deadline for an open commitment. Reverts with BadDeadline, NoCommitment or CommitmentClosed. */
export function extendTrust(call: ModuleCall, key: CommitmentKey, deadline: bigint): void {
  const own = call.in(TRUST_LOCK_ADDRESS);
  const { number, record } = openCommitment(own, key);
  const now = protocolTime(own);
  checkDeadline(deadline, record.deadline > now ? record.deadline : now, now);
  records.set(own, "deadline", deadline, key.owner, number);
  own.emit(trustLockAbi, "Extended", { ...key, deadline });
}

/** Back to the owner's lock. Reverts with ZeroAmount, NoCommitment, CommitmentClosed or NotEnoughLeft. */
export function releaseTrust(call: ModuleCall, key: CommitmentKey, amount: bigint): void {
  const own = call.in(TRUST_LOCK_ADDRESS);
  const left = settle(own, key, "released", amount);
  unbind(own, key.owner, amount);
  own.emit(trustLockAbi, "Released", { ...key, amount, left });
}

/** After the deadline, for the owner: all that is left. Reverts with NoCommitment, CommitmentClosed or DeadlineAhead. */
export function reclaimTrust(call: ModuleCall, key: CommitmentKey): bigint {
  const own = call.in(TRUST_LOCK_ADDRESS);
  const { record } = openCommitment(own, key);
  const now = protocolTime(own);
  if (now < record.deadline) throw revertWith(trustLockAbi, "DeadlineAhead", [record.deadline, now]);
  settle(own, key, "reclaimed", record.left);
  unbind(own, key.owner, record.left);
  own.emit(trustLockAbi, "Reclaimed", { ...key, amount: record.left });
  return record.left;
}

/**
 * Takes the sum of the parts. For modules, whose judgement is the protocol's: everybody is paid at once, other modules
 * too. Reverts with ZeroAmount, NoCommitment, CommitmentClosed or NotEnoughLeft.
 */
export function breachTrust(call: ModuleCall, key: CommitmentKey, reason: number, parts: readonly BreachPart[]): void {
  breach(call.in(TRUST_LOCK_ADDRESS), key, reason, parts, false);
}

/** The same for contracts: what is not burned or for the treasury is added to the beneficiaries' own locks. */
export function breachIntoLocks(
  call: ModuleCall,
  key: CommitmentKey,
  reason: number,
  parts: readonly BreachPart[],
): void {
  breach(call.in(TRUST_LOCK_ADDRESS), key, reason, parts, true);
}

function breach(
  own: ModuleCall,
  key: CommitmentKey,
  reason: number,
  parts: readonly BreachPart[],
  intoLocks: boolean,
): void {
  const { owner, commitment } = key;
  const amount = parts.reduce((sum, part) => sum + part.amount, 0n);
  const left = settle(own, key, "breached", amount);
  takeBound(own, owner, amount);
  own.emit(trustLockAbi, "Breached", { ...key, amount, reason, left });
  for (const part of parts) {
    if (part.amount === 0n) continue;
    const locked = intoLocks && part.to !== BURNED && part.to !== TREASURY_ADDRESS;
    if (locked) depositFunds(own, part.to, part.amount);
    else payOut(own, part);
    own.emit(trustLockAbi, "BreachPaid", { owner, commitment, beneficiary: part.to, amount: part.amount, locked });
  }
}

function payOut(own: ModuleCall, { to, amount }: BreachPart): void {
  if (to === BURNED) own.burn(amount);
  else if (to === TREASURY_ADDRESS) fundTreasury(own, amount, "breach");
  else own.pay(to, amount);
}

/** Takes the amount from what is left, and says what then is. The pots are the caller's to change. */
function settle(
  own: ModuleCall,
  key: CommitmentKey,
  how: "released" | "breached" | "reclaimed",
  amount: bigint,
): bigint {
  const { number, record } = openCommitment(own, key);
  if (amount === 0n) throw revertWith(trustLockAbi, "ZeroAmount", []);
  if (amount > record.left) throw revertWith(trustLockAbi, "NotEnoughLeft", [record.left, amount]);
  records.add(own, how, amount, key.owner, number);
  return record.left - amount;
}

function numberOf(own: ModuleCall, key: CommitmentKey): number | undefined {
  const stored = Number(own.read(numberSlot(key)));
  return stored === 0 ? undefined : stored - 1;
}

function openCommitment(own: ModuleCall, key: CommitmentKey): { readonly number: number; readonly record: Commitment } {
  const { owner, controller, commitment } = key;
  const number = numberOf(own, key);
  if (number === undefined) throw revertWith(trustLockAbi, "NoCommitment", [owner, controller, commitment]);
  const record = commitmentAt(own, owner, number);
  assert(record.left >= 0n, "no more is taken from a commitment than it has");
  if (record.left === 0n) throw revertWith(trustLockAbi, "CommitmentClosed", [owner, controller, commitment]);
  return { number, record };
}

function bindChecked(own: ModuleCall, owner: Address, amount: bigint): void {
  if (amount === 0n) throw revertWith(trustLockAbi, "ZeroAmount", []);
  const free = freeFunds(own, owner);
  if (amount > free) throw revertWith(trustLockAbi, "NotEnoughFree", [free, amount]);
  bindFree(own, owner, amount);
}

function checkDeadline(deadline: bigint, earliest: bigint, now: bigint): void {
  const latest = now + MAX_COMMITMENT_SECONDS;
  if (deadline <= earliest || deadline > latest) {
    throw revertWith(trustLockAbi, "BadDeadline", [deadline, earliest, latest]);
  }
}
