/**
 * Thousands of jobs, verified by the real decision logic of the module without a chain: seats drawn by stake, opinions of
 * honest, lying, silent and lazy verifiers, tier 0, votes in waves, rulings and money. One seed gives one history.
 */
import type { Hex } from "../../../base/bytes.ts";
import { Prng } from "../../../base/prng.ts";
import {
  type Counter,
  type CounterRules,
  counterState,
  countVotes,
  FRESH_COUNTER,
  stakeDecision,
  waveSize,
} from "../../../vm/modules/verification/counter.ts";
import {
  disputedSeats,
  plurality,
  type Ruling,
  rule,
  type Said,
  sideOf,
} from "../../../vm/modules/verification/judge.ts";
import { isExcused, shareOut } from "../../../vm/modules/verification/share-out.ts";
import { chance } from "../chance.ts";

const TRUE: Hex = "0x01";
const FALSE: Hex = "0x02";
const SLANDER: Hex = "0x03";
const UNAVAILABLE: Hex = "0x04";

/** What the gang does. */
export type Gang =
  /** Its worker falsifies tiles, and its verifiers say what it says. */
  | "collude"
  /** The worker is honest, and its verifiers say that it is not. */
  | "slander"
  /** Its verifiers never say anything. */
  | "withhold"
  /** Its verifiers compute nothing: silent where nothing is open yet, and in votes they say what the worker opened. */
  | "copy";

export interface JobRules extends CounterRules {
  readonly seats: number;
  readonly seatFee: bigint;
  readonly penaltyMultiple: bigint;
  /** Fewer verifiers than this: everybody votes. */
  readonly smallSet: number;
}

export interface Population {
  readonly verifiers: number;
  /** Of all stake, in the hands of the gang. */
  readonly gangShare: number;
  readonly gang: Gang;
  /** Of the compute, falsified by a worker of the gang (and by nobody else). */
  readonly falseShare: number;
  /** The worker does not serve what tiles are computed from. */
  readonly workerWithholds?: boolean;
}

export interface JobOutcome {
  readonly result: "accepted" | "rejected" | "undecided";
  /** Something that was accepted is false, or something true was rejected. */
  readonly isWrong: boolean;
  /** Votes drawn, and waves of them. */
  readonly draws: number;
  readonly waves: number;
  /** Tiles that were voted on. */
  readonly disputes: number;
  /** What verifiers earned and lost, the client paid, and the treasury got. */
  readonly earned: bigint;
  readonly taken: bigint;
  readonly paid: bigint;
  readonly toTreasury: bigint;
  readonly honestTaken: bigint;
}

interface Tile {
  readonly opened: Hex;
  readonly isFalse: boolean;
}

interface Speaker {
  readonly isGang: boolean;
  readonly said: Said;
  readonly isVote: boolean;
  readonly tile: number;
}

export class JobSimulation {
  readonly #prng: Prng;
  readonly #rules: JobRules;
  readonly #people: Population;

  constructor(seed: string, rules: JobRules, people: Population) {
    this.#prng = new Prng(seed);
    this.#rules = rules;
    this.#people = people;
  }

  run(): JobOutcome {
    const { seats } = this.#rules;
    const workerLies = this.#people.gang === "collude";
    const tiles: Tile[] = Array.from({ length: seats }, () => {
      const isFalse = workerLies && chance(this.#prng, this.#people.falseShare);
      return { opened: isFalse ? FALSE : TRUE, isFalse };
    });
    const speakers: Speaker[] = tiles.map((tile, index) => this.#speak(tile, index, false));
    const spots = tiles.map(({ opened }, index) => ({ launch: 0, tile: index, said: speakers[index]?.said, opened }));
    const disputed = disputedSeats(spots, 0);
    const settled = new Map<number, Hex | undefined>();
    let [draws, waves] = [0, 0];
    let result: JobOutcome["result"] = "accepted";
    for (const { tile } of disputed) {
      const vote = this.#vote(tiles[tile] as Tile, tile, speakers);
      draws += vote.draws;
      waves += vote.waves;
      settled.set(tile, vote.digest);
      if (vote.state === "true") continue;
      result = vote.state === "false" ? "rejected" : "undecided";
      break;
    }
    const anyFalse = workerLies && this.#people.falseShare > 0;
    const isRight = result === "accepted" ? !anyFalse : result === "rejected" ? anyFalse || this.#isWithheld() : true;
    return {
      result,
      isWrong: !isRight,
      draws,
      waves,
      disputes: settled.size,
      ...this.#money(tiles, speakers, settled),
    };
  }

  #isWithheld(): boolean {
    return this.#people.workerWithholds === true;
  }

  #speak(tile: Tile, index: number, isVote: boolean): Speaker {
    const isGang = chance(this.#prng, this.#people.gangShare);
    return { isGang, said: isGang ? this.#gangSays(tile, isVote) : this.#honestSays(), isVote, tile: index };
  }

  #honestSays(): Said {
    return this.#isWithheld() ? UNAVAILABLE : TRUE;
  }

  #gangSays({ opened }: Tile, isVote: boolean): Said {
    const { gang } = this.#people;
    if (gang === "withhold") return undefined;
    if (gang === "copy") return isVote ? opened : undefined;
    return gang === "collude" ? opened : SLANDER;
  }

  #vote(
    tile: Tile,
    index: number,
    speakers: Speaker[],
  ): { state: "true" | "false" | "exhausted"; draws: number; waves: number; digest: Hex | undefined } {
    const { verifiers } = this.#people;
    const votes: Speaker[] = [];
    const add = (): Speaker => {
      const vote = this.#speak(tile, index, true);
      votes.push(vote);
      speakers.push(vote);
      return vote;
    };
    const digestOf = (state: "true" | "false" | "exhausted"): Hex | undefined => {
      if (state === "exhausted") return undefined;
      return state === "true"
        ? tile.opened
        : plurality(
            votes.map(({ said }) => ({ said, units: 1n })),
            tile.opened,
          );
    };
    if (verifiers < this.#rules.smallSet) {
      const sides = Array.from({ length: verifiers }, () => sideOf(add().said, tile.opened));
      const count = (side: number): bigint => BigInt(sides.filter((each) => each === side).length);
      const state = stakeDecision(count(1), count(-1), BigInt(verifiers));
      return { state, draws: verifiers, waves: 1, digest: digestOf(state) };
    }
    let counter: Counter = FRESH_COUNTER;
    let waves = 0;
    for (; ; waves++) {
      const state = counterState(counter, this.#rules);
      if (state !== "open") return { state, draws: counter.draws, waves, digest: digestOf(state) };
      const sides = Array.from({ length: waveSize(counter, this.#rules) }, () => sideOf(add().said, tile.opened));
      counter = countVotes(counter, sides, this.#rules);
    }
  }

  #money(
    tiles: readonly Tile[],
    speakers: readonly Speaker[],
    settled: ReadonlyMap<number, Hex | undefined>,
  ): Pick<JobOutcome, "earned" | "taken" | "paid" | "toTreasury" | "honestTaken"> {
    const { seatFee, penaltyMultiple, seats } = this.#rules;
    const silent = BigInt(speakers.filter(({ said }) => said === undefined).length);
    const excused = isExcused(silent, BigInt(speakers.length));
    const ruled = speakers.map(({ said, isVote, tile, isGang }) => {
      const truth = { digest: settled.get(tile), opened: tiles[tile]?.opened, isProven: false };
      const ruling = rule(said, truth, UNAVAILABLE);
      return { ruling, isVote, isGang, taken: costOf(ruling, said, seatFee, penaltyMultiple, excused) };
    });
    const { earned, toTreasury } = shareOut(ruled, seatFee);
    const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
    return {
      earned: sum(earned),
      toTreasury,
      taken: sum(ruled.map(({ taken }) => taken)),
      paid: BigInt(seats) * seatFee,
      honestTaken: sum(ruled.filter(({ isGang }) => !isGang).map(({ taken }) => taken)),
    };
  }
}

function costOf(ruling: Ruling, said: Said, seatFee: bigint, penaltyMultiple: bigint, excused: boolean): bigint {
  if (ruling === "wrong") return seatFee * penaltyMultiple;
  if (ruling !== "silent") return 0n;
  return said === undefined && excused ? 0n : seatFee;
}

export interface Totals {
  readonly jobs: number;
  readonly wrong: number;
  readonly undecided: number;
  readonly accepted: number;
  readonly draws: number;
  readonly waves: number;
  readonly disputes: number;
  readonly honestTaken: bigint;
}

/** Many jobs from one seed; throws when money is made or lost in one of them. */
export function simulateJobs(seed: number, jobs: number, rules: JobRules, people: Population): Totals {
  const totals = { jobs, wrong: 0, undecided: 0, accepted: 0, draws: 0, waves: 0, disputes: 0, honestTaken: 0n };
  for (let job = 0; job < jobs; job++) {
    const outcome = new JobSimulation(`${seed} ${job}`, rules, people).run();
    if (outcome.paid + outcome.taken !== outcome.earned + outcome.toTreasury) {
      throw new Error(`seed ${seed}, job ${job}: ${outcome.paid} and ${outcome.taken} are not all shared out`);
    }
    if (outcome.isWrong) totals.wrong++;
    if (outcome.result === "undecided") totals.undecided++;
    if (outcome.result === "accepted") totals.accepted++;
    totals.draws += outcome.draws;
    totals.waves += outcome.waves;
    totals.disputes += outcome.disputes;
    totals.honestTaken += outcome.honestTaken;
  }
  return totals;
}
