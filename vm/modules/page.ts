/** Lists are given a page at a time, so that no call reads more than it can pay for. */

/** Entries of one page. */
export const MAX_PAGE = 100n;

/** The positions from `start` that there are, `limit` of them at most. The caller has refused a `limit` above MAX_PAGE. */
export function positionsFrom(start: bigint, limit: bigint, count: number): readonly number[] {
  const end = start + limit < BigInt(count) ? start + limit : BigInt(count);
  return start >= end ? [] : Array.from({ length: Number(end - start) }, (_, offset) => Number(start) + offset);
}
