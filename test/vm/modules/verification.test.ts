/** Rounds of verification, call by call: real commitments, real stakes, and a stub in the market's place. */
import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../../base/bytes.ts";
import { tileDigest } from "../../../compute/program/digest.ts";
import { TREASURY_ADDRESS } from "../../../vm/modules/addresses.ts";
import { PHASE, REASON } from "../../../vm/modules/verification/round-types.ts";
import { UNAVAILABLE_DIGEST } from "../../../vm/modules/verification/settle.ts";
import { ACCOUNT_BALANCE } from "../support/economy-chain.ts";
import { place } from "./support/traced-work.ts";
import {
  CLIENT,
  MOST_VERIFIERS,
  type Opinion,
  SEAT_FEE,
  STAKE,
  STUB,
  VERIFICATION,
  VERIFIERS,
  VerificationWorld,
  verifierKey,
  WORKER,
} from "./support/verification-world.ts";

const PENALTY = 50n * SEAT_FEE;
const pot = (world: VerificationWorld): bigint => world.chain.balance(VERIFICATION.address);
/** All tiles of the world's program: 4 launches of 8. */
const EVERYTHING: ReadonlySet<string> = new Set(
  Array.from({ length: 32 }, (_, index) => place(Math.floor(index / 8), index % 8)),
);

/** What a verifier has in all, less what it began with. */
function gain(world: VerificationWorld, verifier: `0x${string}`): bigint {
  const [stake, frozen, leaving] = world.pots(verifier);
  return world.chain.balance(verifier) + stake + frozen + leaving - ACCOUNT_BALANCE;
}

describe("a round that nobody disputes", () => {
  it("goes from phase to phase as soon as everybody has acted, and pays every seat", () => {
    const world = new VerificationWorld();
    const round = world.begin();
    expect(world.round(round)).toMatchObject({ phase: PHASE.sealing, by: 0n, seats: 3, firstLaunch: 0, endLaunch: 4 });
    world.draw(round);
    expect(world.seats(round)).toHaveLength(3);
    world.sealSeats(round, world.honest);
    expect(world.phase(round)).toBe(PHASE.opening);
    world.open(round);
    expect(world.phase(round)).toBe(PHASE.revealing);
    world.revealSeats(round, world.honest);
    expect(world.round(round)).toMatchObject({ phase: PHASE.accepted, reason: REASON.agreed, isFinal: false });
    world.publish(round);
    world.close(round);
    expect(world.decided).toMatchObject([
      { round, job: 1n, accepted: true, final: false, guilty: "none" },
      { round, job: 1n, accepted: true, final: true, reason: REASON.agreed, programTrapped: false },
    ]);
    expect(pot(world)).toBe(0n);
    for (const key of Array.from({ length: 5 }, (_, index) => verifierKey(index).address)) {
      const seats = world.seats(round).filter(({ verifier }) => verifier === key).length;
      expect(gain(world, key)).toBe(BigInt(seats) * SEAT_FEE);
    }
    expect(world.chain.balance(CLIENT.address)).toBe(ACCOUNT_BALANCE - 3n * SEAT_FEE);
  });

  it("draws each seat by a block of its own, the first of them drawDelay blocks after the commitment", () => {
    const world = new VerificationWorld();
    const round = world.begin();
    const drawn = Array.from({ length: 5 }, () => {
      const count = world.seats(round).length;
      world.chain.block();
      return count;
    });
    expect(drawn).toEqual([0, 0, 1, 2, 3]);
  });

  it("takes the seed with the opening already, and only the one that gives the opened salts", () => {
    const world = new VerificationWorld();
    const round = world.begin();
    world.draw(round);
    world.sealSeats(round, world.honest);
    const seed = bytesToHex(world.work.seed);
    const key = { key: world.keyOf(world.seats(round)[0]?.verifier ?? "0x") };
    expect(world.chain.revertOf(VERIFICATION, "publishSeed", [round, seed], key).name).toBe("NotWorker");
    world.open(round);
    const worker = { key: WORKER };
    const other = bytesToHex(new Uint8Array(32).fill(7));
    expect(world.chain.revertOf(VERIFICATION, "publishSeed", [round, other], worker).name).toBe("BadSeed");
    world.publish(round);
    expect(world.chain.revertOf(VERIFICATION, "publishSeed", [round, seed], worker).name).toBe("AlreadyPublished");
    world.revealSeats(round, world.honest);
    expect(world.round(round)).toMatchObject({ phase: PHASE.accepted, seed, by: world.chain.now + 5n });
  });

  it("tells what it is worth trusting", () => {
    const world = new VerificationWorld();
    const round = world.begin();
    expect(world.chain.view(VERIFICATION, "assuranceOf", [round]).seats).toBe(0);
    world.spot(round);
    expect(world.chain.view(VERIFICATION, "assuranceOf", [round])).toEqual({
      seats: 3,
      tier: 0,
      stakeAtRisk: 3n * PENALTY,
      adversaryShare: 200_000n,
      // (1 - f * 0.761904)^3 = 0.05 by hand: f = (1 - 0.368403) / 0.761904 = 0.82897, rounded up.
      corruptibleShare: 828_972n,
      passChance: 50_000n,
      voteError: 0n,
    });
  });
});

describe("a worker", () => {
  it("that does not open loses at once, and seats that have sealed are paid", () => {
    const world = new VerificationWorld();
    const round = world.begin();
    world.draw(round);
    const [absent, ...present] = world.seats(round);
    world.sealSeats(round, (asked) => (asked.seat === absent?.seat ? undefined : world.honest(asked)));
    world.expire(round);
    world.expire(round);
    expect(world.round(round)).toMatchObject({
      phase: PHASE.rejected,
      isFinal: true,
      reason: REASON.notOpened,
      guilty: 1,
    });
    expect(world.decided).toMatchObject([{ accepted: false, final: true, guilty: "worker" }]);
    const earned = present.filter(({ verifier }) => verifier !== absent?.verifier);
    for (const { verifier } of earned) expect(gain(world, verifier)).toBeGreaterThan(0n);
    expect(pot(world)).toBe(0n);
  });

  it("that keeps its seed loses, though everybody agreed", () => {
    const world = new VerificationWorld();
    const round = world.begin();
    world.spot(round);
    world.expire(round);
    expect(world.round(round)).toMatchObject({
      phase: PHASE.rejected,
      isFinal: true,
      reason: REASON.notPublished,
      guilty: 1,
    });
    expect(pot(world)).toBe(0n);
  });

  it("that commits a trap has it checked by every other seat, and the rest check what led there", () => {
    const world = new VerificationWorld();
    const round = world.begin({ trap: { launch: 2, tile: 5 } });
    world.draw(round);
    const [first, second, third] = world.seats(round);
    for (const seat of [first, third]) expect(seat).toMatchObject({ launch: 2, tile: 5 });
    expect(second?.launch).toBeLessThan(2);
    const found: Opinion = ({ launch, tile }) =>
      launch === 2 ? world.work.claim(2, 5) : world.work.truth(launch, tile);
    world.spot(round, found);
    world.publish(round);
    world.close(round);
    expect(world.decided.at(-1)).toMatchObject({ accepted: true, programTrapped: true, guilty: "program" });
  });

  it("has no seed to publish where only a trap was opened", () => {
    const world = new VerificationWorld();
    const round = world.begin({ trap: { launch: 0, tile: 1 } });
    world.spot(round, world.complicit);
    expect(world.round(round)).toMatchObject({ phase: PHASE.accepted, by: world.chain.now + 5n });
    world.close(round);
    expect(world.decided.at(-1)).toMatchObject({ accepted: true, programTrapped: true });
  });

  it("cannot commit a trap outside of its segment, nor a segment without launches", () => {
    const world = new VerificationWorld();
    for (const options of [{ trap: { launch: 4, tile: 0 } }, { trap: { launch: 1, tile: 8 } }]) {
      world.prepare({ trap: { launch: 1, tile: 1 } });
      const request = world.request;
      if (request === undefined) throw new Error("prepared");
      world.request = { ...request, commitment: { ...request.commitment, ...options } };
      expect(world.chain.revertOf(STUB, "begin", [], { value: 3n * SEAT_FEE, key: CLIENT }).name).toBe("BadCommitment");
    }
    world.prepare();
    world.request = { ...(world.request as NonNullable<typeof world.request>), segments: 5, segment: 0 };
    expect(world.chain.revertOf(STUB, "begin", [], { value: 3n * SEAT_FEE, key: CLIENT }).name).toBe("BadCommitment");
  });
});

describe("where there is nobody to draw", () => {
  it("nothing is accepted, nobody is guilty, and the client has its fees back", () => {
    const world = new VerificationWorld({ verifiers: 0 });
    const round = world.begin();
    world.draw(round);
    expect(world.round(round)).toMatchObject({
      phase: PHASE.rejected,
      reason: REASON.noVerifiers,
      guilty: 0,
      isFinal: true,
    });
    expect(world.chain.balance(CLIENT.address)).toBe(ACCOUNT_BALANCE);
  });
});

describe("a dispute among few verifiers", () => {
  it("is voted on by everybody, and more than two thirds of the stake convict a worker that lied", () => {
    const world = new VerificationWorld({ verifiers: 6 });
    const round = world.begin({ lies: EVERYTHING });
    world.spot(round);
    expect(world.phase(round)).toBe(PHASE.voting);
    expect(world.votes(round)).toHaveLength(6);
    world.vote(round, world.honest);
    expect(world.round(round)).toMatchObject({ phase: PHASE.rejected, reason: REASON.votedFalse, guilty: 1 });
    world.close(round);
    expect(world.decided.map(({ final, accepted, guilty }) => [final, accepted, guilty])).toEqual([
      [false, false, "worker"],
      [true, false, "worker"],
    ]);
    // The pool has nothing, as nobody who voted was wrong: seats of tier 0 have their fee.
    expect(pot(world)).toBe(0n);
  });

  it.each([
    ["four of six against the worker do not convict it", 4, PHASE.referee],
    ["five of six do", 5, PHASE.rejected],
  ])("%s: a third must not decide", (_name, against, phase) => {
    const world = new VerificationWorld({ verifiers: 6 });
    const round = world.begin({ lies: EVERYTHING });
    world.spot(round);
    const liars = new Set(Array.from({ length: 6 - against }, (_, index) => verifierKey(index).address));
    world.vote(round, (asked) => (liars.has(asked.verifier) ? world.complicit(asked) : world.honest(asked)));
    expect(world.phase(round)).toBe(phase);
  });

  it("that nobody decides and nobody proves ends with nothing accepted and nobody guilty", () => {
    const world = new VerificationWorld({ verifiers: 6 });
    const round = world.begin({ lies: EVERYTHING });
    world.spot(round);
    const half = new Set([0, 1, 2].map((index) => verifierKey(index).address));
    world.vote(round, (asked) => (half.has(asked.verifier) ? world.complicit(asked) : world.honest(asked)));
    world.expire(round);
    expect(world.round(round)).toMatchObject({
      phase: PHASE.rejected,
      reason: REASON.undecided,
      guilty: 0,
      isFinal: true,
    });
    for (const index of [0, 1, 2, 3, 4, 5]) expect(world.pots(verifierKey(index).address)).toEqual([STAKE, 0n, 0n]);
    expect(pot(world)).toBe(0n);
  });
});

describe("a dispute among many verifiers", () => {
  const many = (): VerificationWorld =>
    new VerificationWorld({ verifiers: MOST_VERIFIERS, parameters: { smallSet: 0n } });

  it("draws the fastest decision at once, and a lead of twenty decides", () => {
    const world = many();
    const round = world.begin({ lies: EVERYTHING });
    world.spot(round);
    world.draw(round);
    expect(world.votes(round)).toHaveLength(20);
    world.vote(round, world.honest);
    expect(world.round(round)).toMatchObject({ phase: PHASE.rejected, reason: REASON.votedFalse });
    world.close(round);
    expect(pot(world)).toBe(0n);
  });

  it("clears an honest worker, and the seat that spoke against it pays the voters", () => {
    const world = many();
    const round = world.begin();
    world.draw(round);
    const liar = world.seats(round)[0]?.verifier ?? "0x";
    const other = bytesToHex(new Uint8Array(32).fill(1));
    world.spot(round, (asked) => (asked.seat === 0 ? other : world.honest(asked)));
    expect(world.pots(liar)[1]).toBeGreaterThanOrEqual(PENALTY);
    world.vote(round, world.honest);
    expect(world.round(round)).toMatchObject({ phase: PHASE.accepted, reason: REASON.votedTrue });
    world.publish(round);
    const seats = world.seats(round);
    const votes = world.chain.view(VERIFICATION, "votesOf", [round, 0n, 100n]);
    expect(votes).toHaveLength(20);
    const before = world.chain.balance(TREASURY_ADDRESS);
    world.close(round);
    for (let index = 0; index < MOST_VERIFIERS; index++) {
      const { address } = verifierKey(index);
      const right = seats.filter(({ seat, verifier }) => seat !== 0 && verifier === address).length;
      const voted = votes.filter(({ verifier }) => verifier.toLowerCase() === address).length;
      const lost = address === liar ? PENALTY : 0n;
      expect(gain(world, address)).toBe(BigInt(right + voted) * SEAT_FEE - lost);
    }
    // The penalty and the forfeited fee, less twenty fees for votes.
    expect(world.chain.balance(TREASURY_ADDRESS) - before).toBe(PENALTY + SEAT_FEE - 20n * SEAT_FEE);
    expect(pot(world)).toBe(0n);
    expect(world.chain.view(VERIFICATION, "assuranceOf", [round])).toMatchObject({ tier: 1 });
  });

  it("goes on in waves that are as large as the rest of the lead, and goes to the referee after 120 draws", () => {
    const world = many();
    const round = world.begin({ lies: EVERYTHING });
    world.spot(round);
    const sizes: number[] = [];
    while (world.phase(round) === PHASE.voting) {
      world.draw(round);
      sizes.push(world.votes(round).length);
      world.wave(round, (asked) => (asked.seat % 2 === 0 ? world.honest(asked) : world.complicit(asked)));
    }
    expect(sizes[0]).toBe(20);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(120);
    expect(world.phase(round)).toBe(PHASE.referee);
    expect(world.chain.view(VERIFICATION, "disputeOf", [round, CLIENT.address])).toMatchObject({
      isOpen: true,
      drawn: 120,
    });
  });

  it("at tier 1 is held over every drawn tile, whatever its seat said", () => {
    const world = many();
    const round = world.begin({ tier: 1, seats: 2 });
    world.spot(round);
    expect(world.phase(round)).toBe(PHASE.voting);
    world.vote(round, world.honest);
    expect(world.round(round)).toMatchObject({ phase: PHASE.accepted, reason: REASON.votedTrue });
    const places = new Set(world.seats(round).map(({ launch, tile }) => place(launch, tile)));
    expect(world.chain.view(VERIFICATION, "votesOf", [round, 0n, 100n])).toHaveLength(20 * places.size);
  });

  it("convicts the program when voters find that the tile traps", () => {
    const world = many();
    const round = world.begin();
    const trapped: Opinion = ({ launch, tile }) => bytesToHex(tileDigest(launch, tile, { kind: "trap" }));
    world.spot(round, trapped);
    world.vote(round, trapped);
    expect(world.round(round)).toMatchObject({ phase: PHASE.rejected, reason: REASON.votedTrap, guilty: 2 });
    world.close(round);
    expect(world.decided.at(-1)).toMatchObject({ accepted: false, programTrapped: true, guilty: "program" });
  });

  it("convicts a worker whose inputs nobody can get", () => {
    const world = many();
    const round = world.begin();
    const unavailable: Opinion = () => UNAVAILABLE_DIGEST;
    world.spot(round, unavailable);
    world.vote(round, unavailable);
    expect(world.round(round)).toMatchObject({ phase: PHASE.rejected, reason: REASON.votedUnavailable, guilty: 1 });
  });

  it("costs who could not get what others got a fee, and no penalty", () => {
    const world = many();
    const round = world.begin();
    world.draw(round);
    const seats = world.seats(round);
    const lost = seats[0]?.verifier ?? "0x";
    world.spot(round, (asked) => (asked.seat === 0 ? UNAVAILABLE_DIGEST : world.honest(asked)));
    world.vote(round, world.honest);
    world.publish(round);
    const [stake, frozen] = world.pots(lost);
    world.close(round);
    const [after] = world.pots(lost);
    expect(stake + frozen - after).toBe(SEAT_FEE);
  });
});

describe("silence", () => {
  it("puts the tile to the vote, and costs the fee that the seat would have earned", () => {
    const world = new VerificationWorld({ verifiers: 6, parameters: { jailAfter: 2n } });
    const round = world.begin();
    world.draw(round);
    const silent = world.seats(round)[0]?.verifier ?? "0x";
    // Alone of three: not more than a third.
    world.spot(round, (asked) => (asked.seat === 0 ? undefined : world.honest(asked)));
    expect(world.phase(round)).toBe(PHASE.voting);
    expect(world.pots(silent)[1]).toBeGreaterThanOrEqual(SEAT_FEE);
    expect(world.chain.view(VERIFICATION, "absencesOf", [silent])).toBe(1n);
    world.vote(round, world.honest);
    world.publish(round);
    world.close(round);
    expect(world.round(round)).toMatchObject({ phase: PHASE.accepted, reason: REASON.votedTrue });
    expect(pot(world)).toBe(0n);
  });

  it("in a row jails", () => {
    const world = new VerificationWorld({ verifiers: 6, parameters: { jailAfter: 1n } });
    const round = world.begin();
    world.draw(round);
    const silent = world.seats(round)[0]?.verifier ?? "0x";
    world.spot(round, (asked) => (asked.seat === 0 ? undefined : world.honest(asked)));
    expect(world.pots(silent)[0]).toBeLessThan(STAKE);
    const { jailedUntil } = world.chain.view(VERIFIERS, "verifierOf", [silent]);
    expect(jailedUntil).toBeGreaterThan(world.chain.now);
  });

  it("is excused when more than a third is silent", () => {
    const world = new VerificationWorld({ verifiers: 6 });
    const round = world.begin();
    world.spot(round, (asked) => (asked.seat < 2 ? undefined : world.honest(asked)));
    for (const { verifier } of world.seats(round)) {
      expect(world.chain.view(VERIFICATION, "absencesOf", [verifier])).toBe(0n);
    }
    world.vote(round, world.honest);
    world.publish(round);
    world.close(round);
    for (let index = 0; index < 6; index++) expect(gain(world, verifierKey(index).address)).toBeGreaterThanOrEqual(0n);
  });
});
