/** What an operator wants to work on, and for how much. Pure. */
import { launchesIn } from "../../program/schedule.ts";
import type { LaunchSpec, Program, StepSpec } from "../../program/types.ts";
import type { CheckedProgram } from "../../ptx/check-program.ts";
import { PROVIDER_LIMITS } from "../limits.ts";
import type { JobView, SourceView } from "../ports.ts";

export interface ProviderPolicy {
  /** Join sources of tasks; bid for jobs. */
  readonly pool: boolean;
  readonly auctions: boolean;
  /** Wei for 10^9 compute units, at least. */
  readonly minimumPrice: bigint;
  /** Hundredths by which a bid is above the minimum. */
  readonly marginPercent: number;
  /** Of all buffers of a program together. */
  readonly memoryBytes: number;
  /** Of one segment, and of inputs and outputs together. */
  readonly seconds: number;
  readonly transferBytes: number;
  /** Programs whose every tile the referee can check: others are riskier for everybody. */
  readonly refereeableOnly: boolean;
  /** Calls the referee, for a bond, against a vote that the reference says is wrong. */
  readonly defends: boolean;
  /** Sources at a time, and jobs that were bid for and are not over. */
  readonly sources: number;
  readonly jobs: number;
}

export const USUAL_POLICY: ProviderPolicy = {
  pool: true,
  auctions: true,
  minimumPrice: 0n,
  marginPercent: 10,
  memoryBytes: 2 ** 31,
  seconds: 3_600,
  transferBytes: 2 ** 31,
  refereeableOnly: false,
  defends: true,
  sources: 16,
  jobs: 4,
};

/** The device that works, as it is registered. */
export interface WorkingDevice {
  readonly id: bigint;
  readonly tier: number;
  /** 16 bytes. */
  readonly region: `0x${string}`;
  /** Compute units in a second, as far as is known. */
  readonly speed: number;
}

/** What of a program decides whether it is taken. */
export interface ProgramFacts {
  readonly computeUnits: bigint;
  readonly launches: number;
  readonly memoryBytes: number;
  readonly transferBytes: number;
  readonly refereeable: boolean;
  /** Bytes that its hungriest tile may touch. */
  readonly tileBytes: number;
}

/** Bytes of all buffers of a program, and of those that move: inputs, constants and outputs. */
export function sizesOf({ buffers, outputs }: Program): {
  readonly memoryBytes: number;
  readonly transferBytes: number;
} {
  const sum = (some: readonly { readonly bytes: number }[]): number => some.reduce((all, { bytes }) => all + bytes, 0);
  const moves = (kind: string, buffer: number): boolean =>
    kind === "input" || kind === "constant" || outputs.includes(buffer);
  return {
    memoryBytes: sum(buffers),
    transferBytes: sum(buffers.filter(({ kind }, buffer) => moves(kind, buffer))),
  };
}

export function factsOf({ program, fuel, refereeable }: CheckedProgram): ProgramFacts {
  return {
    ...{ computeUnits: fuel, launches: launchesIn(program.steps), refereeable, ...sizesOf(program) },
    tileBytes: launchesOf(program).reduce((most, { bytes }) => Math.max(most, bytes), 0),
  };
}

function launchesOf({ steps }: Program): readonly LaunchSpec[] {
  const inside = (some: readonly StepSpec[]): readonly LaunchSpec[] =>
    some.flatMap((step) => (step.kind === "launch" ? [step] : inside(step.body)));
  return inside(steps);
}

/** Why not; undefined when it is taken. The texts are for the operator. */
export type Refusal = string | undefined;

export function refusalOfProgram(
  policy: ProviderPolicy,
  facts: ProgramFacts,
  segments: number,
  speed: number,
): Refusal {
  if (facts.memoryBytes > policy.memoryBytes) return `it needs ${facts.memoryBytes} bytes of memory`;
  if (facts.transferBytes > policy.transferBytes) return `its inputs and outputs have ${facts.transferBytes} bytes`;
  if (policy.refereeableOnly && !facts.refereeable) return "the referee cannot check all of its tiles";
  if (facts.launches / segments > PROVIDER_LIMITS.segmentLaunches) return "a segment has too many launches";
  if (secondsFor(facts, segments, speed) > policy.seconds) return "a segment takes too long on this device";
  return undefined;
}

export function secondsFor({ computeUnits }: ProgramFacts, segments: number, speed: number): number {
  return Number(computeUnits) / segments / Math.max(speed, 1);
}

/** The least that the operator takes for it, in wei. */
export function leastPrice({ minimumPrice }: ProviderPolicy, { computeUnits }: ProgramFacts): bigint {
  return (minimumPrice * computeUnits + 999_999_999n) / 1_000_000_000n;
}

export function refusalOfSource(
  policy: ProviderPolicy,
  device: WorkingDevice,
  source: SourceView,
  facts: ProgramFacts,
): Refusal {
  if (!policy.pool) return "tasks are not wanted";
  if (!source.open) return "the source is closed";
  if (source.tier !== device.tier) return `it is for tier ${source.tier}`;
  if (source.price < leastPrice(policy, facts)) return `it pays ${source.price} wei, less than the minimum`;
  return refusalOfProgram(policy, facts, 1, device.speed);
}

export interface Bid {
  readonly price: bigint;
  readonly seconds: bigint;
  readonly region: `0x${string}`;
}

/** What to bid for what is left of a job, or why not. */
export function bidFor(
  policy: ProviderPolicy,
  device: WorkingDevice,
  job: JobView,
  facts: ProgramFacts,
): Bid | { readonly refusal: string } {
  if (!policy.auctions) return { refusal: "auctions are not wanted" };
  if (job.tier !== device.tier) return { refusal: `it is for tier ${job.tier}` };
  const refusal = refusalOfProgram(policy, facts, job.segments, device.speed);
  if (refusal !== undefined) return { refusal };
  const left = job.segments - job.segment;
  const least = (leastPrice(policy, facts) * BigInt(left)) / BigInt(job.segments);
  const wanted = (least * BigInt(100 + policy.marginPercent)) / 100n;
  if (least > job.budget) return { refusal: `the budget is ${job.budget} wei, less than the minimum` };
  const compute = secondsFor(facts, job.segments, device.speed) * left;
  return {
    price: wanted > job.budget ? job.budget : wanted === 0n ? 1n : wanted,
    // Promised time counts in the score, and being late costs: twice what it takes, and some for what lies between.
    seconds: BigInt(Math.ceil(2 * compute) + 10 * left),
    region: device.region,
  };
}
