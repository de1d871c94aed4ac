/**
 * Tier 2, the referee: with a bond, anybody names one tile of a round and supplies what it reads. Each chunk is proven when it
 * comes; then every validator computes that one thread block, and what it is decides. docs/spec/verification.md, "The
 * referee".
 */
import { bytesToHex, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import { tileDigest } from "../../../compute/program/digest.ts";
import { CHUNK_BYTES, contentAddress } from "../../../compute/program/merkle.ts";
import { isRefereeable } from "../../../compute/program/refereeable.ts";
import { launchAt, type ScheduledLaunch } from "../../../compute/program/schedule.ts";
import { ChunkAssembly, placeOfChunk, type SegmentClaims } from "../../../compute/program/staged-chunks.ts";
import { blockCount, tilesOf } from "../../../compute/program/tiles.ts";
import type { Program } from "../../../compute/program/types.ts";
import type { CheckedProgram } from "../../../compute/ptx/check-program.ts";
import { runPagedTile } from "../../../compute/ptx/run-paged-tile.ts";
import { CheckBudgetError } from "../../../compute/ptx/wasm/shadow.ts";
import { verificationAbi } from "../../interfaces/abi/verification.ts";
import { VERIFICATION_ADDRESS } from "../addresses.ts";
import type { AgendaHandler } from "../agenda/agenda.ts";
import { dueOf, schedule } from "../agenda/schedule.ts";
import { MAX_BLOB_BYTES } from "../blob.ts";
import { protocolTime } from "../clock/clock.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { checkGas, loadProgram, programPlan } from "../programs/program-store.ts";
import { fundTreasury } from "../treasury/treasury.ts";
import {
  type Challenge,
  type ChallengeName,
  encodeStage,
  findChallenge,
  keepOpening,
  readChallenge,
  readStages,
  removeChallenge,
  type StagedBytes,
  writeChallenge,
  writeStage,
} from "./challenge-record.ts";
import { CHALLENGES_OF_A_BOND } from "./limits.ts";
import { checkOpening, type SeatOpeningInput } from "./opening.ts";
import { type ChunkInput, requireChunk } from "./referee-input.ts";
import * as limits from "./referee-limits.ts";
import { inputsOf, type RoundFacts, readState, requireFacts } from "./round-record.ts";
import type { RefereeVerdict } from "./round-types.ts";
import { noteDefence, onVerdict, openChallenge, openedAt, provenMeanwhile } from "./verdict.ts";

const VERDICTS = ["challenge-failed", "worker-right", "worker-wrong", "program-traps"] as const;

/**
 * What a challenge puts at stake now: as much as a false vote in the round costs, doubled for every few that wait already. So
 * whoever fills all places with challenges that show nothing, until nobody can call the referee any more, pays for that more
 * than a job is worth; whoever is right has it back.
 */
export function challengeBond(call: ModuleCall, round: bigint): bigint {
  const { seatFee } = requireFacts(call, round);
  const doublings = Math.floor(readState(call, round).challenges / CHALLENGES_OF_A_BOND);
  return (call.parameters.verification.penaltyMultiple * seatFee) << BigInt(doublings);
}

/** Pays in gas for what all validators will do, before it is known whether that helps. */
export function challenge(call: ModuleCall, round: bigint, launch: number, tile: number): void {
  const { caller, value } = call.message;
  if (findChallenge(call, { round, launch, tile, challenger: caller }) !== undefined) {
    throw revertWith(verificationAbi, "AlreadyChallenged", [round, launch, tile]);
  }
  const bond = challengeBond(call, round);
  const facts = openChallenge(call, round);
  if (value !== bond) throw revertWith(verificationAbi, "WrongBond", [bond]);
  const plan = planOf(call, facts);
  const scheduled = launchAt(plan, launch);
  if (!mayJudge(facts, plan, scheduled, tile)) throw revertWith(verificationAbi, "NotRefereeable", [launch, tile]);
  const opened = openedAt(call, facts, launch, tile);
  const defends = noteDefence(call, facts, launch, tile);
  const id = writeChallenge(call, { round, launch, tile, challenger: caller, bond, opened, defends });
  const by = protocolTime(call) + call.parameters.verification.refereeSeconds;
  schedule(call, { time: by }, refereeEntry(id), executionGas(call, facts, scheduled));
  call.emit(verificationAbi, "Challenged", { round, challenger: caller, launch, tile, bond, by });
}

export function refereeEntry(id: bigint): { readonly module: Hex; readonly kind: number; readonly id: bigint } {
  return { module: VERIFICATION_ADDRESS, kind: limits.JUDGE, id };
}

function planOf(call: ModuleCall, { program }: RoundFacts): Program {
  const plan = programPlan(call, program);
  assert(plan !== undefined, "rounds are of published programs");
  return plan;
}

/** A tile of a committed launch that the referee can take; of one that trapped, the tile that is named. */
function mayJudge(
  { first, end, trapTile }: RoundFacts,
  plan: Program,
  scheduled: ScheduledLaunch | undefined,
  tile: number,
): scheduled is ScheduledLaunch {
  if (scheduled === undefined || scheduled.index < first || scheduled.index >= end) return false;
  if (tile >= tilesOf(scheduled.launch) || !isRefereeable(scheduled.launch, plan.buffers)) return false;
  return trapTile === undefined || scheduled.index !== end - 1 || tile === trapTile;
}

function executionGas(call: ModuleCall, { program }: RoundFacts, { launch }: ScheduledLaunch): bigint {
  const kilofuel = BigInt(Math.ceil(launch.fuel / 1000));
  const chunks = BigInt(Math.ceil(launch.bytes / CHUNK_BYTES));
  const blocks = tilesOf(launch) === 1 ? blockCount(launch.grid) : 1;
  const threads = BigInt(blocks * blockCount(launch.block));
  const run =
    limits.REFEREE_KILOFUEL_GAS * kilofuel + limits.REFEREE_CHUNK_GAS * chunks + limits.REFEREE_THREAD_GAS * threads;
  return limits.REFEREE_GAS + run + (checkGas(call, program) ?? 0n);
}

/** The caller's. Nobody else has a part in it, so nobody can fill the place that it has for chunks. */
export function requireOwn(call: ModuleCall, round: bigint, launch: number, tile: number): Challenge {
  return requireChallenge(call, { round, launch, tile, challenger: call.message.caller });
}

function requireChallenge(call: ModuleCall, name: ChallengeName): Challenge {
  const { round, launch, tile } = name;
  const found = findChallenge(call, name);
  if (found === undefined) throw revertWith(verificationAbi, "NoChallenge", [round, launch, tile]);
  return found;
}

/** Shows what the worker committed of a challenged tile that no seat had. */
export function openChallenged(
  call: ModuleCall,
  round: bigint,
  launch: number,
  tile: number,
  opening: SeatOpeningInput,
): void {
  const { id } = requireOwn(call, round, launch, tile);
  const facts = requireFacts(call, round);
  const result = checkOpening(facts, planOf(call, facts), { launch, tile }, opening);
  if (result.kind === "flawed") throw revertWith(verificationAbi, "BadOpening", [opening.seat, result.flaw]);
  keepOpening(call, id, result.digest);
}

/** Chunks that do not hold, or do not belong to what the tile reads, are refused: what is stored is true. */
export function stage(
  call: ModuleCall,
  round: bigint,
  launch: number,
  tile: number,
  chunks: readonly ChunkInput[],
): void {
  const found = requireOwn(call, round, launch, tile);
  if (found.stages >= limits.MAX_STAGES) throw revertWith(verificationAbi, "TooMany", [BigInt(limits.MAX_STAGES)]);
  call.charge(limits.STAGED_CHUNK_GAS * BigInt(chunks.length));
  const facts = requireFacts(call, round);
  const claims = claimsOf(call, facts);
  const staged = chunks.map(
    (chunk, index): StagedBytes => requireChunk(chunk, index, (proven) => placeOfChunk(claims, launch, proven)),
  );
  const encoded = encodeStage(staged);
  if (encoded.length > MAX_BLOB_BYTES) throw revertWith(verificationAbi, "TooMany", [BigInt(MAX_BLOB_BYTES)]);
  writeStage(call, found, encoded);
  call.emit(verificationAbi, "ChunksStaged", {
    round,
    challenger: found.challenger,
    launch,
    tile,
    chunks: BigInt(chunks.length),
  });
}

export function claimsOf(call: ModuleCall, facts: RoundFacts): SegmentClaims {
  const { first, end, segmentRoot, startCheckpoint, job } = facts;
  return {
    ...{ program: planOf(call, facts), first, end, segmentRoot: hexToBytes(segmentRoot) },
    startCheckpoint: startCheckpoint === undefined ? undefined : hexToBytes(startCheckpoint),
    inputs: inputsOf(call, job).map(hexToBytes),
  };
}

/** Asks for the verdict in the next block rather than at the end of the time. */
export function judge(call: ModuleCall, round: bigint, launch: number, tile: number): void {
  const { id, opened } = requireOwn(call, round, launch, tile);
  if (opened === undefined) throw revertWith(verificationAbi, "NotOpened", [round, launch, tile]);
  schedule(call, { block: call.environment.number + 1n }, refereeEntry(id));
}

export const refereeAgenda: readonly AgendaHandler[] = [
  { module: VERIFICATION_ADDRESS, kind: limits.JUDGE, run: (call, id) => judgeNow(call, id) },
];

/** Where another has proven the tile meanwhile, nothing is computed again, and the round has heard of it. */
function judgeNow(call: ModuleCall, id: bigint): void {
  const found = readChallenge(call, id);
  const { round, launch, tile, challenger, defends } = found;
  const known = provenMeanwhile(call, round, defends);
  const { verdict, digest, isFault } = known === undefined ? tryExecute(call, found) : judged(found, known);
  removeChallenge(call, found);
  const said = { verdict: VERDICTS.indexOf(verdict), digest: digest ?? NO_DIGEST };
  call.emit(verificationAbi, "Refereed", { round, challenger, launch, tile, ...said });
  const told = { round, launch, tile, verdict, ...(digest && { digest }) };
  const isChanged = known === undefined && onVerdict(call, told, challenger, defends);
  payBond(call, found, verdict, isChanged || isFault === true);
}

/** A tile that the engine has a bug with is one that the referee cannot judge: the round must not wait for that bug's end. */
function tryExecute(call: ModuleCall, found: Challenge): Executed {
  let executed: Executed = { verdict: "challenge-failed", isFault: true };
  call.attempt(() => {
    executed = execute(call, found);
  });
  return executed;
}

const NO_DIGEST: Hex = `0x${"00".repeat(32)}`;

/**
 * Whoever proves a tile false, or true where votes had not found that, has its bond back, also when another has proven the same
 * before, and whoever met a bug of ours. A challenge that shows nothing pays the treasury: a worker who fills the places with its own gains nothing.
 */
function payBond(
  call: ModuleCall,
  { challenger, bond, defends }: Challenge,
  verdict: RefereeVerdict["verdict"],
  isExcused: boolean,
): void {
  if (bond === 0n) return;
  const isRight = verdict === "worker-right" ? defends !== undefined : verdict !== "challenge-failed";
  if (isRight || isExcused) call.pay(challenger, bond);
  else fundTreasury(call, bond, "lost challenge");
}

type Executed = Pick<RefereeVerdict, "verdict" | "digest"> & { readonly isFault?: boolean };

/** A chunk that the tile touches was not staged. Thrown within the referee only. */
class MissingChunk extends Error {}

function execute(call: ModuleCall, found: Challenge): Executed {
  const { round, launch, tile, opened } = found;
  if (opened === undefined) return { verdict: "challenge-failed" };
  const facts = requireFacts(call, round);
  const scheduled = launchAt(planOf(call, facts), launch);
  assert(scheduled !== undefined, "the challenge was taken");
  call.charge(executionGas(call, facts, scheduled));
  const checked = loadProgram(call.prepaid(), facts.program);
  assert(checked !== undefined, "rounds are of published programs");
  try {
    return judged(found, bytesToHex(compute(checked, scheduled, tile, readStages(call, found))));
  } catch (error) {
    if (error instanceof MissingChunk || error instanceof CheckBudgetError) return { verdict: "challenge-failed" };
    throw error;
  }
}

/** What it means that the tile is this. */
function judged({ launch, tile, opened }: Challenge, digest: Hex): Executed {
  if (digest === opened) return { verdict: "worker-right", digest };
  const traps = digest === bytesToHex(tileDigest(launch, tile, { kind: "trap" }));
  return { verdict: traps ? "program-traps" : "worker-wrong", digest };
}

/** The digest of what the tile is, from what was staged. */
function compute(
  { program, kernels }: CheckedProgram,
  scheduled: ScheduledLaunch,
  tile: number,
  staged: readonly StagedBytes[],
): Uint8Array {
  const assembly = new ChunkAssembly(program, scheduled.index, tile);
  for (const { place, bytes } of staged) assembly.add(place, bytes);
  const kernel = kernels[scheduled.launch.kernel];
  assert(kernel !== undefined, "the program was checked");
  const chunk = (buffer: number, index: number): Uint8Array => {
    const bytes = assembly.chunk(buffer, index);
    if (bytes === undefined) throw new MissingChunk();
    return bytes;
  };
  const checks = limits.CHECKS_FOR_ALL + scheduled.launch.fuel;
  const result = runPagedTile({ program, kernel, scheduled, tile, chunk, checks });
  if (result.kind === "trap") return tileDigest(scheduled.index, tile, { kind: "trap" });
  const addresses = new Map([...result.written].map(([buffer, bytes]) => [buffer, contentAddress(bytes)]));
  return tileDigest(scheduled.index, tile, { kind: "done", addresses });
}

/** For the view. */
export function challengeView(call: ModuleCall, name: ChallengeName): object {
  const { id, challenger, bond, opened, stages } = requireChallenge(call, name);
  const due = dueOf(call, refereeEntry(id));
  const by = due !== undefined && "time" in due ? due.time : 0n;
  return { id, challenger, bond, opened: opened ?? NO_DIGEST, stages, by };
}
