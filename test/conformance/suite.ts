/** What a conformance suite is: somebody else's test files, run through our code. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";

export interface CaseResult {
  name: string;
  outcome: "passed" | "failed" | "skipped";
  reason?: string;
}

export interface Suite {
  name: string;
  description: string;
  run(path: string): AsyncIterable<CaseResult> | Iterable<CaseResult>;
}

export interface JsonFile {
  readonly path: string;
  /** The file's name without folder and `.json`. */
  readonly name: string;
  readonly content: unknown;
}

/** The JSON files of a path, which is such a file or a folder that holds some at any depth, in a fixed order. */
export function* jsonFiles(path: string, accept: (name: string) => boolean = () => true): Generator<JsonFile> {
  if (statSync(path).isDirectory()) {
    for (const entry of readdirSync(path).sort()) {
      const inner = join(path, entry);
      if (statSync(inner).isDirectory() || entry.endsWith(".json")) yield* jsonFiles(inner, accept);
    }
    return;
  }
  const name = basename(path, ".json");
  if (accept(name)) yield { path, name, content: JSON.parse(readFileSync(path, "utf8")) };
}

/** Runs one case: it passes when `check` returns, and fails with the reason that it throws. */
export function runCase(name: string, check: () => void): CaseResult {
  try {
    check();
    return { name, outcome: "passed" };
  } catch (error) {
    return { name, outcome: "failed", reason: error instanceof Error ? error.message : String(error) };
  }
}
