import { describe, expect, it } from "vitest";
import type { CaseResult, Suite } from "../suite.ts";
import { addTallies, exitCodeOf, runSuite, tallyText } from "./run-suite.ts";

const PASSED: CaseResult = { name: "a", outcome: "passed" };
const FAILED: CaseResult = { name: "b", outcome: "failed", reason: "1 is not 2" };
const SKIPPED: CaseResult = { name: "c", outcome: "skipped", reason: "blob transaction" };

function suiteOf(run: Suite["run"]): Suite {
  return { name: "sample", description: "", run };
}

describe("runSuite", () => {
  it("counts the outcomes and keeps every failed and skipped case with its reason", async () => {
    const seen: string[] = [];
    const report = await runSuite(
      suiteOf(() => [PASSED, FAILED, SKIPPED, PASSED]),
      "path",
      ({ name }) => seen.push(name),
    );
    expect(report).toEqual({
      suite: "sample",
      path: "path",
      passed: 2,
      failed: 1,
      skipped: 1,
      remarks: [FAILED, SKIPPED],
    });
    expect(seen).toEqual(["a", "b", "c", "a"]);
  });

  it("gives the suite its path and takes results as they come", async () => {
    const suite = suiteOf(async function* (path) {
      yield { name: path, outcome: "failed" };
    });
    expect((await runSuite(suite, "here", () => {})).remarks).toEqual([{ name: "here", outcome: "failed" }]);
  });

  it("counts a suite that throws as failed, whatever passed before", async () => {
    const suite = suiteOf(function* () {
      yield PASSED;
      throw new Error("bad file");
    });
    const report = await runSuite(suite, "", () => {});
    expect(report).toMatchObject({ passed: 1, failed: 1 });
    expect(report.remarks[0]?.reason).toBe("stopped: bad file");
  });
});

describe("the closing line and the exit code", () => {
  it("say the sum of all suites", () => {
    const total = addTallies([
      { passed: 1, failed: 2, skipped: 3 },
      { passed: 10, failed: 0, skipped: 0 },
    ]);
    expect(tallyText(total)).toBe("11 passed, 2 failed, 3 skipped");
  });

  it("are 1 for any failure, 2 when there was no case, and 0 otherwise", () => {
    expect(exitCodeOf({ passed: 9, failed: 1, skipped: 0 })).toBe(1);
    expect(exitCodeOf({ passed: 0, failed: 0, skipped: 0 })).toBe(2);
    expect(exitCodeOf({ passed: 1, failed: 0, skipped: 0 })).toBe(0);
    expect(exitCodeOf({ passed: 0, failed: 0, skipped: 1 })).toBe(0);
  });
});
