/** Turns the command's arguments into the list of (suite, path) to run. */
import type { Suite } from "../suite.ts";
import { expandPath, isPresent } from "./expand-path.ts";
import type { VectorFiles } from "./vectors.ts";

export interface PlannedRun {
  readonly suite: Suite;
  readonly path: string;
}

/** A mistake of the caller, or of the vector list: the message says what to do. */
export class UsageError extends Error {}

export function planOne(suites: readonly Suite[], name: string, path: string): readonly PlannedRun[] {
  const suite = suites.find((candidate) => candidate.name === name);
  if (suite === undefined) {
    throw new UsageError(`there is no suite ${name}; the suites are: ${suites.map((s) => s.name).join(", ")}, all`);
  }
  if (!isPresent(path)) throw new UsageError(`${path} does not exist; give a folder or file of test cases`);
  return [{ suite, path }];
}

/** Every suite over its files in `folder`. A suite without files, or files without a suite, would show nothing. */
export function planAll(
  suites: readonly Suite[],
  files: readonly VectorFiles[],
  folder: string,
): readonly PlannedRun[] {
  if (!isPresent(folder)) throw new UsageError(`${folder} does not exist; give the folder that holds the test files`);
  for (const { name } of suites) {
    if (!files.some((entry) => entry.suite === name)) {
      throw new UsageError(`suite ${name} has no files: add a line to test/conformance/runner/vectors.ts`);
    }
  }
  return files.flatMap(({ suite: name, paths }) =>
    paths.flatMap((pattern) => {
      const found = expandPath(folder, pattern);
      if (found.length === 0) throw new UsageError(`${folder} holds no ${pattern}, which suite ${name} reads`);
      return found.flatMap((path) => planOne(suites, name, path));
    }),
  );
}
