/** The trust lock module: money that clients and providers lock, and that stands behind their promises. */
import type { Hex } from "../../../base/bytes.ts";
import { trustLockAbi } from "../../interfaces/abi/trust-lock.ts";
import type { Address } from "../../state/account.ts";
import { isModuleAddress, TREASURY_ADDRESS, TRUST_LOCK_ADDRESS } from "../addresses.ts";
import { protocolTime } from "../clock/clock.ts";
import {
  beginLeaving,
  boundFunds,
  depositFunds,
  freeFunds,
  heldFunds,
  leavingEntries,
  leavingFunds,
  payDue,
  stayAfterAll,
} from "../held-funds.ts";
import { defineModule, type NativeModule } from "../module.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { MAX_PAGE, positionsFrom } from "../page.ts";
import type { ParameterStore } from "../parameter-store.ts";
import {
  allocateTrust,
  type BreachPart,
  BURNED,
  breachIntoLocks,
  type Commitment,
  type CommitmentKey,
  commitmentAt,
  commitmentCount,
  extendTrust,
  findCommitment,
  increaseTrust,
  reclaimTrust,
  releaseTrust,
} from "./commitments.ts";
import { MAX_BENEFICIARIES } from "./limits.ts";

/** What an account has locked. */
export interface TrustAccount {
  readonly free: bigint;
  /** Set aside for commitments. */
  readonly allocated: bigint;
  readonly unlocking: bigint;
}

export function trustAccount(call: ModuleCall, owner: Address): TrustAccount {
  const own = call.in(TRUST_LOCK_ADDRESS);
  return { free: freeFunds(own, owner), allocated: boundFunds(own, owner), unlocking: leavingFunds(own, owner) };
}

export function createTrustLockModule(parameters: ParameterStore): NativeModule {
  return defineModule({
    name: "trust-lock",
    address: TRUST_LOCK_ADDRESS,
    abi: trustLockAbi,
    parameters,
    handlers: {
      lock: (call) => {
        const total = totalOf(call, call.message.caller);
        if (total > 0n) throw revertWith(trustLockAbi, "LockExists", [total]);
        addToLock(call);
      },
      topUp: (call) => {
        if (totalOf(call, call.message.caller) === 0n) throw revertWith(trustLockAbi, "NoLock", []);
        addToLock(call);
      },
      allocate: (call, commitment, controller, amount, deadline) => {
        const key = keyOfOwner(call, controller, commitment);
        checkController(key);
        allocateTrust(call, key, amount, deadline);
      },
      increase: (call, commitment, controller, amount) =>
        increaseTrust(call, keyOfOwner(call, controller, commitment), amount),
      extend: (call, commitment, controller, deadline) =>
        extendTrust(call, keyOfOwner(call, controller, commitment), deadline),
      reclaim: (call, commitment, controller) => reclaimTrust(call, keyOfOwner(call, controller, commitment)),
      release: (call, owner, commitment, amount) =>
        releaseTrust(call, keyOfController(call, owner, commitment), amount),
      breach: (call, owner, commitment, amount, reason, beneficiaries, amounts) => {
        const parts = partsOf(beneficiaries, amounts, amount);
        breachIntoLocks(call, keyOfController(call, owner, commitment), reason, parts);
      },
      unlock,
      cancelUnlock,
      withdraw,
      accountOf: (call, owner) => {
        const { free, allocated, unlocking } = trustAccount(call, lower(owner));
        return [free + allocated + unlocking, free, allocated, unlocking];
      },
      unlocksOf: (call, owner) => {
        const entries = leavingEntries(call, lower(owner));
        return [entries.map(({ amount }) => amount), entries.map(({ due }) => due)];
      },
      commitmentOf: (call, owner, controller, commitment) => {
        const key = { owner: lower(owner), controller: lower(controller), commitment: lower(commitment) };
        return findCommitment(call, key) ?? noCommitment(key);
      },
      commitmentCount: (call, owner) => BigInt(commitmentCount(call, lower(owner))),
      commitmentsOf: (call, owner, start, limit) => {
        if (limit > MAX_PAGE) throw revertWith(trustLockAbi, "TooMany", [MAX_PAGE]);
        const key = lower(owner);
        return positionsFrom(start, limit, commitmentCount(call, key)).map((index) => commitmentAt(call, key, index));
      },
      totalLocked: heldFunds,
    },
  });
}

function totalOf(call: ModuleCall, owner: Address): bigint {
  const { free, allocated, unlocking } = trustAccount(call, owner);
  return free + allocated + unlocking;
}

function addToLock(call: ModuleCall): void {
  const { caller, value } = call.message;
  if (value === 0n) throw revertWith(trustLockAbi, "NothingSent", []);
  depositFunds(call, caller, value);
  checkMinimum(call, caller);
  call.emit(trustLockAbi, "Locked", { owner: caller, amount: value, total: totalOf(call, caller) });
}

/** Of what does not leave. */
function checkMinimum(call: ModuleCall, owner: Address): void {
  const { free, allocated } = trustAccount(call, owner);
  const { minLock } = call.parameters.trustLock;
  if (free + allocated < minLock) throw revertWith(trustLockAbi, "BelowMinimum", [free + allocated, minLock]);
}

function unlock(call: ModuleCall, amount: bigint): bigint {
  const { caller } = call.message;
  if (amount === 0n) throw revertWith(trustLockAbi, "ZeroAmount", []);
  const { free, allocated } = trustAccount(call, caller);
  if (amount > free) throw revertWith(trustLockAbi, "NotEnoughFree", [free, amount]);
  const due = beginLeaving(call, caller, amount, protocolTime(call) + call.parameters.trustLock.unlockSeconds);
  if (amount < free + allocated) checkMinimum(call, caller);
  call.emit(trustLockAbi, "UnlockStarted", { owner: caller, amount, due });
  return due;
}

function cancelUnlock(call: ModuleCall, amount: bigint): void {
  const { caller } = call.message;
  if (amount === 0n) throw revertWith(trustLockAbi, "ZeroAmount", []);
  const unlocking = leavingFunds(call, caller);
  if (amount > unlocking) throw revertWith(trustLockAbi, "NotEnoughUnlocking", [unlocking, amount]);
  stayAfterAll(call, caller, amount);
  call.emit(trustLockAbi, "UnlockCancelled", { owner: caller, amount });
}

function withdraw(call: ModuleCall): bigint {
  const { caller } = call.message;
  const amount = payDue(call, caller, protocolTime(call));
  if (amount === 0n) throw revertWith(trustLockAbi, "NothingDue", [leavingEntries(call, caller)[0]?.due ?? 0n]);
  call.emit(trustLockAbi, "Withdrawn", { owner: caller, amount });
  return amount;
}

/** Modules take commitments by functions of their own: one made behind a module's back could be in its way. */
function checkController({ owner, controller }: CommitmentKey): void {
  if (controller === owner || controller === BURNED || isModuleAddress(controller)) {
    throw revertWith(trustLockAbi, "BadController", [controller]);
  }
}

function partsOf(beneficiaries: readonly Hex[], amounts: readonly bigint[], amount: bigint): readonly BreachPart[] {
  const count = beneficiaries.length;
  if (count !== amounts.length || count === 0 || count > MAX_BENEFICIARIES) {
    throw revertWith(trustLockAbi, "BadSplit", [BigInt(count), BigInt(amounts.length), BigInt(MAX_BENEFICIARIES)]);
  }
  const parts = beneficiaries.map((to, index) => ({ to: lower(to), amount: amounts[index] ?? 0n }));
  const sum = parts.reduce((total, part) => total + part.amount, 0n);
  if (sum !== amount) throw revertWith(trustLockAbi, "SplitNotWhole", [sum % (1n << 256n), amount]);
  for (const { to } of parts) {
    if (to !== TREASURY_ADDRESS && isModuleAddress(to)) throw revertWith(trustLockAbi, "BadBeneficiary", [to]);
  }
  return parts;
}

/** The caller is the owner. */
function keyOfOwner({ message }: ModuleCall, controller: Hex, commitment: Hex): CommitmentKey {
  return { owner: message.caller, controller: lower(controller), commitment: lower(commitment) };
}

/** The caller is the controller. */
function keyOfController({ message }: ModuleCall, owner: Hex, commitment: Hex): CommitmentKey {
  return { owner: lower(owner), controller: message.caller, commitment: lower(commitment) };
}

function noCommitment(key: CommitmentKey): Commitment {
  const nothing = { amount: 0n, released: 0n, breached: 0n, reclaimed: 0n, left: 0n, since: 0n, deadline: 0n };
  return { ...key, status: 0, ...nothing };
}

function lower(text: Hex): Hex {
  return text.toLowerCase() as Hex;
}
