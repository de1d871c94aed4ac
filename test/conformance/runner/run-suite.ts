/** Runs a suite over a path and counts. */
import type { CaseResult, Suite } from "../suite.ts";

export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

export interface SuiteReport extends Tally {
  readonly suite: string;
  readonly path: string;
  /** Failed and skipped cases; the passed ones are only counted. */
  readonly remarks: readonly CaseResult[];
}

/** `onCase` sees each result as it comes. A suite that throws has failed, whatever it passed before. */
export async function runSuite(
  suite: Suite,
  path: string,
  onCase: (result: CaseResult, soFar: Readonly<Tally>) => void,
): Promise<SuiteReport> {
  const tally: Tally = { passed: 0, failed: 0, skipped: 0 };
  const remarks: CaseResult[] = [];
  const record = (result: CaseResult): void => {
    tally[result.outcome]++;
    if (result.outcome !== "passed") remarks.push(result);
    onCase(result, tally);
  };
  try {
    for await (const result of suite.run(path)) record(result);
  } catch (error) {
    record({ name: "(the suite itself)", outcome: "failed", reason: `stopped: ${messageOf(error)}` });
  }
  return { suite: suite.name, path, ...tally, remarks };
}

export function addTallies(tallies: readonly Readonly<Tally>[]): Tally {
  const sum: Tally = { passed: 0, failed: 0, skipped: 0 };
  for (const { passed, failed, skipped } of tallies) {
    sum.passed += passed;
    sum.failed += failed;
    sum.skipped += skipped;
  }
  return sum;
}

/** The closing line of the command, in exactly this form: other programs read it. */
export function tallyText({ passed, failed, skipped }: Readonly<Tally>): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** 0: nothing failed. 1: something failed. 2: there was no case, so nothing was shown. */
export function exitCodeOf({ passed, failed, skipped }: Readonly<Tally>): 0 | 1 | 2 {
  if (failed > 0) return 1;
  return passed + skipped > 0 ? 0 : 2;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
