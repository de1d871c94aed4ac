/** What becomes of proposals: counted, withdrawn, carried out. */

import { utf8 } from "../../../base/bytes.ts";
import { formatOgpu } from "../../../base/units.ts";
import { WHOLE } from "../../../genesis/economy.ts";
import type { Waits } from "../../../genesis/verify-economy.ts";
import { governanceAbi } from "../../interfaces/abi/governance.ts";
import type { Address } from "../../state/account.ts";
import { wordToAddress } from "../address-word.ts";
import { GOVERNANCE_ADDRESS } from "../addresses.ts";
import type { AgendaHandler } from "../agenda/agenda.ts";
import { protocolTime } from "../clock/clock.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { type RecordSpace, recordSpace, writeBytes } from "../storage.ts";
import { fundTreasury, spendFromTreasury, treasuryBalance } from "../treasury/treasury.ts";
import { MOVE_ON, schedule, unschedule } from "./agenda.ts";
import { MAX_REASON_BYTES } from "./limits.ts";
import { makeChanges } from "./parameter-changes.ts";
import {
  changeDepositsHeld,
  kindOf,
  proposalRecords,
  proposerOf,
  rulesOf,
  STATUSES,
  type Status,
  setStatus,
  statusOf,
  type VotingRules,
} from "./proposals.ts";
import { scheduleUpgrade } from "./upgrades.ts";
import { checkVoting, readTally, type Tally } from "./voting.ts";

/** Where a spending proposal wants its money. */
export const spendings: RecordSpace<"to" | "amount"> = recordSpace("spending", ["to", "amount"]);

/**
 * The verdict of the votes:
 *
 *   NoQuorum   if yes + no + abstain + veto < quorumShare * total, or nobody could vote
 *   Vetoed     if veto >= vetoShare * (yes + no + abstain + veto), and anybody vetoes
 *   Queued     if yes >= thresholdShare * (yes + no + veto) and yes > no + veto
 *   Rejected   otherwise
 */
export function verdict(
  { yes, no, abstain, veto, total }: Tally,
  { quorumShare, thresholdShare, vetoShare }: Omit<VotingRules, "timelockSeconds">,
): Extract<Status, "queued" | "rejected" | "no-quorum" | "vetoed"> {
  const against = no + veto;
  const all = yes + against + abstain;
  if (total === 0n || all * WHOLE < quorumShare * total) return "no-quorum";
  if (veto > 0n && veto * WHOLE >= vetoShare * all) return "vetoed";
  const isAccepted = yes > against && yes * WHOLE >= thresholdShare * (yes + against);
  return isAccepted ? "queued" : "rejected";
}

/** The protocol's own work: counts and carries out what is due. */
export function governanceAgenda(waits: Waits): readonly AgendaHandler[] {
  const run = (call: ModuleCall, id: bigint): void => {
    unschedule(call, id);
    if (statusOf(call, id) === "voting") count(call, id, proposalRecords.get(call, "due", id));
    else carryOut(call, id, waits);
  };
  return [{ module: GOVERNANCE_ADDRESS, kind: MOVE_ON, run }];
}

/** By its proposer, while votes are counted. */
export function cancel(call: ModuleCall, id: bigint): void {
  checkVoting(call, id);
  const { caller } = call.message;
  if (proposerOf(call, id) !== caller) throw revertWith(governanceAbi, "NotProposer", [id, caller]);
  const [created, due, deposit] = (["created", "due", "deposit"] as const).map((field) =>
    proposalRecords.get(call, field, id),
  ) as [bigint, bigint, bigint];
  unschedule(call, id);
  const tally = readTally(call, id);
  // Whoever withdraws pays for the time: or all places could be held for nothing, by proposing and withdrawing.
  const now = protocolTime(call);
  const rest = (deposit * (due - now)) / (due - created);
  const isVetoed = verdict(tally, { ...rulesOf(call, id), quorumShare: 0n }) === "vetoed";
  settle(call, id, "cancelled", now, isVetoed ? 0n : rest, tally);
}

function count(call: ModuleCall, id: bigint, due: bigint): void {
  const tally = readTally(call, id);
  const rules = rulesOf(call, id);
  const status = verdict(tally, rules);
  const deposit = proposalRecords.get(call, "deposit", id);
  const isLost = status === "no-quorum" || status === "vetoed";
  // The time lock begins when the verdict is there for all to see, which may be blocks after the end of voting.
  const now = protocolTime(call);
  const until = status === "queued" ? now + rules.timelockSeconds : due;
  if (status === "queued") schedule(call, id, until);
  settle(call, id, status, until, isLost ? 0n : deposit, tally);
}

/** Ends the voting: `returned` of the deposit to the proposer, the rest to the treasury. */
function settle(call: ModuleCall, id: bigint, status: Status, due: bigint, returned: bigint, tally: Tally): void {
  const deposit = proposalRecords.get(call, "deposit", id);
  setStatus(call, id, status, due);
  changeDepositsHeld(call, -deposit);
  if (returned > 0n) call.pay(proposerOf(call, id), returned);
  fundTreasury(call, deposit - returned, "lost deposit");
  call.emit(governanceAbi, "Decided", { id, status: STATUSES.indexOf(status), ...tally, returned });
}

/** An accepted proposal that cannot be carried out is recorded as such: nothing that it wants may stop a block. */
function carryOut(call: ModuleCall, id: bigint, waits: Waits): void {
  const reason = perform(call, id, waits);
  const now = protocolTime(call);
  if (reason === undefined) {
    setStatus(call, id, "executed", now);
    call.emit(governanceAbi, "Executed", { id });
    return;
  }
  setStatus(call, id, "failed", now);
  writeBytes(call, utf8(reason).subarray(0, MAX_REASON_BYTES), "failure", id);
  call.emit(governanceAbi, "ExecutionFailed", { id, reason });
}

/** Answers with why not, if so; then nothing has happened. */
function perform(call: ModuleCall, id: bigint, waits: Waits): string | undefined {
  switch (kindOf(call, id)) {
    case "parameters":
      return makeChanges(call, id, waits);
    case "spending":
      return spend(call, id);
    case "upgrade":
      return scheduleUpgrade(call, id);
    default:
      return undefined;
  }
}

function spend(call: ModuleCall, id: bigint): string | undefined {
  const { to, amount } = readSpending(call, id);
  if (spendFromTreasury(call, id, to, amount)) return undefined;
  return `the treasury has ${formatOgpu(treasuryBalance(call))} oGPU, less than ${formatOgpu(amount)}`;
}

export function readSpending(call: ModuleCall, id: bigint): { readonly to: Address; readonly amount: bigint } {
  return { to: wordToAddress(spendings.get(call, "to", id)), amount: spendings.get(call, "amount", id) };
}
