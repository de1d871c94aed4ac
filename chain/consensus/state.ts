/** What the core knows. Only the files of this folder change it; step.ts is the way in. */

import type { Hex } from "../../base/bytes.ts";
import type { VoteContent } from "../../base/votes.ts";
import { epochSeed } from "./beacon.ts";
import type { Crypto, Signer } from "./crypto.ts";
import type { Effect, TimerName } from "./events.ts";
import { Guard, type SignFloor } from "./guard.ts";
import { leaderOf } from "./leader.ts";
import { VIEWS_EXECUTED_AHEAD } from "./limits.ts";
import type { ConsensusParameters } from "./parameters.ts";
import type { PlantedBug } from "./planted-bugs.ts";
import type { Block, Certificate, LogRecord, PeerId, Proposal, Request, Vote } from "./types.ts";
import { makeValidatorSet, type ValidatorSet, type ValidatorStake } from "./validator-set.ts";
import { VoteBox } from "./vote-box.ts";

export interface Epoch {
  readonly number: number;
  readonly set: ValidatorSet;
  readonly seed: Hex;
  /** Genesis, or the seal of the epoch before: final, and view 0 of this epoch. */
  readonly root: Block;
}

export interface Candidate {
  readonly block: Block;
  readonly parentView: number;
}

export interface Round {
  readonly view: number;
  readonly leader: number;
  readonly votes: VoteBox;
  /** The first proposal of the view. */
  candidate?: Candidate;
  notarization?: Certificate;
  /** By the local clock, as far as known. */
  notarizedAt: number;
  nullification?: Certificate;
  finalization?: Certificate;
  /** The timer fired, or the proposal was invalid. */
  timedOut: boolean;
  /** Own votes that are signed, for sending them again. */
  readonly ownVotes: Vote[];
  ownProposal?: Proposal;
  readonly accused: Set<number>;
}

export interface BlockEntry {
  readonly block: Block;
  /** Waiting: its parent is missing or has not executed. */
  status: "waiting" | "executing" | "valid" | "invalid";
  /** In the log. */
  recorded: boolean;
}

export interface Wanted {
  readonly request: Request;
  readonly attempts: number;
}

export interface ConsensusState {
  readonly parameters: ConsensusParameters;
  readonly crypto: Crypto;
  /** Without one the node follows and signs nothing. */
  readonly signer: Signer | undefined;
  readonly bugs: ReadonlySet<PlantedBug>;

  epoch: Epoch;
  /** The own position in the epoch's set, if any. */
  own: number | undefined;
  final: Block;
  finalView: number;
  finalCertificate: Certificate | undefined;
  /** The round in which it became final: late votes are still collected for the next block. */
  finalRound: Round | undefined;
  finalAt: number;
  /** A seal is final, but its commit is not durable yet: nothing is signed until it is. */
  sealing: boolean;

  view: number;
  /** When, by the local clock. */
  enteredAt: number;
  /** The view that was left in this step. */
  left: number | undefined;
  readonly rounds: Map<number, Round>;
  readonly blocks: Map<Hex, BlockEntry>;
  guard: Guard;

  /** The last position given to a record of the log. */
  position: number;
  /** Records of this step. */
  records: LogRecord[];
  /** Records in the log, and how many the last rewriting left there. */
  logged: number;
  loggedAtRewrite: number;
  /** Commits that are not durable yet, the oldest first, and what the log holds for the case that they never will be. */
  committing: { readonly hash: Hex; readonly records: readonly LogRecord[] }[];
  /** Votes that are recorded but not signed. */
  unsigned: { readonly position: number; readonly vote: VoteContent }[];

  work: boolean;
  heartbeatDue: boolean;
  /** The view for which the application is making a block. */
  building: number | undefined;
  /** Somebody is in a later epoch. */
  behind: PeerId | undefined;
  /** Who it was last, in this epoch: what was said of the next one was lost on us, so it is asked for on entering. */
  lastAhead: PeerId | undefined;
  wanted: Map<string, Wanted>;
  retried: ReadonlyMap<string, Wanted>;
  progress: number;
  progressAtResend: number;
  quietResends: number;
  readonly timers: Map<TimerName, number>;

  now: number;
  effects: Effect[];
}

/** Where a node starts: what its store holds. */
export interface FinalBase {
  readonly epoch: Epoch;
  readonly final: Block;
  /**
   * What made `final` final; none for genesis. It may be of the epoch before, when `final` is the root, and that of a
   * later block, when the commit of several blocks was interrupted.
   */
  readonly certificate: Certificate | undefined;
}

export interface CoreOptions {
  readonly parameters: ConsensusParameters;
  readonly crypto: Crypto;
  readonly signer?: Signer | undefined;
  /** Nothing is signed at or below it, whatever the log holds. */
  readonly floor?: SignFloor;
  readonly bugs?: ReadonlySet<PlantedBug>;
}

export function makeEpoch(number: number, weights: readonly ValidatorStake[], root: Block): Epoch {
  const set = makeValidatorSet(weights);
  return { number, set, seed: epochSeed(root.beacon, number), root };
}

/** Only a seal becomes final in another view than its own, and then it is the root of the next epoch. */
export function finalViewOf({ epoch, final }: FinalBase): number {
  return final.hash === epoch.root.hash ? 0 : final.view;
}

export function initialState(options: CoreOptions, base: FinalBase): ConsensusState {
  const finalView = finalViewOf(base);
  const bugs: ReadonlySet<PlantedBug> = options.bugs ?? new Set();
  return {
    parameters: options.parameters,
    crypto: options.crypto,
    signer: options.signer,
    bugs,
    epoch: base.epoch,
    own: options.signer && base.epoch.set.indexOf.get(options.signer.id),
    final: base.final,
    finalView,
    finalCertificate: base.certificate?.hash === base.final.hash ? base.certificate : undefined,
    finalRound: undefined,
    finalAt: 0,
    sealing: false,
    view: finalView + 1,
    enteredAt: 0,
    left: undefined,
    rounds: new Map(),
    blocks: new Map(),
    guard: new Guard(base.epoch.number, finalView, { bugs, ...(options.floor && { floor: options.floor }) }),
    position: 0,
    records: [],
    logged: 0,
    loggedAtRewrite: 0,
    committing: [],
    unsigned: [],
    work: false,
    heartbeatDue: false,
    building: undefined,
    behind: undefined,
    lastAhead: undefined,
    wanted: new Map(),
    retried: new Map(),
    progress: 0,
    progressAtResend: -1,
    quietResends: 0,
    timers: new Map(),
    now: 0,
    effects: [],
  };
}

/** The round of a view above the final one, made when it is first needed. */
export function roundOf(state: ConsensusState, view: number): Round {
  const known = state.rounds.get(view);
  if (known !== undefined) return known;
  const { set, seed } = state.epoch;
  const round: Round = {
    view,
    leader: leaderOf(set, seed, view),
    votes: new VoteBox(set),
    notarizedAt: state.now,
    timedOut: false,
    ownVotes: [],
    accused: new Set(),
  };
  state.rounds.set(view, round);
  return round;
}

/**
 * Whether a proposal of that view is executed. Faulty leaders could send those of all their views in the window at one
 * time, each as much work as a block may be, and none of it paid for.
 */
export function isSoon(state: ConsensusState, view: number): boolean {
  return view <= state.view + VIEWS_EXECUTED_AHEAD;
}

/** The block of that hash that has executed: the final one or one above it. */
export function validBlock(state: ConsensusState, hash: Hex): Block | undefined {
  if (hash === state.final.hash) return state.final;
  const entry = state.blocks.get(hash);
  return entry?.status === "valid" ? entry.block : undefined;
}

/** A seal of this epoch. The epoch's root is the seal of the one before, and has children. */
export function isSeal(state: ConsensusState, block: Block): boolean {
  return block.next !== undefined && block.hash !== state.epoch.root.hash;
}
