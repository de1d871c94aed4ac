import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutSpace, LAST_PLACE, type Span } from "../../../chain/sync/key-space.ts";
import { areComplete, RangeBoard } from "../../../chain/sync/range-board.ts";

/** Fetches parts in some order, sometimes in vain and mostly not to their end; gives back what was fetched. */
function play(board: RangeBoard, draws: readonly number[], steps: number): Span[] {
  const done: Span[] = [];
  const taken: Span[] = [];
  for (let step = 0; step < steps && !board.isDone; step++) {
    const draw = draws[step % draws.length] ?? 0;
    const part = draw % 3 === 0 ? undefined : board.take();
    if (part !== undefined) taken.push(part);
    const [one] = taken.splice(draw % Math.max(1, taken.length), 1);
    if (one === undefined) continue;
    if (draw % 7 === 0) {
      board.putBack(one);
      continue;
    }
    const end = step > 200 || draw % 5 === 0 ? one.last : one.first + (one.last - one.first) / BigInt(1 + (draw % 5));
    done.push({ first: one.first, last: end });
    board.fetched(one, end, draw % 10);
  }
  for (const part of taken) board.putBack(part);
  return done;
}

const inOrder = (spans: readonly Span[]): Span[] => [...spans].sort((a, b) => (a.first < b.first ? -1 : 1));

describe("the board of parts", () => {
  const anyDraws = fc.array(fc.nat(1_000), { minLength: 5, maxLength: 60 });

  it("ends with every place fetched once, whoever fetched what", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), anyDraws, (parts, draws) => {
        const board = new RangeBoard(parts);
        const done = play(board, [...draws, 1, 2, 4], 100_000);
        expect(board.isDone).toBe(true);
        expect(board.share).toBe(1);
        expect(areComplete(inOrder(done))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it("made again from what is there hands out the rest and nothing else", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), anyDraws, (parts, others, draws) => {
        const before = inOrder(play(new RangeBoard(parts), draws, 25));
        const board = new RangeBoard(others, before);
        const after: Span[] = [];
        for (let part = board.take(); part !== undefined; part = board.take()) {
          after.push(part);
          board.fetched(part, part.last, 0);
        }
        expect(areComplete(inOrder([...before, ...after]))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it("cuts what remains of a part in two when others have nothing to do", () => {
    const board = new RangeBoard(1);
    const whole = board.take() as Span;
    board.fetched(whole, 99n, 1);
    const rest = [board.take(), board.take(), board.take()];
    expect(rest[0]?.first).toBe(100n);
    expect(rest[1]?.last).toBe(LAST_PLACE);
    expect(rest[2]).toBeUndefined();
  });

  it("knows complete ranges from those with a gap, an overlap or an end", () => {
    const spans = cutSpace(4);
    expect(areComplete(spans.slice(1))).toBe(false);
    expect(areComplete(spans.slice(0, 3))).toBe(false);
    expect(areComplete([...spans.slice(0, 2), ...spans.slice(1)])).toBe(false);
    expect(areComplete([])).toBe(false);
  });
});
