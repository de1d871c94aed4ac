/**
 * Light-client cases of tendermint-rs's model-based tests, with signer sets in place of signatures: they test the trust
 * rule alone. A verdict SUCCESS moves the trusted state; the next step starts from there.
 */
import { type Candidate, judge, type TrustedState, type Verdict } from "../../chain/light-client/trust-rule.ts";
import { type CaseResult, jsonFiles, runCase, type Suite } from "./suite.ts";
import { expectSame } from "./support/check.ts";

type Weights = readonly (readonly [string, number])[];

interface Step {
  readonly height: number;
  readonly time: string;
  readonly validatorsHash: string;
  readonly nextValidatorsHash: string;
  readonly signers: readonly string[];
  readonly validators: Weights;
  readonly nextValidators: Weights;
  readonly now: string;
  readonly verdict: "SUCCESS" | "NOT_ENOUGH_TRUST" | "INVALID";
}

interface LightClientCase {
  readonly name: string;
  readonly trusted: Pick<Step, "height" | "time" | "nextValidatorsHash" | "nextValidators">;
  readonly trustingPeriodNs: string;
  readonly steps: readonly Step[];
}

export const suite: Suite = {
  name: "light-client",
  description: "light-client trust rule: tendermint-rs's single-step cases",
  *run(path: string): Generator<CaseResult> {
    for (const { content } of jsonFiles(path)) {
      if (!isCaseList(content)) continue;
      for (const test of content) yield runCase(test.name, () => checkCase(test));
    }
  },
};

/** Folders may hold files of other suites beside ours. */
function isCaseList(content: unknown): content is readonly LightClientCase[] {
  return Array.isArray(content) && content.every((test) => "trustingPeriodNs" in Object(test));
}

function checkCase({ trusted: start, trustingPeriodNs, steps }: LightClientCase): void {
  const trustingPeriod = BigInt(trustingPeriodNs);
  let trusted = stateOf(start);
  for (const [index, step] of steps.entries()) {
    const options = { now: nanoseconds(step.now), trustingPeriod, maxSkew: 0n };
    const verdict = judge(trusted, candidateOf(trusted, step), options);
    expectSame(classOf(verdict), step.verdict, `the verdict of step ${index} (${verdict})`);
    if (verdict === "trusted") trusted = stateOf(step);
  }
}

function classOf(verdict: Verdict): Step["verdict"] {
  if (verdict === "trusted") return "SUCCESS";
  return verdict === "not-enough-trust" ? "NOT_ENOUGH_TRUST" : "INVALID";
}

function stateOf({ height, time, nextValidatorsHash, nextValidators }: LightClientCase["trusted"]): TrustedState {
  return {
    height,
    time: nanoseconds(time),
    nextSetHash: nextValidatorsHash,
    nextWeights: weightsOf(nextValidators),
  };
}

function candidateOf(trusted: TrustedState, step: Step): Candidate {
  return {
    height: step.height,
    time: nanoseconds(step.time),
    mayEqualTime: false,
    setHash: step.validatorsHash,
    weights: weightsOf(step.validators),
    signers: new Set(step.signers),
    isAdjacent: step.height === trusted.height + 1,
  };
}

function weightsOf(pairs: Weights): ReadonlyMap<string, bigint> {
  return new Map(pairs.map(([id, power]) => [id, BigInt(power)]));
}

/** Of an RFC 3339 time, with up to nine digits below the second. */
function nanoseconds(time: string): bigint {
  const [, seconds = "", fraction = ""] = /^(.*?)(?:\.(\d{1,9}))?Z$/.exec(time) ?? [];
  return BigInt(Date.parse(`${seconds}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}
