/** Warp operations as the PTX manual defines them, on what the members brought. */
import type { Instruction } from "../ir.ts";

export interface Brought {
  readonly lane: number;
  /** The sources of the instruction, the mask last. */
  readonly values: readonly bigint[];
}

/** Value and predicate for each member, in the same order; `undefined` when a lane is read that is not there. */
export function exchangeOf(
  wait: Instruction,
  members: readonly Brought[],
): readonly (readonly [bigint, bigint])[] | undefined {
  if (wait.op === "shfl") return shuffle(wait.mode, members);
  if (wait.op === "vote") return vote(wait.mode, members);
  return wait.op === "match" ? match(wait.mode, members) : members.map(() => [0n, 0n]);
}

function maskOf(members: readonly Brought[]): bigint {
  return members.reduce((mask, { lane }) => mask | (1n << BigInt(lane)), 0n);
}

function shuffle(mode: string, members: readonly Brought[]): readonly (readonly [bigint, bigint])[] | undefined {
  const results: (readonly [bigint, bigint])[] = [];
  for (const { lane, values } of members) {
    const [own = 0n, b = 0n, c = 0n] = values;
    const { source, inRange } = sourceLane(mode, lane, Number(b), Number(c));
    const from = inRange ? members.find((member) => member.lane === source)?.values[0] : own;
    if (from === undefined) return undefined;
    results.push([from, inRange ? 1n : 0n]);
  }
  return results;
}

function sourceLane(mode: string, lane: number, b: number, c: number): { source: number; inRange: boolean } {
  const value = b & 0x1f;
  const clamp = c & 0x1f;
  const mask = (c >> 8) & 0x1f;
  const maximum = (lane & mask) | (clamp & ~mask);
  const minimum = lane & mask;
  switch (mode) {
    case "up":
      return { source: lane - value, inRange: lane - value >= maximum };
    case "down":
      return { source: lane + value, inRange: lane + value <= maximum };
    case "bfly":
      return { source: lane ^ value, inRange: (lane ^ value) <= maximum };
    default: {
      const source = minimum | (value & ~mask);
      return { source, inRange: source <= maximum };
    }
  }
}

function vote(mode: string, members: readonly Brought[]): readonly (readonly [bigint, bigint])[] {
  const votes = members.map(({ values }) => values[0] === 1n);
  const truth = (outcome: boolean): bigint => (outcome ? 1n : 0n);
  const outcomes: Readonly<Record<string, bigint>> = {
    ballot: maskOf(members.filter((_, i) => votes[i])),
    all: truth(votes.every(Boolean)),
    any: truth(votes.some(Boolean)),
    uni: truth(new Set(votes).size === 1),
  };
  return members.map(() => [outcomes[mode] as bigint, 0n]);
}

function match(mode: string, members: readonly Brought[]): readonly (readonly [bigint, bigint])[] {
  return members.map(({ values }) => {
    const equal = maskOf(members.filter((other) => other.values[0] === values[0]));
    const everybody = equal === maskOf(members);
    if (mode === "any") return [equal, 0n];
    return everybody ? [equal, 1n] : [0n, 0n];
  });
}
