/**
 * Money that a module holds for people. Each owner has three pots that share nothing: `free`, `bound` to something that
 * the module knows, and `leaving`. What leaves waits until it is due, first come first out, and is within reach of
 * penalties until it is paid. Whatever is in a pot is in the module's account: `heldFunds` is the sum of all pots.
 *
 * All functions take a call in the account of the module that holds the money, and the owner in lower case. What they
 * take from a pot they assert to be there: modules check first, with errors of their own.
 */
import { assert } from "../../base/errors.ts";
import type { Address } from "../state/account.ts";
import { currentEpoch } from "./clock/clock.ts";
import type { ModuleCall } from "./module-call.ts";
import { fieldSlot, recordSpace, slotOf } from "./storage.ts";

/** What waits to be paid out, at the same time. More is added to the last, which then waits for the later of both. */
export const MAX_LEAVING = 16;

export interface LeavingFunds {
  readonly amount: bigint;
  /** Protocol time in seconds. */
  readonly due: bigint;
  /** In which it began to leave. */
  readonly epoch: bigint;
}

/** `first` to `next` - 1 are the numbers of the entries that wait. */
const pots = recordSpace("funds", ["free", "bound", "leaving", "first", "next"]);
const HELD_SLOT = slotOf("funds held");

export function freeFunds(own: ModuleCall, owner: Address): bigint {
  return pots.get(own, "free", owner);
}

export function boundFunds(own: ModuleCall, owner: Address): bigint {
  return pots.get(own, "bound", owner);
}

export function leavingFunds(own: ModuleCall, owner: Address): bigint {
  return pots.get(own, "leaving", owner);
}

/** All pots of all owners. The account may have more: anybody can send money to it, and that belongs to nobody. */
export function heldFunds(own: ModuleCall): bigint {
  return own.read(HELD_SLOT);
}

/** The money is in the account already, as the value of the call or out of another pot. */
export function depositFunds(own: ModuleCall, owner: Address, amount: bigint): void {
  pots.add(own, "free", amount, owner);
  own.write(HELD_SLOT, heldFunds(own) + amount);
}

/** Takes it out of what the module holds; the caller pays it to somebody, or burns it. */
export function takeFree(own: ModuleCall, owner: Address, amount: bigint): void {
  pots.add(own, "free", -amount, owner);
  forget(own, amount);
}

export function takeBound(own: ModuleCall, owner: Address, amount: bigint): void {
  pots.add(own, "bound", -amount, owner);
  forget(own, amount);
}

/** Those that came last go first: they have waited least. */
export function takeLeaving(own: ModuleCall, owner: Address, amount: bigint): void {
  shortenLeaving(own, owner, amount);
  forget(own, amount);
}

export function bindFree(own: ModuleCall, owner: Address, amount: bigint): void {
  pots.add(own, "free", -amount, owner);
  pots.add(own, "bound", amount, owner);
}

export function bindLeaving(own: ModuleCall, owner: Address, amount: bigint): void {
  shortenLeaving(own, owner, amount);
  pots.add(own, "bound", amount, owner);
}

export function unbind(own: ModuleCall, owner: Address, amount: bigint): void {
  pots.add(own, "bound", -amount, owner);
  pots.add(own, "free", amount, owner);
}

/** Free money begins to leave; says when it is due. No entry is due before one that came earlier. */
export function beginLeaving(own: ModuleCall, owner: Address, amount: bigint, due: bigint): bigint {
  assert(amount > 0n, "what leaves is something");
  pots.add(own, "free", -amount, owner);
  pots.add(own, "leaving", amount, owner);
  const first = pots.get(own, "first", owner);
  const next = pots.get(own, "next", owner);
  const last = next > first ? entryAt(own, owner, next - 1n) : undefined;
  const epoch = currentEpoch(own);
  const laterDue = last !== undefined && last.due > due ? last.due : due;
  if (last !== undefined && next - first >= BigInt(MAX_LEAVING)) {
    writeEntry(own, owner, next - 1n, { amount: last.amount + amount, due: laterDue, epoch });
  } else {
    writeEntry(own, owner, next, { amount, due: laterDue, epoch });
    pots.set(own, "next", next + 1n, owner);
  }
  return laterDue;
}

/** What was leaving is free again, the last of it first. */
export function stayAfterAll(own: ModuleCall, owner: Address, amount: bigint): void {
  shortenLeaving(own, owner, amount);
  pots.add(own, "free", amount, owner);
}

/**
 * Pays the owner what is due at `now`; says how much that was. A module that knows more than when something began to
 * leave says with `dueOf` when it is due, never earlier for what began later.
 */
export function payDue(
  own: ModuleCall,
  owner: Address,
  now: bigint,
  dueOf: (entry: LeavingFunds) => bigint = ({ due }) => due,
): bigint {
  const first = pots.get(own, "first", owner);
  const next = pots.get(own, "next", owner);
  let paid = 0n;
  let index = first;
  for (; index < next; index++) {
    const entry = entryAt(own, owner, index);
    if (dueOf(entry) > now) break;
    paid += entry.amount;
    writeEntry(own, owner, index, NO_FUNDS);
  }
  if (paid === 0n) return 0n;
  pots.set(own, "first", index, owner);
  pots.add(own, "leaving", -paid, owner);
  forget(own, paid);
  own.pay(owner, paid);
  return paid;
}

/** What waits, in the order in which it is paid. */
export function leavingEntries(own: ModuleCall, owner: Address): readonly LeavingFunds[] {
  const first = pots.get(own, "first", owner);
  const count = Number(pots.get(own, "next", owner) - first);
  return Array.from({ length: count }, (_, offset) => entryAt(own, owner, first + BigInt(offset)));
}

function shortenLeaving(own: ModuleCall, owner: Address, amount: bigint): void {
  const first = pots.get(own, "first", owner);
  let next = pots.get(own, "next", owner);
  let rest = amount;
  while (rest > 0n) {
    assert(next > first, "no more is taken than leaves");
    const last = entryAt(own, owner, next - 1n);
    const taken = last.amount < rest ? last.amount : rest;
    rest -= taken;
    const left = last.amount - taken;
    writeEntry(own, owner, next - 1n, left > 0n ? { ...last, amount: left } : NO_FUNDS);
    if (left === 0n) next--;
  }
  pots.set(own, "next", next, owner);
  pots.add(own, "leaving", -amount, owner);
}

function forget(own: ModuleCall, amount: bigint): void {
  const held = heldFunds(own) - amount;
  assert(held >= 0n, "a module pays no more than it holds for people");
  own.write(HELD_SLOT, held);
}

const NO_FUNDS: LeavingFunds = { amount: 0n, due: 0n, epoch: 0n };
/** Amount, epoch and due time in one word: the last two have 64 bits each, and all the money there is fits in 85. */
const PART_BITS = 64n;
const PART_MASK = (1n << PART_BITS) - 1n;

function entryAt(own: ModuleCall, owner: Address, index: bigint): LeavingFunds {
  const word = own.read(entrySlot(owner, index));
  return { amount: word >> (2n * PART_BITS), due: word & PART_MASK, epoch: (word >> PART_BITS) & PART_MASK };
}

function writeEntry(own: ModuleCall, owner: Address, index: bigint, { amount, due, epoch }: LeavingFunds): void {
  own.write(entrySlot(owner, index), (((amount << PART_BITS) | epoch) << PART_BITS) | due);
}

/** A ring, so that slots are used again. It has room for all that may wait. */
function entrySlot(owner: Address, index: bigint): ReturnType<typeof slotOf> {
  return fieldSlot(slotOf("funds leaving", owner), Number(index % BigInt(MAX_LEAVING)));
}
