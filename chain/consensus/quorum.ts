/** The two thresholds, in integers and strict. */

/** 3 * w > 2 * W: any two such sets share more than a third of the weight, so at least one honest validator. */
export function isQuorum(weight: bigint, total: bigint): boolean {
  return 3n * weight > 2n * total;
}

/** 3 * w > W: at least one honest validator is among them. */
export function isMoreThanThird(weight: bigint, total: bigint): boolean {
  return 3n * weight > total;
}
