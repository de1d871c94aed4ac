/**
 * Withholding: whoever cannot get bytes that somebody owes it demands one chunk on chain, for a bond that pays for the
 * answer. No answer in time loses: the client its lock, the worker the job and all that is reserved.
 */
import { type Hex, hexToBytes } from "../../../base/bytes.ts";
import { verifyChunk } from "../../../compute/program/merkle.ts";
import { segmentRange } from "../../../compute/program/segments.ts";
import { marketAbi } from "../../interfaces/abi/market.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord } from "../address-word.ts";
import { MARKET_ADDRESS } from "../addresses.ts";
import { cancel, schedule } from "../agenda/schedule.ts";
import { protocolTime } from "../clock/clock.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { programPlan } from "../programs/program-store.ts";
import { changeEnd } from "./change-job.ts";
import { type CheckpointProof, chunksOf, hasChunk, isCheckpointChunk } from "./checkpoint-proof.ts";
import { addDemand, closeDemand, type Demand, type DemandKey, findDemand } from "./demand-record.ts";
import { hold, payHeld, returnExcess } from "./escrow.ts";
import {
  changeTimes,
  clientOf,
  INPUTS,
  isTask,
  type JobState,
  jobWords,
  OUTPUTS,
  programOf,
  readHashes,
  readState,
  readTerms,
  readTimes,
  requireJob,
  wordToHash,
  workerOf,
  writeState,
  wrongStatus,
} from "./job-record.ts";
import { MAX_DEMANDS, MAX_OPEN_DEMANDS } from "./limits.ts";
import { AGENDA_KIND, DEMAND_KIND, DEMAND_STATUS, JOB_STATUS } from "./numbers.ts";
import type { MarketPorts } from "./ports.ts";
import { raceEnd } from "./race.ts";
import { findRacer, racersOf } from "./racers.ts";
import { payAndGoOn } from "./segments.ts";
import { checkRange, requireProgram } from "./sources.ts";
import { onTaskFinal } from "./tasks.ts";

/** By a racer, or the worker, while it computes. It gets as much time as the answer may take. */
export function demandInput(call: ModuleCall, job: bigint, input: number, chunk: bigint): void {
  const state = requireJob(call, job);
  if (Number(state.status) !== JOB_STATUS.assigned) throw wrongStatus(job, state);
  requireWorkerOrRacer(call, job, state);
  checkItem("input", requireProgram(call, programOf(call, job)).inputs, input, chunk);
  begin(call, { job, kind: DEMAND_KIND.input, item: input, chunk }, clientOf(call, job));
  const { answerSeconds } = call.parameters.market;
  changeTimes(call, job, { extended: readTimes(call, job).extended + answerSeconds });
  const now = readState(call, job);
  const by = isTask(readTerms(call, job)) ? raceEnd(call, job, racersOf(call, job, now)) : now.by + answerSeconds;
  changeEnd(call, job, by);
}

function requireWorkerOrRacer(call: ModuleCall, job: bigint, { attempt }: JobState): void {
  const { caller } = call.message;
  if (isTask(readTerms(call, job))) {
    const racer = findRacer(call, job, attempt, caller);
    if (racer === undefined || racer.released > 0n) throw revertWith(marketAbi, "NotRacer", [job, caller]);
  } else requireWorker(call, job, caller);
}

function requireWorker(call: ModuleCall, job: bigint, caller: Address): void {
  const worker = workerOf(call, job)?.worker;
  if (caller !== worker)
    throw revertWith(marketAbi, "NotWorker", [worker ?? "0x0000000000000000000000000000000000000000"]);
}

/** By anybody, while the worker answers for it. */
export function demandOutput(call: ModuleCall, job: bigint, output: number, chunk: bigint): void {
  const state = requireJob(call, job);
  const isSettled = Number(state.status) === JOB_STATUS.settled && jobWords.get(call, "reserve", job) > 0n;
  const worker = workerOf(call, job)?.worker;
  if ((Number(state.status) !== JOB_STATUS.accepted && !isSettled) || worker === undefined)
    throw wrongStatus(job, state);
  const count = readHashes(call, OUTPUTS, job).length;
  if (count === 0) throw wrongStatus(job, state);
  checkItem("output", requireProgram(call, programOf(call, job)).outputs, output, chunk);
  begin(call, { job, kind: DEMAND_KIND.output, item: output, chunk }, worker);
}

/** By the client, before it has attested. */
export function demandCheckpoint(call: ModuleCall, job: bigint, buffer: number, chunk: bigint): void {
  const { caller } = call.message;
  const state = requireJob(call, job);
  const { segments } = readTerms(call, job);
  const client = clientOf(call, job);
  if (caller !== client && addressToWord(caller) !== jobWords.get(call, "holder", job)) {
    throw revertWith(marketAbi, "NotClient", [client]);
  }
  const worker = workerOf(call, job)?.worker;
  const isLate = state.attested > 0n || state.traps > 0n || state.segment + 1n === segments;
  if (Number(state.status) !== JOB_STATUS.accepted || isLate || worker === undefined) throw wrongStatus(job, state);
  const plan = programPlan(call, programOf(call, job));
  if (plan === undefined || !hasChunk(plan, checkpointEnd(call, job), buffer, chunk)) {
    throw revertWith(marketAbi, "OutOfRange", ["chunk", chunk, 0n, 0n]);
  }
  begin(call, { job, kind: DEMAND_KIND.checkpoint, item: buffer, chunk }, worker);
}

/** The first launch after the present segment. */
function checkpointEnd(call: ModuleCall, job: bigint): number {
  const { launches } = requireProgram(call, programOf(call, job));
  return segmentRange(launches, Number(readTerms(call, job).segments), Number(readState(call, job).segment)).end;
}

function checkItem(name: string, lengths: readonly number[], item: number, chunk: bigint): void {
  const length = lengths[item];
  if (length === undefined) {
    const most = BigInt(Math.max(0, lengths.length - 1));
    throw revertWith(marketAbi, "OutOfRange", [name, BigInt(item), 0n, most]);
  }
  checkRange("chunk", chunk, 0n, BigInt(chunksOf(length)) - 1n);
}

function begin(call: ModuleCall, key: DemandKey, accused: Address): void {
  const { caller: demander } = call.message;
  const { job, kind, item, chunk } = key;
  const before = findDemand(call, key);
  if (before?.status === DEMAND_STATUS.waits) throw revertWith(marketAbi, "DemandOpen", [before.by]);
  const state = readState(call, job);
  const counted = countDemand(state, demander === clientOf(call, job));
  const { demandBond: bond, answerSeconds } = call.parameters.market;
  returnExcess(call, bond);
  hold(call, bond);
  const by = protocolTime(call) + answerSeconds;
  const id = addDemand(call, { ...key, demander, accused, bond, by });
  writeState(call, job, { ...counted, demands: state.demands + 1n });
  schedule(call, { time: by }, { module: MARKET_ADDRESS, kind: AGENDA_KIND.demand, id });
  call.emit(marketAbi, "Demanded", { job, accused, demander, kind, item, chunk, by });
}

/** The client's own are counted apart: a worker could ask itself until nobody else can, and then hide the result. */
function countDemand(state: JobState, isClient: boolean): JobState {
  const waiting = BigInt(isClient ? 2 * MAX_OPEN_DEMANDS : MAX_OPEN_DEMANDS);
  if (state.demands >= waiting) throw revertWith(marketAbi, "Full", [waiting]);
  const before = isClient ? state.ownDemanded : state.demanded;
  if (before >= BigInt(MAX_DEMANDS)) throw revertWith(marketAbi, "Full", [BigInt(MAX_DEMANDS)]);
  return isClient ? { ...state, ownDemanded: before + 1n } : { ...state, demanded: before + 1n };
}

/** The bytes, and the hashes beside their path. */
export interface ChunkAnswer {
  readonly contents: Hex;
  readonly siblings: readonly Hex[];
}

export function answerInput(call: ModuleCall, ports: MarketPorts, key: DemandKey, answer: ChunkAnswer): void {
  const demand = requireDemand(call, key);
  const length = requireProgram(call, programOf(call, key.job)).inputs[key.item] ?? 0;
  checkChunk(readHashes(call, INPUTS, key.job)[key.item], length, key.chunk, answer);
  answered(call, ports, demand);
}

export function answerOutput(call: ModuleCall, ports: MarketPorts, key: DemandKey, answer: ChunkAnswer): void {
  const demand = requireDemand(call, key);
  const length = requireProgram(call, programOf(call, key.job)).outputs[key.item] ?? 0;
  checkChunk(readHashes(call, OUTPUTS, key.job)[key.item], length, key.chunk, answer);
  answered(call, ports, demand);
}

export function answerCheckpoint(
  call: ModuleCall,
  ports: MarketPorts,
  key: DemandKey,
  { contents, siblings }: ChunkAnswer,
  proof: CheckpointProof,
): void {
  const { job, item: buffer, chunk } = key;
  const demand = requireDemand(call, key);
  const plan = programPlan(call, programOf(call, job));
  const root = wordToHash(jobWords.get(call, "checkpointRoot", job));
  const claim = { root, buffer, chunk, contents: hexToBytes(contents), siblings, proof };
  if (plan === undefined || !isCheckpointChunk({ plan, end: checkpointEnd(call, job), ...claim })) {
    throw revertWith(marketAbi, "BadProof", []);
  }
  answered(call, ports, demand);
}

/** Only whom it is about: an answer is what the bond pays for. */
export function requireDemand(call: ModuleCall, key: DemandKey): Demand {
  const demand = findDemand(call, key);
  if (demand === undefined || demand.status !== DEMAND_STATUS.waits) {
    throw revertWith(marketAbi, "NoDemand", [key.job, key.kind, key.item, key.chunk]);
  }
  if (call.message.caller !== demand.accused) {
    if (key.kind === DEMAND_KIND.input) throw revertWith(marketAbi, "NotClient", [demand.accused]);
    throw revertWith(marketAbi, "NotWorker", [demand.accused]);
  }
  return demand;
}

function checkChunk(
  address: Hex | undefined,
  length: number,
  chunk: bigint,
  { contents, siblings }: ChunkAnswer,
): void {
  const path = { index: Number(chunk), count: length, siblings: siblings.map(hexToBytes) };
  if (address === undefined || !verifyChunk(hexToBytes(address), hexToBytes(contents), path)) {
    throw revertWith(marketAbi, "BadProof", []);
  }
}

function answered(call: ModuleCall, ports: MarketPorts, demand: Demand): void {
  const { id, job, accused, kind, item, chunk, bond } = demand;
  endDemand(call, demand, DEMAND_STATUS.answered);
  cancel(call, { module: MARKET_ADDRESS, kind: AGENDA_KIND.demand, id });
  payHeld(call, accused, bond);
  call.emit(marketAbi, "Answered", { job, accused, kind, item, chunk });
  goOn(call, ports, job);
}

export function endDemand(call: ModuleCall, demand: Demand, status: number): void {
  closeDemand(call, demand, status);
  const state = readState(call, demand.job);
  writeState(call, demand.job, { ...state, demands: state.demands - 1n });
}

/** What waited for the answers alone. */
export function goOn(call: ModuleCall, ports: MarketPorts, job: bigint): void {
  const { status, final, demands, attested, traps, segment } = readState(call, job);
  const terms = readTerms(call, job);
  if (Number(status) !== JOB_STATUS.accepted || final === 0n || demands > 0n) return;
  if (isTask(terms)) onTaskFinal(call, ports, job);
  else if (attested > 0n || traps > 0n || segment + 1n === terms.segments) payAndGoOn(call, ports, job);
}
