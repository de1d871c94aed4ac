/**
 * Random histories on the real module, held to the specification said again: who is decided right, how many votes that
 * took, and what everybody has gained, to the wei.
 */
import { describe, expect, it } from "vitest";
import { bytesToHex, type Hex, utf8 } from "../../../base/bytes.ts";
import { Prng } from "../../../base/prng.ts";
import { sha256 } from "../../../base/sha256.ts";
import { OGPU } from "../../../base/units.ts";
import { TREASURY_ADDRESS } from "../../../vm/modules/addresses.ts";
import { PHASE } from "../../../vm/modules/verification/round-types.ts";
import { UNAVAILABLE_DIGEST } from "../../../vm/modules/verification/settle.ts";
import { chance } from "../../sim/chance.ts";
import { ACCOUNT_BALANCE } from "../support/economy-chain.ts";
import { type Answer, NaiveBooks, type NaiveDispute, naiveVote, type Verdict } from "./support/naive-verification.ts";
import { place } from "./support/traced-work.ts";
import {
  type Asked,
  CLIENT,
  MOST_VERIFIERS,
  SEAT_FEE,
  VERIFICATION,
  VerificationWorld,
  verifierKey,
} from "./support/verification-world.ts";

const YEAR = 31_536_000n;
const RULES = { pollSize: 3, lead: 6, maxDraws: 24 } as const;

class History {
  readonly prng: Prng;
  readonly world: VerificationWorld;
  readonly books = new NaiveBooks(SEAT_FEE, UNAVAILABLE_DIGEST);
  readonly isSmall: boolean;
  readonly #seed: number;
  readonly #liars: number;
  readonly #silent: number;

  constructor(seed: number) {
    this.#seed = seed;
    this.prng = new Prng(`history ${seed}`);
    this.isSmall = chance(this.prng, 0.3);
    this.#liars = this.prng.below(4) / 10;
    this.#silent = this.prng.below(3) / 10;
    this.world = new VerificationWorld({
      verifiers: this.isSmall ? 7 : MOST_VERIFIERS,
      stakeOf: (index) => BigInt(200 + 50 * (index % 4)) * OGPU,
      parameters: {
        smallSet: this.isSmall ? 30n : 0n,
        pollSize: BigInt(RULES.pollSize),
        lead: BigInt(RULES.lead),
        maxDraws: BigInt(RULES.maxDraws),
        silenceWindowSeconds: YEAR,
        jailAfter: 1_000n,
      },
    });
  }

  /** Fixed for each seat, so that what is sealed can be revealed. */
  #says(round: bigint, asked: Asked): Hex | undefined {
    const prng = new Prng(`${this.#seed} ${round} ${asked.seat}`);
    if (chance(prng, this.#silent)) return undefined;
    if (!chance(prng, this.#liars)) return this.world.honest(asked);
    const lies = [this.world.complicit(asked), UNAVAILABLE_DIGEST, bytesToHex(sha256(utf8(`lie ${prng.below(2)}`)))];
    return lies[prng.below(lies.length)];
  }

  round(job: bigint): void {
    const { world } = this;
    const isLying = chance(this.prng, 0.5);
    const lies = new Set(
      Array.from({ length: 32 }, (_, index) => place(Math.floor(index / 8), index % 8)).filter(
        () => isLying && chance(this.prng, 0.6),
      ),
    );
    const round = world.begin({ lies, job, seats: 1 + this.prng.below(4), tier: chance(this.prng, 0.2) ? 1 : 0 });
    const { tier } = world.round(round);
    world.spot(round, (asked) => this.#says(round, asked));
    const seats = world.seats(round).map((asked) => ({
      ...this.#answer(round, asked, 1n),
      place: place(asked.launch, asked.tile),
      opened: world.work.claim(asked.launch, asked.tile),
    }));
    const excused = new Map<Answer, boolean>();
    const note = (answers: readonly Answer[]): void => {
      const isExcused = this.books.noteGroup(answers);
      for (const answer of answers) excused.set(answer, isExcused);
    };
    note(seats);
    const open = new Map(
      seats.filter(({ said, opened }) => tier === 1 || said !== opened).map((seat) => [seat.place, seat.opened]),
    );
    const disputes: NaiveDispute[] = [];
    const verdicts: (Verdict | "proven")[] = [];
    let isRejected = false;
    for (const [where, opened] of open) {
      const votes = this.#voteOn(round, note);
      const dispute = { place: where, opened, votes, everybody: this.isSmall };
      const { verdict, used } = naiveVote(dispute, RULES.pollSize, RULES.lead, RULES.maxDraws);
      expect(votes).toHaveLength(used);
      const settled = verdict === "undecided" ? this.#referee(round, where, opened, dispute) : { dispute, verdict };
      disputes.push(settled.dispute);
      verdicts.push(settled.verdict);
      isRejected = settled.verdict === "proven" ? settled.dispute.proven !== opened : settled.verdict !== "true";
      if (isRejected) break;
    }
    expect(world.phase(round)).toBe(isRejected ? PHASE.rejected : PHASE.accepted);
    if (!isRejected) world.publish(round);
    if (!world.round(round).isFinal) world.close(round);
    const isProven = isRejected && verdicts.at(-1) === "proven";
    expect(world.decided.at(-1)).toMatchObject({ round, catcher: isProven ? CLIENT.address : undefined });
    // Those that were not voted on any more.
    for (const [where, opened] of [...open].slice(disputes.length))
      disputes.push({ place: where, opened, votes: [], everybody: false });
    this.books.close({ seats, disputes }, verdicts, excused);
  }

  #answer(round: bigint, asked: Asked, units: bigint): Answer {
    return { verifier: asked.verifier, said: this.#says(round, asked), units };
  }

  /** All waves of one tile, in the order of their seats. */
  #voteOn(round: bigint, note: (answers: readonly Answer[]) => void): readonly Answer[] {
    const { world } = this;
    const { launch, tile } = this.#disputed(round);
    const votes: Answer[] = [];
    while (world.phase(round) === PHASE.voting) {
      const now = this.#disputed(round);
      if (now.launch !== launch || now.tile !== tile) break;
      world.draw(round);
      const wave = world.votes(round);
      const units = new Map(
        world.chain
          .view(VERIFICATION, "votesOf", [round, BigInt((wave[0]?.seat ?? 0) - world.round(round).seats), 100n])
          .map((vote) => [vote.seat, vote.units]),
      );
      const answers = wave.map((asked) => this.#answer(round, asked, units.get(asked.seat) ?? 0n));
      world.wave(round, (asked) => this.#says(round, asked));
      note(answers);
      votes.push(...answers);
    }
    return votes;
  }

  #disputed(round: bigint): { readonly launch: number; readonly tile: number } {
    return this.world.chain.view(VERIFICATION, "disputeOf", [round, CLIENT.address]);
  }

  /** Half of the time somebody calls it. */
  #referee(
    round: bigint,
    where: string,
    opened: Hex,
    dispute: NaiveDispute,
  ): { readonly dispute: NaiveDispute; readonly verdict: Verdict | "proven" } {
    const { world } = this;
    expect(world.phase(round)).toBe(PHASE.referee);
    if (chance(this.prng, 0.5)) {
      world.expire(round);
      return { dispute, verdict: "undecided" };
    }
    const [launch, tile] = where.split(" ").map(Number) as [number, number];
    const proven = world.work.truth(launch, tile);
    world.challenge(round);
    world.judge({ round, launch, tile, verdict: proven === opened ? "worker-right" : "worker-wrong", digest: proven });
    return { dispute: { ...dispute, proven }, verdict: "proven" };
  }

  check(): void {
    const { world, books } = this;
    const gain = (account: Hex): bigint => {
      const [stake, frozen, leaving] = world.pots(account);
      expect(frozen).toBe(0n);
      return world.chain.balance(account) + stake + leaving - ACCOUNT_BALANCE;
    };
    for (let index = 0; index < MOST_VERIFIERS; index++) {
      const { address } = verifierKey(index);
      expect([index, gain(address)]).toEqual([index, books.gains.get(address) ?? 0n]);
    }
    expect(world.chain.balance(TREASURY_ADDRESS)).toBe(books.treasury);
    expect(world.chain.balance(CLIENT.address) - ACCOUNT_BALANCE).toBe(books.client);
    expect(world.chain.balance(VERIFICATION.address)).toBe(0n);
  }
}

describe("a random history of rounds", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
    "seed %i: decisions, votes and money are what the specification says",
    (seed) => {
      const history = new History(seed);
      for (let job = 1n; job <= 4n; job++) history.round(job);
      history.check();
    },
  );
});
