/** The parts of Wycheproof's files (C2SP/wycheproof, testvectors_v1) that are common to all kinds of tests. */
export interface WycheproofTest {
  readonly tcId: number;
  readonly comment: string;
  readonly result: "valid" | "invalid" | "acceptable";
}

export interface WycheproofGroup {
  readonly type: string;
  readonly tests: readonly WycheproofTest[];
}

export interface WycheproofFile {
  readonly algorithm: string;
  readonly testGroups: readonly WycheproofGroup[];
}

/**
 * Runs one test: true when the implementation accepts the input, false when it refuses it. Throws when it accepts
 * the input but computes something else than the test says. `never`: each kind has fields of its own.
 */
export type Checker = (test: never, group: never, algorithm: string) => boolean;
