/**
 * The lead counter as a Markov chain, by itself: nothing here is shared with the module. A vote is for the truth with the
 * chance `honest`, against it with `adversary`, and silent otherwise. Polls of k, the lead looked at after each.
 */
export interface WalkRules {
  readonly pollSize: number;
  readonly lead: number;
  readonly maxDraws: number;
}

export interface WalkResult {
  readonly right: number;
  readonly wrong: number;
  /** Nothing decided within the draws. */
  readonly undecided: number;
  readonly expectedDraws: number;
}

/** The chances of each sum of one poll, from -k (at index 0) to k. */
export function pollChances(size: number, honest: number, adversary: number): readonly number[] {
  let chances = [1];
  const silent = 1 - honest - adversary;
  for (let vote = 0; vote < size; vote++) {
    const next = new Array<number>(chances.length + 2).fill(0);
    chances.forEach((chance, index) => {
      next[index] = (next[index] as number) + chance * adversary;
      next[index + 1] = (next[index + 1] as number) + chance * silent;
      next[index + 2] = (next[index + 2] as number) + chance * honest;
    });
    chances = next;
  }
  return chances;
}

/** `start` is the lead of the truth before the first poll: less than 0 when the first seats were all the adversary's. */
export function exactWalk(rules: WalkRules, honest: number, adversary: number, start = 0): WalkResult {
  const { pollSize, lead, maxDraws } = rules;
  let at = new Map<number, number>([[start, 1]]);
  let [right, wrong, expectedDraws] = [0, 0, 0];
  for (let draws = 0; draws < maxDraws && at.size > 0; ) {
    const size = Math.min(pollSize, maxDraws - draws);
    const poll = pollChances(size, honest, adversary);
    const next = new Map<number, number>();
    for (const [position, chance] of at) {
      expectedDraws += chance * size;
      poll.forEach((step, index) => {
        const reached = position + index - size;
        const mass = chance * step;
        if (reached >= lead) right += mass;
        else if (reached <= -lead) wrong += mass;
        else next.set(reached, (next.get(reached) ?? 0) + mass);
      });
    }
    at = next;
    draws += size;
  }
  return { right, wrong, undecided: [...at.values()].reduce((sum, chance) => sum + chance, 0), expectedDraws };
}

/** The share of seats that an adversary gets whose leaders throw away beacons: a plain sum over how many it throws away. */
export function biasByLeaders(share: number): number {
  let [got, reached] = [0, 1];
  for (let thrown = 0; thrown < 200; thrown++) {
    got += reached * share;
    reached *= (1 - share) * share;
  }
  return got;
}
