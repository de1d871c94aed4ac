/** Who races: drawn by the beacon among idle members of the source, for the task that has waited longest. */
import { bytes32, bytesToBigint, concatBytes } from "../../../base/bytes.ts";
import { sha256 } from "../../../base/sha256.ts";
import { marketAbi } from "../../interfaces/abi/market.ts";
import { MARKET_ADDRESS } from "../addresses.ts";
import { type AgendaEntry, dueOf, schedule } from "../agenda/schedule.ts";
import { protocolTime } from "../clock/clock.ts";
import type { ModuleCall } from "../module-call.ts";
import { collateralOf, isAvailable, reserveCollateral } from "../providers/collateral.ts";
import { deviceTier } from "../providers/devices.ts";
import { commitmentLeft } from "../trust-lock/commitments.ts";
import { changeJob } from "./change-job.ts";
import { addToWorkerList } from "./job-lists.ts";
import { changeTimes, jobWords, readState, readTerms } from "./job-record.ts";
import { DRAW_PAUSE_SECONDS, MAX_DRAWS, MAX_SKIPPED } from "./limits.ts";
import { lockPart, memberKey } from "./locks.ts";
import { endMembership, idleOf, type Member, memberAt, occupy } from "./members.ts";
import { ACTOR, AGENDA_KIND, JOB_STATUS, MEMBER_LEFT, REASON } from "./numbers.ts";
import { addRacer } from "./racers.ts";
import {
  findSource,
  firstWaiting,
  removeWaiting,
  type Source,
  waitingCount,
  waitsSince,
  workerLock,
} from "./sources.ts";

function drawOf(source: bigint): AgendaEntry {
  return { module: MARKET_ADDRESS, kind: AGENDA_KIND.draw, id: source };
}

/**
 * Puts the source's draw on the agenda, if there is something to draw: never with a beacon known when the task came. One
 * that waits because nobody could be drawn comes forward: something has changed since.
 */
export function ensureDraw(call: ModuleCall, source: bigint): void {
  const job = firstWaiting(call, source);
  if (job === 0n || idleOf.length(call, source) === 0) return;
  const entry = drawOf(source);
  const due = dueOf(call, entry);
  if (due !== undefined && "block" in due) return;
  const next = call.environment.number + 1n;
  const earliest = waitsSince(call, job) + call.parameters.market.drawBlocks;
  schedule(call, { block: earliest > next ? earliest : next }, entry);
}

/** On the agenda, by source. */
export function drawWaiting(call: ModuleCall, sourceId: bigint): void {
  const source = findSource(call, sourceId);
  if (source === undefined) return;
  for (let draws = 0; draws < MAX_DRAWS; draws++) {
    const job = firstWaiting(call, sourceId);
    const isDrawable = job > 0n && waitsSince(call, job) + call.parameters.market.drawBlocks <= call.environment.number;
    if (!isDrawable) break;
    if (!drawFor(call, source, job)) {
      drawLater(call, sourceId);
      return;
    }
  }
  ensureDraw(call, sourceId);
}

/**
 * Who is idle has no collateral left for the task. Looking again in every block would take the agenda from everybody for
 * as long as the task waits, and whoever wanted that would pay nothing for it.
 */
function drawLater(call: ModuleCall, source: bigint): void {
  if (idleOf.length(call, source) === 0) return;
  schedule(call, { time: protocolTime(call) + DRAW_PAUSE_SECONDS }, drawOf(source));
}

/** Whether anybody was drawn. While many tasks wait, each gets its part of those who are idle. */
function drawFor(call: ModuleCall, source: Source, job: bigint): boolean {
  const terms = readTerms(call, job);
  const idle = BigInt(idleOf.length(call, source.id));
  const fair = idle / waitingCount(call, source.id);
  const places = fair < 1n ? 1n : fair < terms.racers ? fair : terms.racers;
  const attempt = readState(call, job).attempt + 1n;
  const chosen = choose(call, source, job, attempt, Number(places));
  if (chosen.length === 0) return false;
  const now = protocolTime(call);
  const reserve = jobWords.get(call, "reserve", job);
  chosen.forEach((member, place) => {
    const { provider: worker, device } = member;
    reserveCollateral(call, worker, reserve);
    addRacer(call, { job, attempt, place: BigInt(place) }, { worker, device }, member.id, now);
    addToWorkerList(call, worker, job);
    call.emit(marketAbi, "RacerDrawn", { job, worker, device, place, collateral: reserve });
  });
  removeWaiting(call, source.id, job);
  changeTimes(call, job, { started: now, extended: 0n });
  changeJob(
    call,
    job,
    { status: JOB_STATUS.assigned, reason: REASON.drawn, actor: ACTOR.worker, by: now + terms.seconds },
    { attempt, racers: BigInt(chosen.length) },
  );
  return true;
}

/** Distinct providers, each able to take the job. Who has no business in the source any more leaves it. */
function choose(call: ModuleCall, source: Source, job: bigint, attempt: bigint, places: number): readonly Member[] {
  const seed = sha256(concatBytes(call.environment.prevRandao, bytes32(job), bytes32(attempt)));
  const chosen: Member[] = [];
  const passed: Member[] = [];
  for (let look = 0; look < places + MAX_SKIPPED && chosen.length < places; look++) {
    const count = idleOf.length(call, source.id);
    if (count === 0) break;
    const number = bytesToBigint(sha256(concatBytes(seed, bytes32(BigInt(look)))));
    const member = memberAt(call, idleOf.at(call, Number(number % BigInt(count)), source.id));
    const why = unfit(call, source, member);
    if (why !== undefined) {
      endMembership(call, member, why);
      continue;
    }
    const isTwice = chosen.some(({ provider }) => provider === member.provider);
    if (isTwice || collateralOf(call, member.provider).free < jobWords.get(call, "reserve", job)) {
      idleOf.remove(call, member.id, source.id);
      passed.push(member);
      continue;
    }
    occupy(call, member, job);
    chosen.push(member);
  }
  for (const { id } of passed) idleOf.add(call, id, source.id);
  return chosen;
}

/** Why a member cannot be drawn in this source any more. */
function unfit(call: ModuleCall, source: Source, { id, provider, device }: Member): number | undefined {
  if (!isAvailable(call, provider)) return MEMBER_LEFT.notAvailable;
  if (deviceTier(call, provider, device) !== source.tier) return MEMBER_LEFT.noDevice;
  const { free, reserved } = collateralOf(call, provider);
  if (free + reserved < source.collateral) return MEMBER_LEFT.collateral;
  const late = lockPart(workerLock(call, source), call.parameters.market.lateShare);
  return commitmentLeft(call, memberKey(provider, id)) < late ? MEMBER_LEFT.lock : undefined;
}
