import { setTimeout as delay } from "node:timers/promises";
import type { Now } from "../turns.ts";

/** After work of a millisecond, so many without: sending the answer to another thread takes as long again, and more. */
const REST = 30;

export interface Pace {
  /** Of rest for each of work, where REST is too much. */
  readonly times?: number;
  readonly now?: Now;
  readonly rest?: (milliseconds: number) => Promise<unknown>;
}

/** The same work, one after the other, and never for more than a small part of the time. */
export function paced<Request, Result>(
  work: (request: Request) => Result | Promise<Result>,
  { times = REST, now = () => performance.now(), rest = delay }: Pace = {},
): (request: Request) => Promise<Result> {
  let order: Promise<unknown> = Promise.resolve();
  let freeAt = Number.NEGATIVE_INFINITY;
  const next = async (before: Promise<unknown>, request: Request): Promise<Result> => {
    await before;
    const early = freeAt - now();
    if (early > 0) await rest(early);
    const begun = now();
    try {
      return await work(request);
    } finally {
      const end = now();
      freeAt = end + times * (end - begun);
    }
  };
  return (request) => {
    const result = next(order, request);
    order = result.catch(() => undefined);
    return result;
  };
}
