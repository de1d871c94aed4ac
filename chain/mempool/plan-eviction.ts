import type { Tail, TailWalk } from "./tail-index.ts";
import type { Waiting } from "./waiting.ts";

export interface Excess {
  readonly tooMany: number;
  readonly tooLarge: number;
  /** How many may go. */
  readonly atMost: number;
}

/**
 * Who has to go to make room for the newcomer, which is in its queue already: the worst of all senders' last transactions,
 * again and again; `before` says who is last then. Nothing when the newcomer's own turn to go would come, or when more
 * would have to go than may.
 */
export function planEviction(
  walk: TailWalk,
  before: (tail: Tail) => Tail | undefined,
  newcomer: Waiting,
  { tooMany, tooLarge, atMost }: Excess,
): readonly Waiting[] | undefined {
  const victims: Waiting[] = [];
  let bytes = 0;
  while (victims.length < tooMany || bytes < tooLarge) {
    const worst = walk.pop();
    if (worst === undefined || worst.waiting === newcomer || victims.length === atMost) return undefined;
    victims.push(worst.waiting);
    bytes += worst.waiting.bytes;
    const next = before(worst);
    if (next !== undefined) walk.push(next);
  }
  return victims;
}
