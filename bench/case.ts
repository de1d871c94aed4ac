/**
 * What a benchmark case is. A case is one operation, in `bench/cases/<name>.ts`, exported as `benchCase`, and
 * measured beside its peer in the same run, because machines are noisy and only ratios travel between them.
 * Cases are found by listing that folder; nothing has to be registered.
 */

/** How large a run is: counts such as accounts, transactions or rounds. */
export type BenchParams = Readonly<Record<string, number>>;

/** One figure, for people: `{ name: "ours", value: 12_800, unit: "recover/s" }`. */
export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** `atLeast` for "so many times faster", `atMost` for "costs no more than so many times as much". */
export type Target = { readonly atLeast: number } | { readonly atMost: number };

/** A ratio measured within one run, and what we want of it at full size. */
export interface Comparison {
  readonly name: string;
  readonly ratio: number;
  readonly target: Target;
}

export interface BenchResult {
  readonly measurements: readonly Measurement[];
  readonly comparisons: readonly Comparison[];
  /**
   * Whether ours and the peer computed the same thing; `undefined` when there is nothing to compare, as with
   * the cost of one operation at two sizes.
   */
  readonly agreed: boolean | undefined;
}

export interface BenchCase<Params extends BenchParams = BenchParams> {
  /** The file's name without its extension. */
  readonly name: string;
  readonly description: string;
  /** `smoke` runs in seconds, in every test run, so that a case cannot rot; `full` gives the figures. */
  readonly sizes: { readonly smoke: Params; readonly full: Params };
  run(params: Params): Promise<BenchResult>;
}

export function targetMet({ ratio, target }: Comparison): boolean {
  return "atLeast" in target ? ratio >= target.atLeast : ratio <= target.atMost;
}

export function targetText(target: Target): string {
  return "atLeast" in target ? `at least ${target.atLeast}x` : `at most ${target.atMost}x`;
}
