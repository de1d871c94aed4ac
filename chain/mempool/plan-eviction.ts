import type { PriceWalk } from "./price-index.ts";
import type { Tail } from "./sender-queue.ts";
import type { Waiting } from "./waiting.ts";

export interface Excess {
  readonly tooMany: number;
  readonly tooLarge: number;
  /** How many may go. */
  readonly atMost: number;
}

/**
 * Who has to go to make room for the newcomer, which is in its queue already: the worst of all senders' last transactions,
 * again and again, those that are not ready first. Nothing when the newcomer's own turn to go would come, or when more
 * would have to go than may.
 */
export function planEviction(
  walks: { readonly queued: PriceWalk<Tail>; readonly ready: PriceWalk<Tail> },
  newcomer: Waiting,
  { tooMany, tooLarge, atMost }: Excess,
): readonly Waiting[] | undefined {
  const victims: Waiting[] = [];
  let bytes = 0;
  while (victims.length < tooMany || bytes < tooLarge) {
    const worst = walks.queued.pop() ?? walks.ready.pop();
    if (worst === undefined || worst.waiting === newcomer || victims.length === atMost) return undefined;
    victims.push(worst.waiting);
    bytes += worst.waiting.bytes;
    const before = worst.queue.tailAt(worst.rank - 1);
    if (before !== undefined) (before.isReady ? walks.ready : walks.queued).push(before);
  }
  return victims;
}
