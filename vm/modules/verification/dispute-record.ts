/** What the chain keeps of a dispute: one tile of a round, its counter, and the votes that are drawn now. */
import { bytes32, bytesToHex, type Hex } from "../../../base/bytes.ts";
import type { ModuleCall } from "../module-call.ts";
import { packedWord } from "../staking/packed-word.ts";
import { recordSpace } from "../storage.ts";

export const OUTCOME = { open: 0, true: 1, false: 2, exhausted: 3, proven: 4 } as const;

const records = recordSpace("dispute", ["state", "digest", "units"]);
const state = packedWord({
  launch: 48,
  tile: 32,
  seat: 8,
  everybody: 1,
  outcome: 4,
  draws: 16,
  against: 1,
  lead: 16,
  first: 16,
  size: 16,
  drawn: 16,
  sealed: 16,
  revealed: 16,
  defences: 8,
});

export interface Dispute {
  readonly launch: number;
  readonly tile: number;
  /** The seat of tier 0 whose tile it is. */
  readonly seat: number;
  readonly everybody: boolean;
  readonly outcome: number;
  /** The counter, of votes before this wave. */
  readonly draws: number;
  readonly lead: number;
  /** The wave of votes that is drawn now: its first seat, its size, and how many of it were drawn, sealed, revealed. */
  readonly first: number;
  readonly size: number;
  readonly drawn: number;
  readonly sealed: number;
  readonly revealed: number;
  /** Challenges that wait, made while the round stood on this tile: if it is proven, they all were right to be made. */
  readonly defences: number;
}

/** Nobody has voted on it. */
export const NO_VOTES = {
  draws: 0,
  lead: 0,
  first: 0,
  size: 0,
  drawn: 0,
  sealed: 0,
  revealed: 0,
  defences: 0,
} as const;

export function readDispute(own: ModuleCall, round: bigint, index: number): Dispute {
  const words = state.unpack(records.get(own, "state", round, index));
  const number = (field: keyof typeof words): number => Number(words[field]);
  return {
    launch: number("launch"),
    tile: number("tile"),
    seat: number("seat"),
    everybody: words.everybody === 1n,
    outcome: number("outcome"),
    draws: number("draws"),
    lead: words.against === 1n ? -number("lead") : number("lead"),
    first: number("first"),
    size: number("size"),
    drawn: number("drawn"),
    sealed: number("sealed"),
    revealed: number("revealed"),
    defences: number("defences"),
  };
}

export function writeDispute(own: ModuleCall, round: bigint, index: number, dispute: Dispute): void {
  const word = state.pack({
    launch: BigInt(dispute.launch),
    tile: BigInt(dispute.tile),
    seat: BigInt(dispute.seat),
    everybody: dispute.everybody ? 1n : 0n,
    outcome: BigInt(dispute.outcome),
    draws: BigInt(dispute.draws),
    against: dispute.lead < 0 ? 1n : 0n,
    lead: BigInt(Math.abs(dispute.lead)),
    first: BigInt(dispute.first),
    size: BigInt(dispute.size),
    drawn: BigInt(dispute.drawn),
    sealed: BigInt(dispute.sealed),
    revealed: BigInt(dispute.revealed),
    defences: BigInt(dispute.defences),
  });
  records.set(own, "state", word, round, index);
}

export function changeDispute(own: ModuleCall, round: bigint, index: number, change: Partial<Dispute>): Dispute {
  const now = { ...readDispute(own, round, index), ...change };
  writeDispute(own, round, index, now);
  return now;
}

/** What the tile turned out to be; `undefined` while nobody knows. */
export function settledDigest(own: ModuleCall, round: bigint, index: number): Hex | undefined {
  const word = records.get(own, "digest", round, index);
  return word === 0n ? undefined : bytesToHex(bytes32(word));
}

export function settleDigest(own: ModuleCall, round: bigint, index: number, digest: Hex | undefined): void {
  records.set(own, "digest", BigInt(digest ?? 0), round, index);
}

/** The units for and against the worker once everybody's votes are counted, one above the other. */
const HALF = 128n;

export function unitsCounted(
  own: ModuleCall,
  round: bigint,
  index: number,
): { readonly inFavour: bigint; readonly against: bigint } {
  const word = records.get(own, "units", round, index);
  return { inFavour: word >> HALF, against: BigInt.asUintN(128, word) };
}

export function keepUnits(own: ModuleCall, round: bigint, index: number, inFavour: bigint, against: bigint): void {
  records.set(own, "units", (inFavour << HALF) | against, round, index);
}
