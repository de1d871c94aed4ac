/** What came of a job: for contracts that look, and in numbers for its client. */
import type { Hex } from "../../../base/bytes.ts";
import type { ModuleCall } from "../module-call.ts";
import { programSummary } from "../programs/program-store.ts";
import {
  clientOf,
  INPUTS,
  jobWords,
  OUTPUTS,
  programOf,
  readHashes,
  readState,
  readTerms,
  readTimes,
  workerOf,
} from "./job-record.ts";
import { isLive, JOB_STATUS } from "./numbers.ts";
import type { MarketPorts, RoundAssurance } from "./ports.ts";

export interface JobResult {
  readonly done: boolean;
  readonly accepted: boolean;
  readonly outputs: readonly Hex[];
}

/** A program that traps was paid for, and has no outputs. */
export function resultOf(call: ModuleCall, job: bigint): JobResult {
  const { status, traps } = readState(call, job);
  const accepted = Number(status) === JOB_STATUS.settled && traps === 0n;
  const done = status > 0n && !isLive(Number(status));
  return { done, accepted, outputs: accepted ? readHashes(call, OUTPUTS, job) : [] };
}

const NO_ASSURANCE: RoundAssurance = {
  seats: 0,
  tier: 0,
  stakeAtRisk: 0n,
  adversaryShare: 0n,
  corruptibleShare: 0n,
  passChance: 0n,
  voteError: 0n,
};

const NOBODY: Hex = "0x0000000000000000000000000000000000000000";

export function receiptOf(call: ModuleCall, { verification }: MarketPorts, job: bigint): Record<string, unknown> {
  const state = readState(call, job);
  const round = jobWords.get(call, "lastRound", job);
  const { tier, ...assurance } = round === 0n ? NO_ASSURANCE : verification.assuranceOf(call, round);
  const program = programOf(call, job);
  const get = (field: Parameters<typeof jobWords.get>[1]): bigint => jobWords.get(call, field, job);
  return {
    job,
    status: Number(state.status),
    reason: Number(state.reason),
    client: clientOf(call, job),
    worker: workerOf(call, job)?.worker ?? NOBODY,
    program,
    inputs: readHashes(call, INPUTS, job),
    outputs: readHashes(call, OUTPUTS, job),
    traps: state.traps > 0n,
    round,
    ...assurance,
    assurance: tier,
    workerAtRisk: workerOf(call, job) === undefined ? 0n : get("reserve"),
    refereeable: programSummary(call, program)?.refereeable ?? false,
    paid: get("paid"),
    burned: get("burned"),
    treasury: get("treasury"),
    verification: get("verified"),
    minted: get("minted"),
    refunded: get("refunded"),
    created: readTerms(call, job).created,
    ended: readTimes(call, job).ended,
  };
}
