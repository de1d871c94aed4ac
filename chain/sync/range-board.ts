/** Which parts of the key space are still to be fetched. */
import { cutSpace, FIRST_PLACE, LAST_PLACE, middleOf, type Place, type Span, shareOf } from "./key-space.ts";

export class RangeBoard {
  /** Nobody fetches them; the last is taken first. */
  readonly #idle: Span[];
  #taken = 0;
  #share = 0;

  /** `done` are ranges that are there already, in order and apart from each other. */
  constructor(parts: number, done: readonly Span[] = []) {
    this.#idle = cutSpace(parts)
      .flatMap((part) => without(part, done))
      .reverse();
    for (const span of done) this.#share += shareOf(span);
  }

  get isDone(): boolean {
    return this.#idle.length === 0 && this.#taken === 0;
  }

  get hasIdle(): boolean {
    return this.#idle.length > 0;
  }

  /** How much of the key space is there, from 0 to 1. */
  get share(): number {
    return this.isDone ? 1 : Math.min(this.#share, 1);
  }

  take(): Span | undefined {
    const part = this.#idle.pop();
    if (part !== undefined) this.#taken++;
    return part;
  }

  /** The part was not fetched. */
  putBack(part: Span): void {
    this.#taken--;
    this.#idle.push(part);
  }

  /** The part is there up to `end`. What remains is cut in two when there are fewer than `wanted` other parts. */
  fetched({ first, last }: Span, end: Place, wanted: number): void {
    this.#taken--;
    this.#share += shareOf({ first, last: end });
    if (end >= last) return;
    const rest = { first: end + 1n, last };
    const middle = this.#idle.length < wanted ? middleOf(rest) : undefined;
    if (middle !== undefined) this.#idle.push({ first: middle + 1n, last });
    this.#idle.push({ first: rest.first, last: middle ?? last });
  }
}

/** What of a part is in none of the ranges. */
function without(part: Span, done: readonly Span[]): Span[] {
  const rest: Span[] = [];
  let { first } = part;
  for (const span of done) {
    if (span.last < first || span.first > part.last) continue;
    if (span.first > first) rest.push({ first, last: span.first - 1n });
    first = span.last + 1n;
  }
  if (first <= part.last) rest.push({ first, last: part.last });
  return rest;
}

/** True when the ranges, in order, are the whole key space without gap or overlap. */
export function areComplete(spans: readonly Span[]): boolean {
  let next = FIRST_PLACE;
  for (const { first, last } of spans) {
    if (first !== next || last < first) return false;
    next = last + 1n;
  }
  return next === LAST_PLACE + 1n;
}
