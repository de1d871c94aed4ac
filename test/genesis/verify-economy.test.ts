import { describe, expect, it } from "vitest";
import { OGPU } from "../../base/units.ts";
import { type EconomyParameters, PARAMETERS, parameterValue, WHOLE, withParameters } from "../../genesis/economy.ts";
import { NO_WAITS, verifyEconomy, type Waits } from "../../genesis/verify-economy.ts";
import { sampleSpec } from "./support/sample-spec.ts";

const { modules } = sampleSpec();
const TRUSTING = 1_209_600n;
const WAITS: Waits = { trustingSeconds: TRUSTING, epochSeconds: 216_000n };

function paths(economy: EconomyParameters, waits = WAITS): string[] {
  const found: string[] = [];
  verifyEconomy(economy, waits, (path) => found.push(path));
  return found;
}

function changed(changes: Readonly<Record<string, bigint>>): EconomyParameters {
  return withParameters(
    modules,
    Object.entries(changes).map(([name, value]) => {
      const parameter = PARAMETERS.find((known) => known.name === name);
      if (parameter === undefined) throw new Error(`no parameter ${name}`);
      return [parameter, value] as const;
    }),
  );
}

describe("the economy's parameters", () => {
  it("are right in the sample, and only what is changed changes", () => {
    expect(paths(modules)).toEqual([]);
    const other = changed({ "staking.minDelegation": 7n * OGPU });
    for (const parameter of PARAMETERS) {
      const same = parameterValue(other, parameter) === parameterValue(modules, parameter);
      expect(same).toBe(parameter.name !== "staking.minDelegation");
    }
  });

  it.each(PARAMETERS)("$name is within its bounds", ({ name, definition }) => {
    for (const value of [definition.least - 1n, definition.most + 1n]) {
      expect(paths(changed({ [name]: value }), NO_WAITS)).toContain(`$.modules.${name}`);
    }
  });

  it.each([
    [
      "unbonding that ends with the evidence window and an epoch",
      { "slashing.evidenceWindowSeconds": 1_814_400n - 216_000n },
      "staking.unbondingSeconds",
    ],
    [
      "unbonding that ends with the trusting period",
      { "staking.unbondingSeconds": TRUSTING, "slashing.evidenceWindowSeconds": 1n },
      "staking.unbondingSeconds",
    ],
    ["a lead that no vote can reach", { "verification.lead": 121n }, "verification.lead"],
    [
      "stake that is gone before its round is final",
      { "verification.challengeSeconds": 604_800n },
      "verifiers.exitSeconds",
    ],
    ["a reserve too small for one turn", { "verification.reservedShare": 99_999n }, "verification.reservedShare"],
    ["a reserve of most of a block", { "verification.reservedShare": 250_001n }, "verification.reservedShare"],
    ["a canary beyond its budget", { "verification.canaryBudget": OGPU - 1n }, "verification.canaryPrize"],
    ["shares of a penalty beyond the whole", { "market.treasuryShare": 300_001n }, "market.treasuryShare"],
    [
      "a cheat that gets most back",
      { "market.catcherShare": 300_001n, "market.treasuryShare": 0n },
      "market.catcherShare",
    ],
    ["shares of a slash beyond the whole", { "slashing.treasuryShare": WHOLE }, "slashing.treasuryShare"],
    [
      "absence that costs as much as a double signature",
      { "slashing.downtimeShare": 50_000n },
      "slashing.doubleSignShare",
    ],
    [
      "a reporter who gets more than half",
      { "slashing.reporterShare": WHOLE / 2n + 1n, "slashing.treasuryShare": 0n },
      "slashing.reporterShare",
    ],
    ["a unit that is more than the least stake", { "verifiers.unitStake": 101n * OGPU }, "verifiers.unitStake"],
    ["a threshold below half", { "governance.thresholdShare": WHOLE / 2n - 1n }, "governance.thresholdShare"],
    ["a threshold that nothing reaches", { "governance.thresholdShare": 900_001n }, "governance.thresholdShare"],
    ["a quorum that nobody reaches", { "governance.quorumShare": 800_001n }, "governance.quorumShare"],
    ["a veto that anybody has", { "governance.vetoShare": 99_999n }, "governance.vetoShare"],
    ["a deposit that nobody has", { "governance.deposit": 21_000n * OGPU + 1n }, "governance.deposit"],
  ])("refuse %s", (_rule, changes, path) => {
    expect(paths(changed(changes))).toEqual([`$.modules.${path}`]);
  });

  it("may unbond sooner than light clients trust where that is no worry", () => {
    const economy = changed({ "staking.unbondingSeconds": 600n, "slashing.evidenceWindowSeconds": 300n });
    expect(paths(economy, NO_WAITS)).toEqual([]);
  });
});
