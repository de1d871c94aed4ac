/** What the modules say of jobs, sources and rounds, as agents see it. */
import type { ContractFunctionReturnType } from "viem";
import type { Hex } from "../../base/bytes.ts";
import type {
  DemandView,
  DisputeView,
  JobView,
  RoundPhase,
  RoundView,
  SeatView,
  SourceView,
} from "../../compute/agent/ports.ts";
import type { OgpuModules } from "../../rpc/client/modules.ts";

type MarketAnswer<Name extends "jobOf" | "sourceOf" | "bidsOf" | "openDemands"> = ContractFunctionReturnType<
  OgpuModules["market"]["abi"],
  "view",
  Name
>;
type VerificationAnswer<Name extends "roundOf" | "seatsOf" | "disputeOf" | "addressesOf"> = ContractFunctionReturnType<
  OgpuModules["verification"]["abi"],
  "view",
  Name
>;

/** As the module numbers them, from 1. */
const PHASES: readonly RoundPhase[] = [
  ...(["sealing", "opening", "revealing", "voting", "counting", "referee", "accepted", "rejected"] as const),
];

const ZERO = /^0x0*$/;

/** Zero stands for nothing. */
function given(word: Hex): Hex | undefined {
  return ZERO.test(word) ? undefined : (word.toLowerCase() as Hex);
}

function lower(address: Hex): Hex {
  return address.toLowerCase() as Hex;
}

export function jobView(
  job: MarketAnswer<"jobOf">,
  bids: MarketAnswer<"bidsOf">,
  demands: MarketAnswer<"openDemands">,
  earlierWorkers: readonly Hex[],
  account: Hex,
): JobView | undefined {
  if (job.status === 0) return undefined;
  const { id, status, source, program, inputs, segments, segment, round, by, deadline, budget, tier, outputs } = job;
  return {
    ...{ id, status, source, program, inputs, segments, segment, round, by, deadline, budget, tier, outputs },
    ...{ attempt: job.attempt, region: job.region, earlierWorkers, demands: demands.map(demandView) },
    reserved: job.reserved,
    ownBid: bids.find(({ bidder }) => lower(bidder) === account),
    client: lower(job.client),
    checkpoint: given(job.checkpoint),
    worker: given(job.worker),
    racers: job.racers.map(({ worker, sealedAt, revealed }) => ({
      worker: lower(worker),
      sealed: sealedAt > 0n,
      revealed,
    })),
  };
}

const DEMANDS = ["input", "output", "checkpoint"] as const;

function demandView({ kind, item, chunk, accused, by }: MarketAnswer<"openDemands">[number]): DemandView {
  const isTile = kind === 3;
  return {
    ...{ kind: DEMANDS[kind - 1] ?? "input", item, accused: lower(accused), by },
    chunk: Number(isTile ? chunk & 0xffffffffn : chunk),
    tile: isTile ? Number(chunk >> 32n) : 0,
  };
}

export function sourceView(source: MarketAnswer<"sourceOf">): SourceView | undefined {
  if (source.id === 0n) return undefined;
  const { id, program, tier, price, racers, collateral, open } = source;
  return { id, program, tier, price, racers, collateral, open };
}

export function roundView(
  round: VerificationAnswer<"roundOf">,
  seats: VerificationAnswer<"seatsOf">,
  dispute: VerificationAnswer<"disputeOf">,
  [inputs, outputs]: VerificationAnswer<"addressesOf">,
): RoundView {
  const { id, job, segment, segments, program, segmentRoot, firstLaunch, endLaunch, by, isFinal, reason } = round;
  return {
    ...{ id, job, segment, segments, program, segmentRoot, firstLaunch, endLaunch, by, isFinal, reason },
    ...{ inputs, outputs },
    worker: lower(round.worker),
    checkpoint: given(round.startCheckpoint),
    seedPublished: given(round.seed) !== undefined,
    phase: PHASES[round.phase - 1] ?? "rejected",
    seats: seats.map(seatView),
    dispute: dispute.isOpen ? disputeView(dispute) : undefined,
  };
}

function seatView(seat: VerificationAnswer<"seatsOf">[number]): SeatView {
  const digest = given(seat.opened);
  return {
    ...{ seat: seat.seat, launch: seat.launch, tile: seat.tile },
    verifier: given(seat.verifier),
    ...{ sealed: seat.isSealed, revealed: seat.isRevealed, opened: digest !== undefined, digest },
  };
}

function disputeView({ launch, tile, opened, votes }: VerificationAnswer<"disputeOf">): DisputeView {
  return {
    ...{ launch, tile, opened: given(opened) },
    seats: votes.map(({ seat, isSealed, isRevealed }) => ({ seat, sealed: isSealed, revealed: isRevealed })),
  };
}
