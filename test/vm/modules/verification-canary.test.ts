/** Canaries: jobs that are false on purpose, paid by the treasury. */
import { describe, expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import { treasuryAbi } from "../../../vm/interfaces/abi/treasury.ts";
import { TREASURY_ADDRESS } from "../../../vm/modules/addresses.ts";
import { canaryOf } from "../../../vm/modules/verification/canary.ts";
import { PHASE, REASON } from "../../../vm/modules/verification/round-types.ts";
import { canaryPart, shareOut } from "../../../vm/modules/verification/share-out.ts";
import { accountKey, operatorKey } from "../support/economy-chain.ts";
import type { TestKey } from "../support/test-chain.ts";
import { place, TracedWork } from "./support/traced-work.ts";
import {
  CLIENT,
  SEAT_FEE,
  VERIFICATION,
  VerificationWorld,
  verifierKey,
  WORKER,
} from "./support/verification-world.ts";

const NONCE: Hex = bytesToHex(new Uint8Array(32).fill(5));
const PRIZE = OGPU;
const EVERYTHING: ReadonlySet<string> = new Set(
  Array.from({ length: 32 }, (_, index) => place(Math.floor(index / 8), index % 8)),
);

/** With something in the treasury. */
function funded(): VerificationWorld {
  const world = new VerificationWorld({ verifiers: 6 });
  world.chain.send({ address: TREASURY_ADDRESS, abi: treasuryAbi }, "deposit", [], {
    value: 3n * OGPU,
    key: accountKey(19),
  });
  return world;
}

function sponsorOf(world: VerificationWorld, position: number): TestKey {
  const operator = world.chain.validators[position]?.operator;
  const found = [0, 1, 2, 3].map(operatorKey).find(({ address }) => address === operator);
  if (found === undefined) throw new Error("validators are the devnet's");
  return found;
}

function canary(world: VerificationWorld, sponsor: TestKey, nonce = NONCE): Hex {
  const { segmentRoot } = new TracedWork(world.program, { lies: EVERYTHING }).commitment;
  return canaryOf(sponsor.address, CLIENT.address, WORKER.address, segmentRoot, nonce);
}

/**
 * What the sponsor gains, summed over all draws of the seats: `own` of `all` units are its own. Each way in which the seats
 * can fall counts as often as it comes in all^seats draws, so that its sign is that of the expectation, with no rounding.
 */
function gainOver(own: bigint, all: bigint, caught: readonly boolean[], prize: bigint): bigint {
  const part = canaryPart(prize, caught.length, SEAT_FEE);
  const answers = caught.map(() => ({ ruling: "right", isVote: false, taken: 0n }) as const);
  const { earned } = shareOut(answers, SEAT_FEE);
  let sum = 0n;
  for (let draw = 0; draw < 1 << caught.length; draw++) {
    const isOwn = caught.map((_, seat) => ((draw >> seat) & 1) === 1);
    const weight = isOwn.reduce((product, one) => product * (one ? own : all - own), 1n);
    const wins = isOwn.map((one, seat) => (one ? (earned[seat] ?? 0n) + (caught[seat] === true ? part : 0n) : 0n));
    sum += weight * (wins.reduce((total, won) => total + won, 0n) - BigInt(caught.length) * SEAT_FEE);
  }
  return sum;
}

describe("a sponsor that owns verifiers", () => {
  // A third of the stake; and a third of stake and leaders, which can throw blocks away to draw again.
  const shares = [
    [1n, 3n],
    [3n, 7n],
  ] as const;

  it.each([1, 2, 3, 5, 8])("loses in expectation, whatever is false and whatever the prize: %i seats", (seats) => {
    for (const [own, all] of shares) {
      for (const prize of [1n, SEAT_FEE, OGPU, 1_000n * OGPU]) {
        for (let lies = 0; lies < 1 << seats; lies++) {
          const caught = Array.from({ length: seats }, (_, seat) => ((lies >> seat) & 1) === 1);
          expect(gainOver(own, all, caught, prize)).toBeLessThan(0n);
        }
      }
    }
  });

  it("breaks even with half of all seats, no sooner", () => {
    const all = [true, true, true];
    expect(gainOver(1n, 2n, all, OGPU)).toBe(0n);
    expect(gainOver(499n, 1_000n, all, OGPU)).toBeLessThan(0n);
    expect(gainOver(501n, 1_000n, all, OGPU)).toBeGreaterThan(0n);
  });
});

describe("a canary", () => {
  it("that is caught pays each seat of the tile that was voted false another fee, and nobody is guilty", () => {
    const world = funded();
    const sponsor = sponsorOf(world, 0);
    world.chain.send(VERIFICATION, "registerCanary", [0, canary(world, sponsor)], { key: sponsor });
    expect(world.chain.balance(VERIFICATION.address)).toBe(PRIZE);
    const round = world.begin({ lies: EVERYTHING });
    world.spot(round);
    world.vote(round, world.honest);
    expect(world.round(round)).toMatchObject({ phase: PHASE.rejected, guilty: 1 });
    const client = world.chain.balance(CLIENT.address);
    world.chain.send(VERIFICATION, "revealCanary", [round, sponsor.address, NONCE], { key: CLIENT });
    expect(world.round(round)).toMatchObject({ phase: PHASE.rejected, reason: REASON.canary, guilty: 0 });
    const before = world.chain.balance(TREASURY_ADDRESS);
    const verifiers = Array.from({ length: 6 }, (_, index) => verifierKey(index).address);
    const earned = verifiers.map((verifier) => world.chain.balance(verifier));
    world.close(round);
    expect(world.chain.balance(CLIENT.address)).toBe(client);
    // The first tile that is voted false ends the round: nobody found out about the others.
    const [voted, ...others] = world.seats(round);
    const isOfIt = ({ launch, tile }: { launch: number; tile: number }): boolean =>
      launch === voted?.launch && tile === voted.tile;
    const caught = [voted, ...others.filter(isOfIt)].map((seat) => seat?.verifier);
    const drawn = world.seats(round).map(({ verifier }) => verifier);
    verifiers.forEach((verifier, index) => {
      const fees = [...caught, ...drawn].filter((one) => one === verifier).length;
      expect(world.chain.balance(verifier) - (earned[index] ?? 0n)).toBe(BigInt(fees) * SEAT_FEE);
    });
    expect(world.chain.balance(TREASURY_ADDRESS) - before).toBe(PRIZE - BigInt(caught.length) * SEAT_FEE);
    expect(world.chain.balance(VERIFICATION.address)).toBe(0n);
    expect(world.decided.at(-1)).toMatchObject({ accepted: false, final: true, guilty: "none", reason: REASON.canary });
  });

  it("that was shown convicts nobody by proof either: a canary's collateral is nobody's prey", () => {
    const world = funded();
    const sponsor = sponsorOf(world, 0);
    world.chain.send(VERIFICATION, "registerCanary", [0, canary(world, sponsor)], { key: sponsor });
    const round = world.begin({ lies: EVERYTHING });
    world.spot(round);
    world.vote(round, world.honest);
    world.chain.send(VERIFICATION, "revealCanary", [round, sponsor.address, NONCE], { key: CLIENT });
    const { launch, tile } = world.seats(round)[0] as { launch: number; tile: number };
    world.challenge(round);
    world.judge({ round, launch, tile, verdict: "worker-wrong", digest: world.work.truth(launch, tile) });
    world.close(round);
    expect(world.decided.at(-1)).toMatchObject({ guilty: "none", reason: REASON.canary, catcher: undefined });
    expect(world.chain.balance(VERIFICATION.address)).toBe(0n);
  });

  it("that a challenger caught after it was accepted pays it nothing once it is shown", () => {
    const world = funded();
    const sponsor = sponsorOf(world, 0);
    world.chain.send(VERIFICATION, "registerCanary", [0, canary(world, sponsor)], { key: sponsor });
    const round = world.begin({ lies: EVERYTHING });
    world.spot(round, world.complicit);
    world.publish(round);
    const { launch, tile } = world.seats(round)[0] as { launch: number; tile: number };
    world.challenge(round);
    world.judge({ round, launch, tile, verdict: "worker-wrong", digest: world.work.truth(launch, tile) });
    expect(world.decided.at(-1)).toMatchObject({ guilty: "worker", catcher: CLIENT.address });
    world.chain.send(VERIFICATION, "revealCanary", [round, sponsor.address, NONCE], { key: CLIENT });
    world.close(round);
    expect(world.decided.at(-1)).toMatchObject({ final: true, guilty: "none", catcher: undefined });
  });

  it("is sponsored by a validator of the epoch, once in it, within the budget and the treasury", () => {
    const world = funded();
    const revertOf = (position: number, key: TestKey, nonce: Hex): string =>
      world.chain.revertOf(VERIFICATION, "registerCanary", [position, canary(world, key, nonce)], { key }).name;
    const other = bytesToHex(new Uint8Array(32).fill(6));
    expect(revertOf(0, CLIENT, NONCE)).toBe("NotValidator");
    expect(revertOf(1, sponsorOf(world, 0), NONCE)).toBe("NotValidator");
    for (const position of [0, 1, 2]) {
      const key = sponsorOf(world, position);
      world.chain.send(VERIFICATION, "registerCanary", [position, canary(world, key)], { key });
    }
    expect(revertOf(0, sponsorOf(world, 0), other)).toBe("NoCanaryLeft");
    // The treasury has nothing left.
    expect(revertOf(3, sponsorOf(world, 3), NONCE)).toBe("NoCanaryLeft");
  });

  it("insures no fraud: only the round's client shows it, and only one that was registered before the round", () => {
    const world = funded();
    const sponsor = sponsorOf(world, 0);
    const round = world.begin({ lies: EVERYTHING });
    world.chain.send(VERIFICATION, "registerCanary", [0, canary(world, sponsor)], { key: sponsor });
    world.spot(round);
    world.vote(round, world.honest);
    const revertOf = (key: TestKey, nonce: Hex): string =>
      world.chain.revertOf(VERIFICATION, "revealCanary", [round, sponsor.address, nonce], { key }).name;
    expect(revertOf(WORKER, NONCE)).toBe("NotClient");
    expect(revertOf(sponsor, NONCE)).toBe("NotClient");
    expect(revertOf(CLIENT, bytesToHex(new Uint8Array(32)))).toBe("NoCanary");
    expect(revertOf(CLIENT, NONCE)).toBe("NoCanary");
    world.close(round);
    expect(world.decided.at(-1)).toMatchObject({ guilty: "worker" });
  });

  it("that nobody shows gives its prize back after a week", () => {
    const world = funded();
    const sponsor = sponsorOf(world, 0);
    const before = world.chain.balance(TREASURY_ADDRESS);
    world.chain.send(VERIFICATION, "registerCanary", [0, canary(world, sponsor)], { key: sponsor });
    expect(world.chain.balance(TREASURY_ADDRESS)).toBe(before - PRIZE);
    world.chain.pass(604_800);
    expect(world.chain.balance(TREASURY_ADDRESS)).toBe(before);
  });
});
