/** What those try who would rather not compute, or not be caught. */
import { encodeFunctionData } from "viem";
import { describe, expect, it } from "vitest";
import { bytesToHex, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import { encodeProgram } from "../../../compute/program/codec.ts";
import { PLAN_BYTE_GAS, PLAN_GAS } from "../../../vm/modules/programs/limits.ts";
import { SEAT_GAS } from "../../../vm/modules/verification/limits.ts";
import { PHASE, REASON } from "../../../vm/modules/verification/round-types.ts";
import { sealOf } from "../../../vm/modules/verification/seals.ts";
import { ACCOUNT_BALANCE } from "../support/economy-chain.ts";
import { place } from "./support/traced-work.ts";
import {
  CLIENT,
  MOST_VERIFIERS,
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
const EVERYTHING: ReadonlySet<string> = new Set(
  Array.from({ length: 32 }, (_, index) => place(Math.floor(index / 8), index % 8)),
);

describe("a seal", () => {
  it("of another is worth nothing: it names who made it, and for which seat", () => {
    const world = new VerificationWorld({ verifiers: MOST_VERIFIERS });
    const round = world.begin({ seats: 6 });
    world.draw(round);
    const seats = world.seats(round);
    const [victim] = seats;
    const thief = seats.find(({ verifier }) => verifier !== victim?.verifier);
    if (victim === undefined || thief === undefined) throw new Error("six seats have two holders");
    const answer = world.answer(round, victim, world.honest(victim) as Hex);
    const copied = [{ seat: thief.seat, hash: sealOf(victim.verifier, round, answer) }];
    const key = world.keyOf(thief.verifier);
    expect(
      world.chain.revertOf(
        VERIFICATION,
        "seal",
        [round, [{ seat: victim.seat, hash: bytesToHex(new Uint8Array(32)) }]],
        { key },
      ),
    ).toEqual({ name: "NotYourSeat", args: [victim.seat] });
    world.chain.send(VERIFICATION, "seal", [round, copied], { key });
    expect(world.chain.revertOf(VERIFICATION, "seal", [round, copied], { key }).name).toBe("AlreadySealed");
    world.sealSeats(round, (asked) => (asked.seat === thief.seat ? undefined : world.honest(asked)));
    world.open(round);
    const stolen = [{ ...answer, seat: thief.seat }];
    expect(world.chain.revertOf(VERIFICATION, "reveal", [round, stolen], { key })).toEqual({
      name: "SealMismatch",
      args: [thief.seat],
    });
    expect(world.chain.revertOf(VERIFICATION, "reveal", [round, [answer]], { key })).toEqual({
      name: "NotYourSeat",
      args: [victim.seat],
    });
  });

  it("hides what was found until the worker has opened, and cannot be exchanged", () => {
    const world = new VerificationWorld();
    const round = world.begin({ lies: EVERYTHING });
    world.draw(round);
    const [seat] = world.seats(round);
    if (seat === undefined) throw new Error("a seat was drawn");
    const key = world.keyOf(seat.verifier);
    world.sealSeats(round, world.honest);
    const answer = world.answer(round, seat, world.honest(seat) as Hex);
    expect(world.chain.revertOf(VERIFICATION, "reveal", [round, [answer]], { key }).name).toBe("WrongPhase");
    world.open(round);
    // Having seen what the worker says, it would rather have said the same.
    const other = world.answer(round, seat, world.complicit(seat) as Hex);
    expect(world.chain.revertOf(VERIFICATION, "reveal", [round, [other]], { key }).name).toBe("SealMismatch");
  });

  it("comes too late once the phase is over", () => {
    const world = new VerificationWorld();
    const round = world.begin();
    world.draw(round);
    const [seat] = world.seats(round);
    if (seat === undefined) throw new Error("a seat was drawn");
    world.expire(round);
    const seals = [{ seat: seat.seat, hash: bytesToHex(new Uint8Array(32).fill(1)) }];
    const late = world.chain.revertOf(VERIFICATION, "seal", [round, seals], { key: world.keyOf(seat.verifier) });
    expect(late).toEqual({ name: "WrongPhase", args: [round, PHASE.opening] });
  });
});

describe("a worker's opening", () => {
  it("must be of the drawn tile, of all that the launch wrote, and of what was committed", () => {
    const world = new VerificationWorld();
    const round = world.begin({ seats: 1 });
    world.draw(round);
    world.sealSeats(round, world.honest);
    const [asked] = world.seats(round);
    if (asked === undefined) throw new Error("a seat was drawn");
    const { launch, tile } = asked;
    const right = world.work.open(0, launch, tile);
    const flawOf = (opening: typeof right, key = WORKER): unknown =>
      world.chain.revertOf(VERIFICATION, "open", [round, [opening as never]], { key });
    expect(flawOf(right, verifierKey(0))).toMatchObject({ name: "NotWorker" });
    expect(flawOf(world.work.open(0, (launch + 1) % 4, tile))).toEqual({ name: "BadOpening", args: [0, 1] });
    expect(flawOf(world.work.open(0, launch, (tile + 1) % 8))).toEqual({ name: "BadOpening", args: [0, 3] });
    expect(flawOf({ ...right, tiles: [] })).toEqual({ name: "BadOpening", args: [0, 2] });
    const [opened] = right.tiles;
    if (opened === undefined) throw new Error("the launch writes");
    const forged = { ...opened, contents: bytesToHex(new Uint8Array(32).fill(9)) };
    expect(flawOf({ ...right, tiles: [forged] })).toEqual({ name: "BadOpening", args: [0, 3] });
    const counted = { ...opened, proof: { ...opened.proof, count: opened.proof.count + 1 } };
    expect(flawOf({ ...right, tiles: [counted] })).toEqual({ name: "BadOpening", args: [0, 3] });
    const trapped = { ...right, outcome: { trapped: true, trapTile: tile, versions: [] }, tiles: [] };
    expect(flawOf(trapped)).toEqual({ name: "BadOpening", args: [0, 1] });
    expect(flawOf({ ...right, seat: 1 })).toEqual({ name: "NotYourSeat", args: [1] });
    world.open(round);
    expect(world.phase(round)).toBe(PHASE.revealing);
  });

  it("is too late once its time is over, though every seat waits to reveal", () => {
    const world = new VerificationWorld();
    const round = world.begin();
    world.draw(round);
    world.sealSeats(round, world.honest);
    world.expire(round);
    const openings = world.seats(round).map(({ seat, launch, tile }) => world.work.open(seat, launch, tile));
    const late = world.chain.revertOf(VERIFICATION, "open", [round, openings as never], { key: WORKER });
    expect(late).toEqual({ name: "WrongPhase", args: [round, PHASE.rejected] });
    expect(world.round(round)).toMatchObject({ reason: REASON.notOpened, guilty: 1 });
  });

  it("in another order than the commitment's cannot be had by committing other roots: the draw goes by the beacon alone", () => {
    const drawn = [1, 2, 3].map((number) => {
      const world = new VerificationWorld();
      const round = world.begin({ seed: new Uint8Array(32).fill(number), lies: new Set([place(0, number)]) });
      world.draw(round);
      return world.seats(round);
    });
    expect(drawn[1]).toEqual(drawn[0]);
    expect(drawn[2]).toEqual(drawn[0]);
  });
});

describe("parties of a job", () => {
  it("never judge it, however much they stake, nor whom they name", () => {
    const world = new VerificationWorld({ verifiers: 3, stakeOf: (index) => (index === 2 ? STAKE : 10_000n * OGPU) });
    world.chain.send(VERIFIERS, "register", [], { key: WORKER, value: 50_000n * OGPU });
    world.chain.endEpoch();
    world.chain.block();
    const excluded = [verifierKey(0).address, verifierKey(1).address];
    const round = world.begin({ seats: 8, excluded });
    world.draw(round);
    expect(new Set(world.seats(round).map(({ verifier }) => verifier))).toEqual(new Set([verifierKey(2).address]));
  });
});

describe("verifiers that collude with the worker", () => {
  const world = (): VerificationWorld => new VerificationWorld({ verifiers: 6 });

  it("lose what they have frozen when the referee proves the tile false, though the round was accepted", () => {
    const chain = world();
    const round = chain.begin({ lies: EVERYTHING });
    chain.spot(round, chain.complicit);
    chain.publish(round);
    expect(chain.phase(round)).toBe(PHASE.accepted);
    const [seat] = chain.seats(round);
    if (seat === undefined) throw new Error("a seat was drawn");
    const { launch, tile } = seat;
    chain.challenge(round);
    for (const { verifier } of chain.seats(round)) expect(chain.pots(verifier)[1]).toBeGreaterThanOrEqual(PENALTY);
    const digest = chain.work.truth(launch, tile);
    chain.judge({ round, launch, tile, verdict: "worker-wrong", digest });
    expect(chain.round(round)).toMatchObject({ phase: PHASE.rejected, reason: REASON.refereeFalse, guilty: 1 });
    chain.close(round);
    const holders = chain.seats(round).filter((each) => each.launch === launch && each.tile === tile);
    const lost = chain.chain.balance(seat.verifier) + chain.pots(seat.verifier)[0] - ACCOUNT_BALANCE;
    const all = chain.seats(round).filter(({ verifier }) => verifier === seat.verifier).length;
    const own = BigInt(holders.filter(({ verifier }) => verifier === seat.verifier).length);
    expect(lost).toBe((BigInt(all) - own) * SEAT_FEE - own * PENALTY);
    expect(chain.decided.at(-1)).toMatchObject({ guilty: "worker", catcher: CLIENT.address });
    expect(chain.chain.balance(VERIFICATION.address)).toBe(0n);
  });

  it("and convict an honest one are overturned by the referee, and pay for it", () => {
    const chain = world();
    const round = chain.begin();
    const lie = bytesToHex(new Uint8Array(32).fill(3));
    chain.spot(round, () => lie);
    chain.vote(round, () => lie);
    expect(chain.round(round)).toMatchObject({ phase: PHASE.rejected, reason: REASON.votedFalse, guilty: 1 });
    chain.publish(round);
    // One after the other: each tile that was voted false is proven true, and the next one is voted on.
    for (let tiles = 0; tiles < 3 && chain.phase(round) !== PHASE.accepted; tiles++) {
      if (chain.phase(round) === PHASE.voting) chain.vote(round, () => lie);
      const at = chain.seats(round)[tiles];
      if (at === undefined) throw new Error("a seat was drawn");
      chain.challenge(round);
      const digest = chain.work.truth(at.launch, at.tile);
      chain.judge({ round, launch: at.launch, tile: at.tile, verdict: "worker-right", digest });
    }
    expect(chain.round(round)).toMatchObject({ phase: PHASE.accepted, reason: REASON.refereeTrue, guilty: 0 });
    chain.close(round);
    for (let index = 0; index < 6; index++) {
      const { address } = verifierKey(index);
      expect(chain.chain.balance(address) + chain.pots(address)[0]).toBeLessThanOrEqual(ACCOUNT_BALANCE - PENALTY);
      expect(chain.pots(address)[1]).toBe(0n);
    }
    expect(chain.decided.at(-1)).toMatchObject({ accepted: true, final: true, guilty: "none" });
    expect(chain.chain.balance(VERIFICATION.address)).toBe(0n);
  });

  it("cannot leave before they are punished", () => {
    const chain = new VerificationWorld({ verifiers: 6, parameters: { voteSeconds: 1_000n } });
    const round = chain.begin();
    chain.draw(round);
    const [seat] = chain.seats(round);
    if (seat === undefined) throw new Error("a seat was drawn");
    const key = chain.keyOf(seat.verifier);
    const lie = bytesToHex(new Uint8Array(32).fill(3));
    chain.chain.send(VERIFIERS, "exit", [], { key });
    chain.spot(round, (asked) => (asked.seat === seat.seat ? lie : chain.honest(asked)));
    const [, frozen, leaving] = chain.pots(seat.verifier);
    expect(frozen).toBeGreaterThanOrEqual(PENALTY);
    chain.chain.endEpoch();
    // All else is paid out while the vote goes on; what is frozen stays.
    expect(leaving + frozen).toBe(STAKE);
    chain.chain.block();
    chain.chain.pass(120);
    chain.chain.send(VERIFIERS, "withdraw", [], { key });
    expect(chain.pots(seat.verifier)).toEqual([0n, frozen, 0n]);
    chain.vote(round, chain.honest);
    chain.publish(round);
    chain.close(round);
    const [stake, still, rest] = chain.pots(seat.verifier);
    const paid = chain.chain.balance(seat.verifier) - (ACCOUNT_BALANCE - STAKE);
    expect([stake, still]).toEqual([0n, 0n]);
    expect(STAKE - rest - paid).toBeGreaterThanOrEqual(PENALTY - 3n * SEAT_FEE);
  });
});

describe("a challenge", () => {
  it("keeps the round open until its verdict, and one that fails changes nothing", () => {
    const world = new VerificationWorld();
    const round = world.begin();
    world.spot(round);
    world.publish(round);
    world.challenge(round);
    world.expire(round);
    world.chain.pass(100);
    expect(world.round(round)).toMatchObject({ phase: PHASE.accepted, isFinal: false });
    const [seat] = world.seats(round);
    world.judge({ round, launch: seat?.launch ?? 0, tile: seat?.tile ?? 0, verdict: "challenge-failed" });
    expect(world.round(round)).toMatchObject({ phase: PHASE.accepted, isFinal: true, reason: REASON.agreed });
    for (let index = 0; index < 5; index++) expect(world.pots(verifierKey(index).address)[1]).toBe(0n);
  });

  it("of a tile that others defend too is won with theirs: bonds come back, and their places are free", () => {
    const world = new VerificationWorld({ verifiers: 6, parameters: { challengeSeconds: 60n } });
    const round = world.begin();
    const lie = bytesToHex(new Uint8Array(32).fill(3));
    world.spot(round, () => lie);
    world.vote(round, () => lie);
    world.publish(round);
    const [seat] = world.seats(round);
    const at = [round, seat?.launch ?? 0, seat?.tile ?? 0] as const;
    const bondNow = (): bigint => world.chain.view(VERIFICATION, "challengeBond", [round]);
    const first = bondNow();
    // Who is no verifier of this world gets nothing else.
    const defenders = Array.from({ length: 6 }, (_, index) => verifierKey(6 + index));
    const before = defenders.map(({ address }) => world.chain.balance(address));
    for (const key of defenders) world.chain.send(VERIFICATION, "challenge", [...at], { key, value: bondNow() });
    expect(bondNow()).toBe(2n * first);
    world.challenge(round);
    const digest = world.work.truth(at[1], at[2]);
    world.judge({ round, launch: at[1], tile: at[2], verdict: "worker-right", digest });
    expect(bondNow()).toBe(first);
    // Some ask for it, the others wait; nothing was staged, so nothing could be computed.
    for (const key of defenders.slice(0, 3)) world.chain.send(VERIFICATION, "judge", [...at], { key });
    world.vote(round, world.honest);
    expect(world.phase(round)).toBe(PHASE.accepted);
    const late = { key: CLIENT, value: first };
    expect(world.chain.revertOf(VERIFICATION, "challenge", [...at], late).name).toBe("AlreadyProven");
    world.chain.pass(1_000);
    expect(defenders.map(({ address }) => world.chain.balance(address))).toEqual(before);
  });

  it("that finds a trap convicts the program and nobody else", () => {
    const world = new VerificationWorld();
    const round = world.begin();
    world.spot(round);
    world.publish(round);
    world.challenge(round);
    world.judge({ round, launch: 3, tile: 7, verdict: "program-traps" });
    world.close(round);
    expect(world.decided.at(-1)).toMatchObject({ accepted: false, guilty: "program", programTrapped: true });
  });

  it("that proves one tile false is not undone by a proof that another is true", () => {
    const world = new VerificationWorld({ verifiers: 6 });
    const round = world.begin({ lies: EVERYTHING });
    world.spot(round);
    world.vote(round, world.honest);
    const [seat] = world.seats(round);
    const { launch, tile } = seat ?? { launch: 0, tile: 0 };
    world.challenge(round);
    world.challenge(round);
    const other = world.seats(round).find((each) => each.launch !== launch || each.tile !== tile);
    if (other === undefined) throw new Error("two tiles were drawn");
    const wrong = { round, launch: other.launch, tile: other.tile };
    world.judge({ ...wrong, verdict: "worker-wrong", digest: world.work.truth(other.launch, other.tile) });
    world.judge({ round, launch, tile, verdict: "worker-right", digest: world.work.claim(launch, tile) });
    expect(world.round(round)).toMatchObject({ phase: PHASE.rejected, guilty: 1 });
  });
});

describe("a round of a program with a long plan", () => {
  it("is paid for what each draw will read of it, by whoever begins it", () => {
    const gasOf = (seats: number): bigint => {
      const world = new VerificationWorld();
      const value = world.prepare({ seats });
      return world.chain.send(STUB, "begin", [], { value, key: CLIENT }).receipt.gasUsed;
    };
    const { kernels, ...program } = new VerificationWorld().program;
    const plan = encodeProgram({ ...program, kernels: kernels.map(({ entry }) => ({ ptx: "", entry })) });
    expect(gasOf(2) - gasOf(1)).toBe(SEAT_GAS + PLAN_GAS + PLAN_BYTE_GAS * BigInt(plan.length));
  });
});

describe("many rounds at once", () => {
  it("all come to their end, though a block does only so much of what is due", () => {
    const world = new VerificationWorld({ verifiers: 4 });
    const value = world.prepare({ seats: 1 });
    const data = hexToBytes(encodeFunctionData({ abi: STUB.abi, functionName: "begin" }));
    const rounds = Array.from({ length: 20 }, (_, offset) =>
      world.chain.transaction(STUB.address, data, { key: CLIENT, value, gasLimit: 2_000_000n }, offset),
    );
    world.chain.block(rounds);
    for (let blocks = 0; blocks < 400; blocks++) {
      world.chain.pass(40);
      if (world.decided.filter(({ final }) => final).length === rounds.length) break;
    }
    expect(world.decided.filter(({ final }) => final)).toHaveLength(rounds.length);
    expect(world.chain.balance(VERIFICATION.address)).toBe(0n);
  });
});
