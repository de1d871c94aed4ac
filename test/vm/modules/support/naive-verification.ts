/**
 * Rounds as the specification tells them, said again without waves, storage or phases: what is decided when everybody
 * has said what they said, and what everybody has gained then. Shares nothing with the module.
 */
import type { Hex } from "../../../../base/bytes.ts";

export interface Answer {
  readonly verifier: Hex;
  readonly said: Hex | undefined;
  readonly units: bigint;
}

export interface NaiveDispute {
  readonly place: string;
  readonly opened: Hex;
  readonly votes: readonly Answer[];
  readonly everybody: boolean;
  /** What the referee computed, where votes had not decided. */
  readonly proven?: Hex;
}

export interface NaiveRound {
  readonly seats: readonly (Answer & { readonly place: string; readonly opened: Hex })[];
  readonly disputes: readonly NaiveDispute[];
}

export type Verdict = "true" | "false" | "undecided";

const FEE_OF_LIES = 50n;

/** Poll after poll; says too how many votes that took. */
export function naiveVote(
  { votes, opened, everybody }: NaiveDispute,
  pollSize: number,
  lead: number,
  most: number,
): { readonly verdict: Verdict; readonly used: number } {
  const value = ({ said }: Answer): number => (said === undefined ? 0 : said === opened ? 1 : -1);
  if (everybody) {
    const stake = (side: number): bigint =>
      votes.filter((vote) => value(vote) === side).reduce((n, v) => n + v.units, 0n);
    const all = stake(1) + stake(0) + stake(-1);
    const verdict = stake(1) * 3n > all * 2n ? "true" : stake(-1) * 3n > all * 2n ? "false" : "undecided";
    return { verdict, used: votes.length };
  }
  let counter = 0;
  for (let used = 0; used < most; ) {
    const size = Math.min(pollSize, most - used);
    for (const vote of votes.slice(used, used + size)) counter += value(vote);
    used += size;
    if (counter >= lead) return { verdict: "true", used };
    if (counter <= -lead) return { verdict: "false", used };
  }
  return { verdict: "undecided", used: most };
}

/** Keeps count of silence over a whole history, and of what everybody has gained. */
export class NaiveBooks {
  readonly gains: Map<Hex, bigint> = new Map();
  treasury = 0n;
  client = 0n;
  #due = 0;
  #silent = 0;
  readonly #fee: bigint;
  readonly #unavailable: Hex;

  constructor(fee: bigint, unavailable: Hex) {
    this.#fee = fee;
    this.#unavailable = unavailable;
  }

  /** A group whose time is over; says whether its silence is excused. */
  noteGroup(answers: readonly Answer[]): boolean {
    this.#due += answers.length;
    const silent = answers.filter(({ said }) => said === undefined).length;
    this.#silent += silent;
    return 3 * this.#silent > this.#due;
  }

  /** `excused` is by answer. */
  close(round: NaiveRound, verdicts: readonly (Verdict | "proven")[], excused: ReadonlyMap<Answer, boolean>): void {
    const truths = new Map(round.disputes.map((dispute, index) => [dispute.place, truthOf(dispute, verdicts[index])]));
    let pool = 0n;
    const winners: Hex[] = [];
    const lose = (answer: Answer, isRight: boolean, isLie: boolean): void => {
      if (isRight) return;
      const isSilent = answer.said === undefined;
      if (!isLie && !isSilent && answer.said !== this.#unavailable) return;
      const cost = isLie ? FEE_OF_LIES * this.#fee : isSilent && excused.get(answer) === true ? 0n : this.#fee;
      this.#gain(answer.verifier, -cost);
      pool += cost;
    };
    for (const seat of round.seats) {
      const { isRight, isLie, isFree } = this.#judge(seat, truths.get(seat.place), seat.opened);
      if (isRight) this.#gain(seat.verifier, this.#fee);
      else pool += this.#fee;
      if (!isFree) lose(seat, isRight, isLie);
      this.client -= this.#fee;
    }
    for (const dispute of round.disputes) {
      for (const vote of dispute.votes) {
        const { isRight, isLie, isFree } = this.#judge(vote, truths.get(dispute.place), dispute.opened);
        if (isRight) winners.push(vote.verifier);
        else if (!isFree) lose(vote, isRight, isLie);
      }
    }
    const part = winners.length === 0 ? 0n : pool / BigInt(winners.length);
    const each = part > this.#fee ? this.#fee : part;
    for (const winner of winners) this.#gain(winner, each);
    this.treasury += pool - each * BigInt(winners.length);
  }

  #judge(
    { said }: Answer,
    truth: { readonly digest: Hex | undefined; readonly isProven: boolean } | undefined,
    opened: Hex,
  ): { isRight: boolean; isLie: boolean; isFree: boolean } {
    const none = { isRight: false, isLie: false, isFree: false };
    if (said === undefined) return none;
    if (truth?.digest === undefined || said === truth.digest) return { ...none, isRight: true };
    const isKnown = truth.isProven || truth.digest === opened;
    if (said === this.#unavailable) return { ...none, isFree: !isKnown };
    const isLie = isKnown || said === opened;
    return { ...none, isLie, isFree: !isLie };
  }

  #gain(verifier: Hex, amount: bigint): void {
    this.gains.set(verifier, (this.gains.get(verifier) ?? 0n) + amount);
  }
}

function truthOf(
  { opened, votes, proven }: NaiveDispute,
  verdict: Verdict | "proven" | undefined,
): { readonly digest: Hex | undefined; readonly isProven: boolean } {
  if (verdict === "proven") return { digest: proven, isProven: true };
  if (verdict === "true") return { digest: opened, isProven: false };
  if (verdict !== "false") return { digest: undefined, isProven: false };
  const against = votes.filter(({ said }) => said !== undefined && said !== opened);
  const weight = (said: Hex | undefined): bigint =>
    against.filter((v) => v.said === said).reduce((n, v) => n + v.units, 0n);
  const [first] = [...new Set(against.map(({ said }) => said))].sort((a, b) =>
    weight(b) > weight(a) ? 1 : weight(b) < weight(a) ? -1 : 0,
  );
  return { digest: first, isProven: false };
}
