/** Numbers and shapes that the parts of verification, the market and the referee share. docs/spec/verification.md. */
import type { Hex } from "../../../base/bytes.ts";
import type { Address } from "../../state/account.ts";

/** Where a round is. */
export const PHASE = {
  none: 0,
  sealing: 1,
  opening: 2,
  revealing: 3,
  voting: 4,
  counting: 5,
  referee: 6,
  accepted: 7,
  rejected: 8,
} as const;

/** Why a round was decided as it was. Never reused. */
export const REASON = {
  none: 0,
  /** Every seat found what the worker committed. */
  agreed: 1,
  /** What was in doubt was voted true. */
  votedTrue: 2,
  votedFalse: 3,
  /** Voters could not get what the tile is computed from. */
  votedUnavailable: 4,
  /** The worker did not open in time. */
  notOpened: 5,
  /** The worker did not publish its seed in time. */
  notPublished: 6,
  /** There was nobody to draw. */
  noVerifiers: 7,
  /** Votes did not decide, and nobody proved anything to the referee. */
  undecided: 8,
  refereeTrue: 9,
  refereeFalse: 10,
  /** The referee saw the tile trap where the worker had committed a result. */
  refereeTrap: 11,
  /** It was false on purpose. */
  canary: 12,
  /** The committed output, or checkpoint, is not what the launches left. */
  falseOutput: 13,
  /** Voters found that the tile traps where the worker had committed a result. */
  votedTrap: 14,
} as const;

export const GUILTY = { nobody: 0, worker: 1, program: 2 } as const;

/** Why a verifier lost stake, in the event `Slashed` of the verifiers module. */
export const LOSS = { falseVote: 1, silence: 2 } as const;

/** What a worker has committed for a segment. */
export interface SegmentCommitment {
  readonly segmentRoot: Hex;
  readonly checkpointRoot: Hex;
  /** With the last segment, in the order of the program's outputs. */
  readonly outputs: readonly Hex[];
  /** Where the segment ended early: the launch, and the lowest tile of it that traps. */
  readonly trap?: { readonly launch: number; readonly tile: number };
}

/** What the market asks for. The call is in the account that pays `seats * seatFee`. */
export interface RoundRequest {
  readonly job: bigint;
  readonly client: Address;
  readonly worker: Address;
  /** More accounts that are never drawn: racers of the same job, owners of devices. */
  readonly excluded: readonly Address[];
  readonly program: Hex;
  /** Content addresses of the input buffers. */
  readonly inputs: readonly Hex[];
  readonly segment: number;
  readonly segments: number;
  readonly commitment: SegmentCommitment;
  /** The accepted checkpoint that the segment starts from; none for the first. */
  readonly startCheckpoint?: Hex;
  /** Tiles that are checked, 1 to MAX_SEATS. */
  readonly seats: number;
  /** 0: what is in doubt is put to the vote. 1: every drawn tile is. */
  readonly tier: 0 | 1;
  readonly seatFee: bigint;
}

/** What the market takes out of the outbox. A round comes once when it is decided and once more when it is final. */
export interface DecidedRound {
  readonly round: bigint;
  readonly job: bigint;
  readonly accepted: boolean;
  readonly final: boolean;
  readonly reason: number;
  /** The committed result is that the program traps, or the referee found that it does. */
  readonly programTrapped: boolean;
  readonly guilty: "none" | "worker" | "program";
  /** Who proved the worker guilty, where no vote had found it so before. */
  readonly catcher: Address | undefined;
}

/** What the referee found. `digest` is the tile's, when it was executed. */
export interface RefereeVerdict {
  readonly round: bigint;
  readonly launch: number;
  readonly tile: number;
  readonly verdict: "worker-right" | "worker-wrong" | "program-traps" | "challenge-failed";
  readonly digest?: Hex;
}
