/** The verifiers module: who recomputes parts of jobs, with stake of their own, and who is drawn to do it. */
import { type Hex, hexToBytes } from "../../../base/bytes.ts";
import type { GenesisVerifier } from "../../../genesis/chain-spec.ts";
import { verifiersAbi } from "../../interfaces/abi/verifiers.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import { VERIFIERS_ADDRESS } from "../addresses.ts";
import { protocolTime } from "../clock/clock.ts";
import {
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
import { listSpace } from "../storage.ts";
import { MAX_EXCLUDED } from "./limits.ts";
import { drawVerifier, type Snapshot, snapshotFor, takeFirstSnapshot, takeSnapshot, weightAt } from "./snapshot.ts";
import {
  dueOf,
  jailedUntil,
  leaveWith,
  unitsOf,
  VERIFIER_STATUS,
  verifierRecords,
  verifierStake,
  verifierStatus,
  weigh,
} from "./stake.ts";

/** Everybody who is registered and does not leave. */
const registered = listSpace("verifiers");

const NOBODY: Address = "0x0000000000000000000000000000000000000000";

export function createVerifiersModule(
  parameters: ParameterStore,
  verifiers: readonly GenesisVerifier[] = [],
): NativeModule {
  return defineModule({
    name: "verifiers",
    address: VERIFIERS_ADDRESS,
    abi: verifiersAbi,
    parameters,
    handlers: {
      register,
      registerInPlaceOf: (call, other) => registerInPlaceOf(call, lower(other)),
      topUp,
      requestWithdrawal,
      cancelWithdrawal,
      withdraw,
      pause: (call) => changeStatus(call, "active", "paused"),
      resume: (call) => changeStatus(call, "paused", "active"),
      exit,
      unjail,
      verifierOf: (call, account) => verifierView(call, lower(account)),
      withdrawalsOf: (call, account) => {
        const entries = leavingEntries(call, lower(account));
        return [entries.map(({ amount }) => amount), entries.map((entry) => dueOf(call, entry))];
      },
      verifierCount: (call) => BigInt(registered.length(call)),
      verifiers: (call, start, limit) =>
        positions(start, limit, registered.length(call)).map((index) =>
          verifierView(call, wordToAddress(registered.at(call, index))),
        ),
      snapshotOf: (call, epoch) => {
        const { size, units } = requireSnapshot(call, epoch);
        return [BigInt(size), units];
      },
      snapshotWeights: (call, epoch, start, limit) => {
        const snapshot = requireSnapshot(call, epoch);
        return positions(start, limit, snapshot.size).map((index) => weightAt(call, snapshot, index));
      },
      draw: (call, epoch, seed, seat, excluded) => {
        if (excluded.length > MAX_EXCLUDED) throw revertWith(verifiersAbi, "TooMany", [BigInt(MAX_EXCLUDED)]);
        requireSnapshot(call, epoch);
        return drawVerifier(call, epoch, hexToBytes(seed), seat, excluded.map(lower)) ?? NOBODY;
      },
      totalStake: heldFunds,
    },
    genesis: (call) => {
      for (const verifier of verifiers) addGenesisVerifier(call, verifier);
      if (verifiers.length > 0) takeFirstSnapshot(call, everybody(call));
    },
    endEpoch: (call) => takeSnapshot(call, everybody(call)),
  });
}

function* everybody(call: ModuleCall): Iterable<Address> {
  const count = registered.length(call);
  for (let index = 0; index < count; index++) yield wordToAddress(registered.at(call, index));
}

function register(call: ModuleCall): void {
  checkNewcomer(call);
  const { maxVerifiers } = call.parameters.verifiers;
  if (isFull(call)) throw revertWith(verifiersAbi, "TooManyVerifiers", [maxVerifiers]);
  addVerifier(call, call.message.caller, call.message.value);
}

/**
 * Places are for those with the most stake, as those of validators are: or whoever fills them first, with the least stake
 * in each, would keep everybody else out of all draws.
 */
function registerInPlaceOf(call: ModuleCall, other: Address): void {
  const { caller, value } = call.message;
  checkNewcomer(call);
  if (isFull(call)) {
    requireStaying(call, other);
    const weight = verifierRecords.get(call, "weight", other);
    if (value <= weight) throw revertWith(verifiersAbi, "NotWeaker", [other, weight]);
    beginExit(call, other);
  }
  addVerifier(call, caller, value);
}

/** Throws AlreadyRegistered or BelowMinimum. */
function checkNewcomer(call: ModuleCall): void {
  const { caller, value } = call.message;
  if (verifierStatus(call, caller) !== VERIFIER_STATUS.none) {
    throw revertWith(verifiersAbi, "AlreadyRegistered", [caller]);
  }
  const { minStake } = call.parameters.verifiers;
  if (value < minStake) throw revertWith(verifiersAbi, "BelowMinimum", [value, minStake]);
}

function isFull(call: ModuleCall): boolean {
  return BigInt(registered.length(call)) >= call.parameters.verifiers.maxVerifiers;
}

function addVerifier(call: ModuleCall, account: Address, stake: bigint): void {
  depositFunds(call, account, stake);
  verifierRecords.set(call, "status", VERIFIER_STATUS.active, account);
  verifierRecords.set(call, "since", protocolTime(call), account);
  registered.add(call, addressToWord(account));
  weigh(call, account);
  call.emit(verifiersAbi, "Registered", { verifier: account, amount: stake });
}

function addGenesisVerifier(call: ModuleCall, { account, stake }: GenesisVerifier): void {
  call.mint(stake);
  addVerifier(call, account, stake);
}

function topUp(call: ModuleCall): void {
  const { caller, value } = call.message;
  requireStaying(call);
  if (value === 0n) throw revertWith(verifiersAbi, "NothingSent", []);
  depositFunds(call, caller, value);
  weigh(call, caller);
  call.emit(verifiersAbi, "ToppedUp", { verifier: caller, amount: value });
}

function requestWithdrawal(call: ModuleCall, amount: bigint): bigint {
  const { caller } = call.message;
  requireStaying(call);
  if (amount === 0n) throw revertWith(verifiersAbi, "ZeroAmount", []);
  const { stake } = verifierStake(call, caller);
  if (amount > stake) throw revertWith(verifiersAbi, "NotEnoughStake", [stake, amount]);
  const { minStake } = call.parameters.verifiers;
  if (stake - amount < minStake) throw revertWith(verifiersAbi, "BelowMinimum", [stake - amount, minStake]);
  return leaveWith(call, caller, amount);
}

function cancelWithdrawal(call: ModuleCall, amount: bigint): void {
  const { caller } = call.message;
  requireStaying(call);
  if (amount === 0n) throw revertWith(verifiersAbi, "ZeroAmount", []);
  const leaving = leavingFunds(call, caller);
  if (amount > leaving) throw revertWith(verifiersAbi, "NotEnoughLeaving", [leaving, amount]);
  stayAfterAll(call, caller, amount);
  weigh(call, caller);
  call.emit(verifiersAbi, "WithdrawalCancelled", { verifier: caller, amount });
}

function withdraw(call: ModuleCall): bigint {
  const { caller } = call.message;
  const amount = payDue(call, caller, protocolTime(call), (entry) => dueOf(call, entry));
  if (amount > 0n) call.emit(verifiersAbi, "Withdrawn", { verifier: caller, amount });
  const hasLeft = endRegistration(call, caller);
  if (amount === 0n && !hasLeft) {
    const [next] = leavingEntries(call, caller);
    throw revertWith(verifiersAbi, "NothingDue", [next === undefined ? 0n : dueOf(call, next)]);
  }
  return amount;
}

/** Once nothing of a leaving verifier is left here, whether it was paid or taken. A jail outlasts the registration. */
function endRegistration(call: ModuleCall, verifier: Address): boolean {
  if (verifierStatus(call, verifier) !== VERIFIER_STATUS.leaving) return false;
  const { stake, frozen, leaving } = verifierStake(call, verifier);
  if (stake + frozen + leaving > 0n) return false;
  verifierRecords.set(call, "status", VERIFIER_STATUS.none, verifier);
  call.emit(verifiersAbi, "Exited", { verifier });
  return true;
}

function exit(call: ModuleCall): void {
  requireStaying(call);
  beginExit(call, call.message.caller);
}

function beginExit(call: ModuleCall, verifier: Address): void {
  verifierRecords.set(call, "status", VERIFIER_STATUS.leaving, verifier);
  registered.remove(call, addressToWord(verifier));
  weigh(call, verifier);
  call.emit(verifiersAbi, "ExitStarted", { verifier });
  const stake = freeFunds(call, verifier);
  if (stake > 0n) leaveWith(call, verifier, stake);
}

function unjail(call: ModuleCall): void {
  const { caller } = call.message;
  requireStaying(call);
  const until = jailedUntil(call, caller);
  if (until === 0n) throw revertWith(verifiersAbi, "NotJailed", [caller]);
  const now = protocolTime(call);
  if (now < until) throw revertWith(verifiersAbi, "StillJailed", [until, now]);
  verifierRecords.set(call, "jailedUntil", 0n, caller);
  weigh(call, caller);
  call.emit(verifiersAbi, "Unjailed", { verifier: caller });
}

function changeStatus(call: ModuleCall, from: "active" | "paused", to: "active" | "paused"): void {
  const { caller } = call.message;
  if (requireStaying(call) !== VERIFIER_STATUS[from]) {
    throw revertWith(verifiersAbi, from === "active" ? "NotActive" : "NotPaused", [caller]);
  }
  verifierRecords.set(call, "status", VERIFIER_STATUS[to], caller);
  weigh(call, caller);
  call.emit(verifiersAbi, to === "paused" ? "Paused" : "Resumed", { verifier: caller });
}

/** The caller's status, or another's; reverts if it is no verifier or leaves. */
function requireStaying(call: ModuleCall, account: Address = call.message.caller): bigint {
  const status = verifierStatus(call, account);
  if (status === VERIFIER_STATUS.none) throw revertWith(verifiersAbi, "NotRegistered", [account]);
  if (status === VERIFIER_STATUS.leaving) throw revertWith(verifiersAbi, "IsLeaving", [account]);
  return status;
}

function requireSnapshot(call: ModuleCall, epoch: bigint): Snapshot {
  const snapshot = snapshotFor(call, epoch);
  if (snapshot === undefined) throw revertWith(verifiersAbi, "NoSnapshot", [epoch]);
  return snapshot;
}

function verifierView(call: ModuleCall, account: Address): Record<string, unknown> {
  const status = verifierStatus(call, account);
  return {
    account,
    status: Number(status),
    ...verifierStake(call, account),
    units: unitsOf(call, account),
    jailedUntil: jailedUntil(call, account),
    since: status === VERIFIER_STATUS.none ? 0n : verifierRecords.get(call, "since", account),
  };
}

function positions(start: bigint, limit: bigint, count: number): readonly number[] {
  if (limit > MAX_PAGE) throw revertWith(verifiersAbi, "TooMany", [MAX_PAGE]);
  return positionsFrom(start, limit, count);
}

function lower(text: Hex): Hex {
  return text.toLowerCase() as Hex;
}
