/** What a seed means: how many nodes, which faults, which of them lie, how the validator set changes. */
import { Prng } from "../../base/prng.ts";
import type { ConsensusParameters } from "../../chain/consensus/parameters.ts";
import { makeValidatorSet, type ValidatorId, type ValidatorStake } from "../../chain/consensus/validator-set.ts";
import { cappedStakes } from "../../chain/consensus-parameters.ts";
import { ACTORS } from "./actors/all-actors.ts";
import { between, chance, integerBetween, pick } from "./chance.ts";
import { type EpochPlan, WEIGHT_CAP_DIVISOR } from "./counter-app.ts";
import type { LinkQuality } from "./network.ts";

export type FaultName =
  | "loss"
  | "duplication"
  | "reordering"
  | "partition"
  | "crash"
  | "crash-all"
  | "wipe"
  | "lost-chain"
  | "skew"
  | "slow"
  | "byzantine"
  | "epochs";

export const FAULTS: readonly FaultName[] = [
  "loss",
  "duplication",
  "reordering",
  "partition",
  "crash",
  "crash-all",
  "wipe",
  "lost-chain",
  "skew",
  "slow",
  "byzantine",
  "epochs",
];

export const SIM_PARAMETERS: ConsensusParameters = {
  chainId: 7_777n,
  blockInterval: 200,
  viewTimeout: 800,
  viewTimeoutStep: 200,
  viewTimeoutCap: 2_500,
  heartbeat: 8_000,
  resendInterval: 500,
  fetchInterval: 250,
  maxSkew: 400,
  maxUnfinal: 8,
  // Of so few validators a real node would send it to all.
  certificateFanout: 2,
  // Rewritten after almost every commit, which a real node would not do: the more so it is tested.
  logLimit: 8,
};

/** Whole nodes, or consensus alone over a counter. */
export type AppName = "ledger" | "counter";
export const APPS: readonly AppName[] = ["ledger", "counter"];

export interface Scenario {
  readonly seed: string;
  readonly app: AppName;
  readonly validators: number;
  readonly minutes: number;
  readonly faults: ReadonlySet<FaultName>;
  readonly parameters: ConsensusParameters;
  /** The Byzantine behaviour of each node that has one. */
  readonly actors: ReadonlyMap<number, string>;
  readonly executionTimes: readonly number[];
  /** A node that loses its disk and comes back without its key. */
  readonly wiped: number | undefined;
  /** A node that loses its chain alone, and goes on as a validator. */
  readonly chainless: number | undefined;
  /** At first: where clocks differ they are also set now and then. */
  readonly skews: readonly number[];
  readonly faultyLinks: LinkQuality;
  readonly goodLinks: LinkQuality;
  readonly blocksPerEpoch: number;
  /** The mean time between transactions. */
  readonly transactionEvery: number;
  /** Crashes one node, or all, at that write boundary of the node, counted from the start. */
  readonly crashAtWrite?: { readonly node: number; readonly boundary: number; readonly all: boolean };
}

export interface ScenarioOptions {
  readonly seed: string;
  /** The counter unless told. */
  readonly app?: AppName | undefined;
  readonly validators?: number | undefined;
  readonly minutes?: number | undefined;
  readonly faults?: readonly FaultName[] | undefined;
  /** Validators all over the world, with blocks of a second. */
  readonly wideArea?: boolean | undefined;
  /** What all liars do, if there are any; each draws its own otherwise. */
  readonly actor?: string | undefined;
}

const GOOD_LINKS: LinkQuality = { latency: 15, jitter: 10, loss: 0, duplication: 0 };
/** How many there are unless told. */
const LEAST_VALIDATORS = 4;
const LEAST_WITH_TWO_FAULTY = 7;
const MOST_VALIDATORS = 10;
const SLOW_EXECUTION = 350;
const TRANSACTION_EVERY = 400;

/**
 * Milliseconds one way between places on five continents, about half of the round trips that cloud providers publish:
 * eastern and western North America, Europe, East Asia, South America.
 */
const ONE_WAY: readonly (readonly number[])[] = [
  [1, 32, 42, 85, 58],
  [32, 1, 70, 55, 88],
  [42, 70, 1, 110, 95],
  [85, 55, 110, 1, 140],
  [58, 88, 95, 140, 1],
];

function wideAreaLatency(from: number, to: number): number {
  return ONE_WAY[from % ONE_WAY.length]?.[to % ONE_WAY.length] ?? 0;
}

const WIDE_AREA_LINKS: LinkQuality = { latency: wideAreaLatency, jitter: 8, loss: 0, duplication: 0 };
const WIDE_AREA_PARAMETERS: ConsensusParameters = {
  ...SIM_PARAMETERS,
  blockInterval: 1_000,
  viewTimeout: 2_500,
  viewTimeoutStep: 500,
  viewTimeoutCap: 10_000,
  heartbeat: 60_000,
  resendInterval: 2_000,
  fetchInterval: 1_000,
  certificateFanout: 24,
};

export function makeScenario(options: ScenarioOptions): Scenario {
  const prng = new Prng(`scenario ${options.seed}`);
  const drawn = FAULTS.filter((fault) => chance(prng.fork(fault), 0.55));
  const faults = new Set(options.faults ?? drawn);
  // With fewer, the one that is wiped would take the place of the only liar.
  const least = faults.has("byzantine") && faults.has("wipe") ? LEAST_WITH_TWO_FAULTY : LEAST_VALIDATORS;
  const validators = options.validators ?? integerBetween(prng.fork("validators"), least, MOST_VALIDATORS);
  const links = prng.fork("links");
  const faultyLinks: LinkQuality = {
    latency: options.wideArea ? wideAreaLatency : between(links, 5, 60),
    jitter: faults.has("reordering") ? between(links, 40, 200) : 10,
    loss: faults.has("loss") ? between(links, 0.02, 0.25) : 0,
    duplication: faults.has("duplication") ? between(links, 0.02, 0.2) : 0,
  };
  const { actors, executionTimes, wiped, chainless } = drawNodes(prng.fork("nodes"), validators, faults, options.actor);
  const skews = Array.from({ length: validators }, () => (faults.has("skew") ? drawSkew(links) : 0));
  return {
    seed: options.seed,
    app: options.app ?? "counter",
    validators,
    minutes: options.minutes ?? 1,
    faults,
    parameters: options.wideArea ? WIDE_AREA_PARAMETERS : SIM_PARAMETERS,
    actors,
    executionTimes,
    wiped,
    chainless,
    skews,
    faultyLinks,
    goodLinks: options.wideArea ? WIDE_AREA_LINKS : GOOD_LINKS,
    blocksPerEpoch: faults.has("epochs") ? integerBetween(links, 4, 25) : 1_000_000,
    transactionEvery: TRANSACTION_EVERY,
  };
}

/** Milliseconds. */
export function drawSkew(prng: Prng): number {
  return between(prng, -250, 250);
}

/** Fewer than a third lie. Slow nodes are honest, and slower than votes travel. */
function drawNodes(
  prng: Prng,
  validators: number,
  faults: ReadonlySet<FaultName>,
  actor: string | undefined,
): Pick<Scenario, "actors" | "executionTimes" | "wiped" | "chainless"> {
  const order = prng.shuffle(Array.from({ length: validators }, (_, index) => index));
  // A wiped validator does not vote any more: it takes the place of a liar.
  const tolerated = Math.floor((validators - 1) / 3) - (faults.has("wipe") ? 1 : 0);
  const liars = faults.has("byzantine") && tolerated > 0 ? integerBetween(prng, 1, tolerated) : 0;
  const names = [...ACTORS.keys()];
  const actors = new Map(order.slice(0, liars).map((index) => [index, actor ?? pick(prng, names)]));
  const slow = new Set(faults.has("slow") ? order.slice(liars, liars + integerBetween(prng, 1, 2)) : []);
  const executionTimes = order.map((_, index) => (slow.has(index) ? SLOW_EXECUTION : between(prng, 2, 15)));
  return {
    actors,
    executionTimes,
    wiped: faults.has("wipe") ? order.at(-1) : undefined,
    chainless: faults.has("lost-chain") ? order.at(-2) : undefined,
  };
}

/** Validators join, leave and change their stake at every epoch; liars stay below a third of the weight. */
export function planEpochs(scenario: Scenario, ids: readonly ValidatorId[]): EpochPlan {
  const everybody = ids.map((id): ValidatorStake => ({ id, stake: 100n }));
  const isSafe = (stakes: readonly ValidatorStake[]): boolean => {
    const set = makeValidatorSet(stakes);
    const lost = scenario.wiped === undefined ? [] : [scenario.wiped];
    const lying = [...scenario.actors.keys(), ...lost].reduce((sum, node) => {
      const index = set.indexOf.get(ids[node] as ValidatorId);
      return sum + (index === undefined ? 0n : (set.weights[index] ?? 0n));
    }, 0n);
    return 3n * lying < set.total;
  };
  const stakesOf = (epoch: number): readonly ValidatorStake[] => {
    if (epoch === 0) return everybody;
    const prng = new Prng(`epoch ${epoch} of ${scenario.seed}`);
    for (let attempt = 0; attempt < 20; attempt++) {
      const drawn = everybody
        .filter(() => chance(prng, 0.85))
        .map(({ id }) => ({ id, stake: BigInt(integerBetween(prng, 50, 200)) }));
      if (drawn.length < 4) continue;
      const weights = cappedStakes(drawn, WEIGHT_CAP_DIVISOR);
      if (isSafe(weights)) return weights;
    }
    return everybody;
  };
  return { blocksPerEpoch: scenario.blocksPerEpoch, stakesOf };
}
