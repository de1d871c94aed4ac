import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { suite } from "../light-client.ts";

const validators = [
  ["A", 10],
  ["B", 10],
  ["C", 10],
  ["D", 10],
];
const trusted = { height: 1, time: "1970-01-01T00:00:01Z", nextValidatorsHash: "S", nextValidators: validators };
const step = {
  height: 2,
  time: "1970-01-01T00:00:02.5Z",
  validatorsHash: "S",
  nextValidatorsHash: "S",
  signers: ["A", "B", "C"],
  validators,
  nextValidators: validators,
  now: "1970-01-01T00:00:03Z",
};

/** The outcomes of cases with one step each, that step changed and given that verdict. */
async function outcomes(cases: readonly (readonly [object, string])[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "light-client-"));
  try {
    const content = cases.map(([change, verdict], index) => {
      const steps = [{ ...step, ...change, verdict }];
      return { name: `case ${index}`, trusted, trustingPeriodNs: "10000000000", steps };
    });
    writeFileSync(join(folder, "cases.json"), JSON.stringify(content));
    writeFileSync(join(folder, "other.json"), JSON.stringify([{ beta: 3 }]));
    const results: string[] = [];
    for await (const { outcome } of suite.run(folder)) results.push(outcome);
    return results;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it("passes right verdicts", async () => {
  const right: readonly (readonly [object, string])[] = [
    [{}, "SUCCESS"],
    [{ signers: ["A", "B"] }, "INVALID"],
    [{ signers: ["A", "B", "X"] }, "INVALID"],
    [{ validatorsHash: "T" }, "INVALID"],
    [{ now: "1970-01-01T00:00:02.4Z" }, "INVALID"],
    [{ now: "1970-01-01T00:00:11Z" }, "INVALID"],
    [{ height: 3, validatorsHash: "T", validators: [["X", 5]], signers: ["X"] }, "NOT_ENOUGH_TRUST"],
  ];
  expect(new Set(await outcomes(right))).toEqual(new Set(["passed"]));
});

it("fails wrong ones", async () => {
  const wrong: readonly (readonly [object, string])[] = [
    [{}, "INVALID"],
    [{ signers: ["A", "B"] }, "SUCCESS"],
    [{ height: 3 }, "NOT_ENOUGH_TRUST"],
  ];
  expect(await outcomes(wrong)).toEqual(["failed", "failed", "failed"]);
});
