/**
 * What staking costs as it grows: sharing out an epoch's rewards, choosing the next set and slashing must not cost more
 * with more delegations, and an epoch's end no more than in proportion to the validators. Hooks and functions of the
 * module straight on a state in memory: no signatures, no state root.
 */
import { bytes32, bytesToHex, concatBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { sha256 } from "../../base/sha256.ts";
import { OGPU } from "../../base/units.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import { networkSpec } from "../../genesis/networks.ts";
import { changeDelegation } from "../../vm/modules/staking/delegations.ts";
import { ERAS } from "../../vm/modules/staking/limits.ts";
import { rewardEpoch } from "../../vm/modules/staking/reward-epoch.ts";
import { total } from "../../vm/modules/staking/validator-record.ts";
import type { Address } from "../../vm/state/account.ts";
import type { MemoryState } from "../../vm/state/memory-state.ts";
import type { BenchCase, BenchResult, Comparison, Measurement } from "../case.ts";
import { type Contestant, type Interleaved, interleave } from "../interleave.ts";
import { StakingWorld } from "../staking-world.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly small: number;
  readonly middle: number;
  readonly large: number;
  readonly fewValidators: number;
  readonly someValidators: number;
  readonly manyValidators: number;
}

export const benchCase: BenchCase<Params> = {
  name: "staking",
  description: "rewards, epoch and slash at 100 to 1,000,000 delegations; epoch at 10 to 1,000 validators",
  sizes: {
    smoke: { rounds: 1, small: 10, middle: 50, large: 200, fewValidators: 4, someValidators: 8, manyValidators: 16 },
    full: {
      rounds: 31,
      small: 100,
      middle: 10_000,
      large: 1_000_000,
      fewValidators: 10,
      someValidators: 100,
      manyValidators: 1_000,
    },
  },
  run,
};

/** Who the delegations are spread over. */
const VALIDATORS = 10;
const STAKE = 100n * OGPU;
/** Small, so that a million of them are within the supply. */
const DELEGATION = OGPU;
/** Delegations that are written before they are put away: what a state holds beside its parent costs more memory. */
const CHUNK = 10_000;
const BLOCKS = 8;

const OPERATIONS = ["rewards", "epoch", "slash"] as const;
type Operation = (typeof OPERATIONS)[number];

async function run(params: Params): Promise<BenchResult> {
  const { rounds, small, middle, large, fewValidators, someValidators, manyValidators } = params;
  const sizes = [small, middle, large];
  const spec = specOf(VALIDATORS);
  const states = new Map(sizes.map((size) => [size, stateWith(spec, size)]));
  const contestants = [...states].flatMap(([size, state]) =>
    OPERATIONS.map((operation) => contestant(nameOf(operation, size, "delegations"), spec, state, operation)),
  );
  const counts = [fewValidators, someValidators, manyValidators];
  contestants.push(
    ...counts.map((count) => {
      const many = specOf(count);
      return contestant(nameOf("epoch", count, "validators"), many, stateWith(many, count), "epoch");
    }),
  );
  const rates = await interleave(rounds, contestants);
  return {
    measurements: contestants.map(({ name }) => measurementOf(rates, name)),
    comparisons: [
      ...OPERATIONS.map((operation) => flatness(rates, operation, small, large)),
      linearity(rates, someValidators, manyValidators),
    ],
    agreed: [...states].every(
      ([size, state]) => bonded(spec, state) === BigInt(VALIDATORS) * STAKE + BigInt(size) * DELEGATION,
    ),
  };
}

function nameOf(operation: Operation, size: number, what: string): string {
  return `${operation}, ${size.toLocaleString("en-US")} ${what}`;
}

function measurementOf(rates: Interleaved, name: string): Measurement {
  return { name, value: 1000 / rates.rate(name), unit: "ms" };
}

/** A map of millions of slots misses the processor's caches; more than that would be a loop over delegations. */
function flatness(rates: Interleaved, operation: Operation, small: number, large: number): Comparison {
  const ratio = rates.ratio(nameOf(operation, small, "delegations"), nameOf(operation, large, "delegations"));
  return { name: `${operation}: ${large} delegations beside ${small}`, ratio, target: { atMost: 2 } };
}

function linearity(rates: Interleaved, some: number, many: number): Comparison {
  const ratio = rates.ratio(nameOf("epoch", some, "validators"), nameOf("epoch", many, "validators"));
  const name = `epoch, for each validator: ${many} validators beside ${some}`;
  return { name, ratio: ratio / (many / some), target: { atMost: 2 } };
}

function addressOf(kind: string, index: number): Address {
  return bytesToHex(sha256(concatBytes(new TextEncoder().encode(kind), bytes32(BigInt(index)))).subarray(0, 20));
}

/** Genesis asks for no proofs here, so that any 48 bytes are a key. */
function specOf(validators: number): ChainSpec {
  const devnet = networkSpec("devnet");
  const staking = { ...devnet.modules.staking, maxValidators: BigInt(validators) };
  return {
    ...devnet,
    accounts: [],
    consensus: { ...devnet.consensus, heartbeatMilliseconds: 86_400_000 },
    modules: { ...devnet.modules, staking },
    validators: Array.from({ length: validators }, (_, index) => ({
      publicKey: bytesToHex(concatBytes(sha256(bytes32(BigInt(index))), new Uint8Array(16))),
      proofOfPossession: "0x",
      stake: STAKE,
      operator: addressOf("operator", index),
    })),
  };
}

function stateWith(spec: ChainSpec, delegations: number): MemoryState {
  const state = new StakingWorld(spec).genesis();
  const operators = spec.validators.map(({ operator }) => operator);
  for (let begin = 0; begin < delegations; begin += CHUNK) {
    const world = new StakingWorld(spec, state);
    const call = world.protocol();
    for (let index = begin; index < Math.min(begin + CHUNK, delegations); index++) {
      const operator = operators[index % operators.length] as Address;
      changeDelegation(call, operator, addressOf("delegator", index), DELEGATION, DELEGATION);
    }
    state.apply(world.state.changes());
  }
  return state;
}

function bonded(spec: ChainSpec, state: MemoryState): bigint {
  return total(new StakingWorld(spec, state).protocol(), "bonded");
}

/** Each round begins anew from the same state, within an epoch of which half have signed each block. */
function contestant(name: string, spec: ChainSpec, state: MemoryState, operation: Operation): Contestant {
  const signers = spec.validators.map((_, index) => index).filter((index) => index % 2 === 0);
  const operator = spec.validators[0]?.operator as Address;
  let world = new StakingWorld(spec, state);
  return {
    name,
    prepare: () => {
      world = new StakingWorld(spec, state);
      for (let block = 0; block < BLOCKS; block++) world.block({ signers });
      if (operation === "slash") fillPools(world, operator);
      // Slashed stake is paid out of what the account holds, which these delegations have never paid in.
      world.state.setBalance(world.staking.address, total(world.protocol(), "bonded"));
    },
    run: () => {
      if (operation === "rewards") rewardEpoch(world.protocol(), spec.modules.token);
      else if (operation === "epoch") world.block({ signers, isSeal: true });
      else world.convict(operator, world.seconds - spec.modules.staking.unbondingSeconds);
      return 1;
    },
  };
}

/** Stake of the validator's that unbonds in every era that a slash can reach. */
function fillPools(world: StakingWorld, operator: Address): void {
  const { unbondingSeconds } = world.spec.modules.staking;
  for (let era = 0n; era < ERAS; era++) {
    const outcome = world.call(operator, "unbond", [operator, OGPU]);
    assert(outcome.succeeded, "the operator unbonds");
    world.block({ seconds: Math.ceil(Number(unbondingSeconds) / Number(ERAS)) });
  }
}
