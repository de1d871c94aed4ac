/** What verification has decided, and what is due: the market's own steps. */
import { agendaAbi } from "../../interfaces/abi/agenda.ts";
import { AGENDA_ADDRESS, MARKET_ADDRESS } from "../addresses.ts";
import type { AgendaHandler } from "../agenda/agenda.ts";
import { protocolTime } from "../clock/clock.ts";
import type { ModuleCall } from "../module-call.ts";
import type { DecidedRound } from "../verification/round-types.ts";
import { changeJob } from "./change-job.ts";
import { drawWaiting } from "./draw.ts";
import { endLiability } from "./end-job.ts";
import { keepFailedVerdict, takeFailedVerdict } from "./failed-verdicts.ts";
import { isTask, jobWords, readState, readTerms } from "./job-record.ts";
import { MAX_DECIDED } from "./limits.ts";
import { ACTOR, AGENDA_KIND, isLive, JOB_STATUS, REASON } from "./numbers.ts";
import type { MarketPorts } from "./ports.ts";
import { onAuctionTimer, onSegmentAccepted, onSegmentFinal, onSegmentRejected } from "./segments.ts";
import { onTaskAccepted, onTaskFinal, onTaskRejected, onTaskTimer } from "./tasks.ts";
import { onDemandTimer } from "./withheld.ts";

/** At the end of every block. As with what is due, a verdict that cannot be applied is told, and stops no block. */
export function takeVerdicts(call: ModuleCall, ports: MarketPorts): void {
  for (const decided of ports.verification.takeDecided(call, MAX_DECIDED)) {
    const problem = call.attempt(() => applyIfPresent(call, ports, decided));
    if (problem === undefined) continue;
    const { job: id } = decided;
    call
      .in(AGENDA_ADDRESS)
      .emit(agendaAbi, "Failed", { module: MARKET_ADDRESS, kind: 0n, id, reason: problem.message });
    keepFailedVerdict(call, decided);
  }
}

/** What does not concern a job's present round any more is dropped. */
function applyIfPresent(call: ModuleCall, ports: MarketPorts, decided: DecidedRound): void {
  const { status, round } = readState(call, decided.job);
  const isVerified = Number(status) === JOB_STATUS.committed || Number(status) === JOB_STATUS.accepted;
  if (round === decided.round && isVerified) applyVerdict(call, ports, decided);
}

function tryAgain(call: ModuleCall, ports: MarketPorts, job: bigint): void {
  const decided = takeFailedVerdict(call, job);
  if (decided !== undefined) applyIfPresent(call, ports, decided);
}

function applyVerdict(call: ModuleCall, ports: MarketPorts, decided: DecidedRound): void {
  const { job, accepted, final } = decided;
  const isOfTask = isTask(readTerms(call, job));
  const wasAccepted = Number(readState(call, job).status) === JOB_STATUS.accepted;
  if (!accepted) {
    if (!final) doubt(call, job, wasAccepted);
    else if (isOfTask) onTaskRejected(call, ports, job, decided);
    else onSegmentRejected(call, ports, job, decided);
    return;
  }
  jobWords.set(call, "lastRound", decided.round, job);
  if (!wasAccepted && isOfTask) onTaskAccepted(call, job, decided);
  if (!wasAccepted && !isOfTask) onSegmentAccepted(call, job, decided);
  if (!final) return;
  if (isOfTask) onTaskFinal(call, ports, job);
  else onSegmentFinal(call, ports, job);
}

/** Found false, but the referee may still be called. Racers that were let go do not come back. */
function doubt(call: ModuleCall, job: bigint, wasAccepted: boolean): void {
  const status = wasAccepted ? JOB_STATUS.accepted : JOB_STATUS.committed;
  changeJob(call, job, { status, reason: REASON.wrong, actor: ACTOR.verifiers, by: 0n });
}

/** A job's state has lasted as long as it may. */
function onJobTimer(call: ModuleCall, ports: MarketPorts, job: bigint): void {
  const { status, by } = readState(call, job);
  if (!isLive(Number(status)) || by === 0n || protocolTime(call) < by) return;
  if (isTask(readTerms(call, job))) onTaskTimer(call, ports, job);
  else onAuctionTimer(call, ports, job);
}

export function marketAgenda(ports: MarketPorts): readonly AgendaHandler[] {
  const module = MARKET_ADDRESS;
  return [
    { module, kind: AGENDA_KIND.job, run: (call, job) => onJobTimer(call, ports, job) },
    { module, kind: AGENDA_KIND.draw, run: drawWaiting },
    { module, kind: AGENDA_KIND.liability, run: endLiability },
    { module, kind: AGENDA_KIND.demand, run: (call, id) => onDemandTimer(call, ports, id) },
    { module, kind: AGENDA_KIND.verdict, run: (call, job) => tryAgain(call, ports, job) },
  ];
}
