import { describe, expect, it } from "vitest";
import type { Hex } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import {
  awarded,
  BUDGET,
  commit,
  complete,
  FIRST,
  LOCK,
  place,
  posted,
  SEAT_FEE,
  SEATS,
  SECOND,
  SEGMENTS,
  show,
  type TestBid,
  THIRD,
  TWO_BIDS,
  terms,
  working,
} from "../support/auctions.ts";
import {
  CLIENT,
  COLLATERAL,
  MARKET,
  MarketChain,
  NO_CALLBACK,
  OWNER,
  PROVIDERS,
  regionOf,
  word,
} from "../support/market-chain.ts";
import type { TestKey } from "../support/test-chain.ts";

describe("an auction job", () => {
  it("goes to the best bid, is verified and paid segment by segment, and settles", () => {
    const [chain, job] = posted();
    expect(chain.job(job)).toMatchObject({ status: 1, reason: 1, actor: 3, budget: BUDGET, locked: LOCK, attempt: 1n });
    for (const bid of TWO_BIDS) place(chain, job, bid);
    expect(chain.lock(FIRST)[1]).toBe(LOCK);
    chain.pass(5);
    expect(chain.job(job)).toMatchObject({ status: 2, reason: 3, actor: 3 });
    for (const bid of TWO_BIDS) show(chain, job, bid);
    expect(chain.job(job)).toMatchObject({ status: 3, reason: 4, actor: 2, price: 2n * OGPU });
    expect(chain.job(job).worker.toLowerCase()).toBe(SECOND.address);
    expect(chain.lock(FIRST)[1]).toBe(0n);
    // The gap to the next bid, and a segment's pay rounded up.
    expect(chain.collateral(SECOND)[1]).toBe(OGPU + (2n * OGPU + 2n) / 3n);
    const before = chain.balance(SECOND.address);
    complete(chain, job, SECOND);
    const paid = (2n * OGPU) / 3n;
    expect(chain.job(job)).toMatchObject({ status: 3, reason: 9, segment: 1, paid, budget: BUDGET - paid });
    expect(chain.job(job).checkpoint).toBe(chain.commitment(0).checkpointRoot);
    complete(chain, job, SECOND);
    complete(chain, job, SECOND);
    expect(chain.job(job)).toMatchObject({ status: 6, reason: 8, paid: 2n * OGPU, budget: 0n, locked: 0n });
    // Fees are rounded down segment by segment: what is left over is the worker's.
    const earned = chain.balance(SECOND.address) - before;
    expect(earned).toBeGreaterThanOrEqual((2n * OGPU * 95n) / 100n);
    expect(earned).toBeLessThan((2n * OGPU * 95n) / 100n + 6n);
    expect(chain.receipt(job)).toMatchObject({
      refunded: 2n * OGPU,
      verification: BigInt(SEGMENTS * SEATS) * SEAT_FEE,
    });
    chain.pass(31);
    expect(chain.collateral(SECOND)).toEqual([COLLATERAL, 0n]);
    expect(chain.lock(SECOND)[1]).toBe(0n);
    expect(chain.view(MARKET, "totalEscrow", [])).toBe(0n);
  });

  it("is auctioned again when nobody bids, and expires when nobody ever does", () => {
    const [chain, job] = posted({ parameters: { market: { maxAttempts: 2n } } });
    const before = chain.balance(CLIENT.address);
    chain.pass(5);
    expect(chain.job(job)).toMatchObject({ status: 1, reason: 5, attempt: 2n });
    chain.pass(5);
    expect(chain.job(job)).toMatchObject({ status: 9, reason: 5, budget: 0n });
    expect(chain.balance(CLIENT.address) - before).toBe(BUDGET + BigInt(SEGMENTS * SEATS) * SEAT_FEE);
  });

  it("takes the lock of a bid that is not revealed", () => {
    const [chain, job] = posted();
    for (const bid of TWO_BIDS) place(chain, job, bid);
    chain.pass(5);
    show(chain, job, TWO_BIDS[0] as TestBid);
    expect(chain.job(job).status).toBe(2);
    chain.pass(10);
    expect(chain.job(job).status).toBe(3);
    expect(chain.job(job).worker.toLowerCase()).toBe(FIRST.address);
    expect(chain.lock(SECOND)).toEqual([0n, 0n]);
  });

  it("gives no bid above the budget or beyond the deadline a chance, and takes nothing for it", () => {
    const [chain, job] = posted();
    awarded(chain, job, [
      { key: FIRST, price: BUDGET + 1n },
      { key: SECOND, price: OGPU, seconds: 700n },
    ]);
    expect(chain.job(job)).toMatchObject({ status: 1, reason: 5, attempt: 2n });
    for (const key of [FIRST, SECOND]) expect(chain.lock(key)[1]).toBe(0n);
  });

  it("passes over a bidder that is not available any more", () => {
    const [chain, job] = posted({}, { bidSeconds: 20n });
    chain.send(PROVIDERS, "pause", [], { key: THIRD });
    place(chain, job, TWO_BIDS[0] as TestBid);
    place(chain, job, TWO_BIDS[1] as TestBid);
    expect(
      chain.revertOf(MARKET, "bid", [job, chain.job(job).attempt, word(1)], { key: THIRD, value: OGPU }),
    ).toMatchObject({
      name: "NotAvailable",
    });
    chain.pass(20);
    chain.send(PROVIDERS, "pause", [], { key: SECOND });
    for (const bid of TWO_BIDS) show(chain, job, bid);
    expect(chain.job(job).worker.toLowerCase()).toBe(FIRST.address);
  });

  it("makes a bid from the job's own region the winner at an equal price", () => {
    const region = regionOf("eu");
    const [chain, job] = posted({}, { region });
    awarded(chain, job, [
      { key: FIRST, price: OGPU },
      { key: SECOND, price: OGPU, region },
    ]);
    expect(chain.job(job).worker.toLowerCase()).toBe(SECOND.address);
  });

  it("whose worker falls silent goes on elsewhere from its last checkpoint, with the gap on top of its budget", () => {
    const [chain, job] = working();
    complete(chain, job, SECOND);
    const { budget } = chain.job(job);
    const clientBefore = chain.balance(CLIENT.address);
    chain.pass(30);
    expect(chain.job(job)).toMatchObject({ status: 1, reason: 11, attempt: 2n, segment: 1 });
    // Two of three segments were left of a gap of 1 oGPU.
    expect(chain.job(job).budget - budget).toBe((2n * OGPU) / 3n);
    expect(chain.collateral(SECOND)).toEqual([COLLATERAL - (2n * OGPU) / 3n, 0n]);
    expect(chain.lock(SECOND)[1]).toBe(0n);
    expect(chain.balance(CLIENT.address)).toBe(clientBefore);
    expect(chain.view(PROVIDERS, "reputationOf", [SECOND.address])).toMatchObject({ accepted: 1n, late: 1n });
    awarded(chain, job, [{ key: THIRD, price: 2n * OGPU }]);
    commit(chain, job, THIRD);
    expect(chain.verification.requests.get(2n)).toMatchObject({
      segment: 1,
      segments: 3,
      startCheckpoint: chain.commitment(0).checkpointRoot,
      worker: THIRD.address,
    });
    chain.decide(job);
    chain.send(MARKET, "attestCheckpoint", [job, 1], { key: CLIENT });
    expect(chain.job(job)).toMatchObject({ segment: 2, status: 3 });
    complete(chain, job, THIRD);
    expect(chain.job(job)).toMatchObject({ status: 6 });
  });

  it("gains nothing by an heir that never got the state to go on from: only its lock is lost", () => {
    const [chain, job] = working();
    complete(chain, job, SECOND);
    chain.pass(30);
    awarded(chain, job, [
      { key: THIRD, price: OGPU },
      { key: FIRST, price: 2n * OGPU },
    ]);
    expect(chain.job(job)).toMatchObject({ status: 3, segment: 1 });
    const { budget } = chain.job(job);
    const clientBefore = chain.balance(CLIENT.address);
    // The client has attested that it holds the state, and shows it to nobody.
    chain.pass(40);
    expect(chain.job(job)).toMatchObject({ reason: 11, attempt: 3n, segment: 1 });
    expect(chain.job(job).budget).toBe(budget);
    expect(chain.balance(CLIENT.address)).toBe(clientBefore);
    expect(chain.collateral(THIRD)).toEqual([COLLATERAL, 0n]);
    expect(chain.lock(THIRD)[1]).toBe(0n);
  });

  it("whose worker was proven wrong takes all that is reserved of it; the gap is the job's, of the rest the catcher has a part", () => {
    const [chain, job] = working();
    commit(chain, job, SECOND);
    const [[, lock], before] = [chain.lock(SECOND), chain.balance(OWNER.address)];
    chain.decide(job, { accepted: false, guilty: "worker", catcher: OWNER.address });
    expect(chain.balance(OWNER.address) - before).toBe(lock / 5n + (2n * OGPU + 2n) / 3n / 5n);
    expect(chain.job(job)).toMatchObject({ status: 1, reason: 10, segment: 0, attempt: 2n });
    expect(chain.collateral(SECOND)).toEqual([COLLATERAL - OGPU - (2n * OGPU + 2n) / 3n, 0n]);
    expect(chain.lock(SECOND)[1]).toBe(0n);
    expect(chain.job(job).budget).toBe(BUDGET + OGPU);
  });

  it("pays a segment without the client's word when it had the time to ask for the state", () => {
    const [chain, job] = working();
    commit(chain, job, SECOND);
    chain.decide(job);
    expect(chain.job(job)).toMatchObject({ status: 5, reason: 23, actor: 1 });
    chain.pass(10);
    expect(chain.job(job)).toMatchObject({ status: 3, reason: 9, segment: 1 });
  });

  it("lets whom the client names attest in its place, once and for the present segment", () => {
    const [chain, job] = working();
    commit(chain, job, SECOND);
    const attest = (segment: number, key: TestKey) =>
      chain.revertOf(MARKET, "attestCheckpoint", [job, segment], { key });
    expect(attest(0, CLIENT)).toMatchObject({ name: "WrongStatus" });
    chain.decide(job, { final: false });
    expect(attest(0, OWNER)).toMatchObject({ name: "NotClient" });
    expect(chain.revertOf(MARKET, "setHolder", [job, OWNER.address], { key: OWNER })).toMatchObject({
      name: "NotClient",
    });
    chain.send(MARKET, "setHolder", [job, OWNER.address], { key: CLIENT });
    expect(attest(1, OWNER)).toEqual({ name: "WrongSegment", args: [1, 0] });
    chain.send(MARKET, "attestCheckpoint", [job, 0], { key: OWNER });
    expect(attest(0, CLIENT)).toMatchObject({ name: "AlreadyDone" });
    chain.decide(job);
    expect(chain.job(job)).toMatchObject({ status: 3, segment: 1 });
  });

  it("that traps ends there, paid up to that segment", () => {
    const [chain, job] = working();
    complete(chain, job, SECOND);
    const traps = { ...chain.commitment(4, false), traps: true, trapLaunch: 3, trapTile: 0 };
    chain.send(MARKET, "commitSegment", [job, 1, traps], { key: SECOND });
    chain.decide(job);
    expect(chain.job(job)).toMatchObject({ status: 6, reason: 16, traps: true, locked: 0n, paid: (4n * OGPU) / 3n });
    expect(chain.lock(CLIENT)).toEqual([0n, 0n]);
  });

  it("ends at its deadline when a segment is paid after it", () => {
    const [chain, job] = posted({}, { jobSeconds: 40n });
    awarded(chain, job, [{ key: FIRST, price: 3n * OGPU, seconds: 20n }]);
    chain.pass(20);
    commit(chain, job, FIRST);
    chain.pass(30);
    chain.decide(job);
    chain.pass(10);
    expect(chain.job(job)).toMatchObject({ status: 9, reason: 14, paid: OGPU });
    expect(chain.collateral(FIRST)).toEqual([COLLATERAL, 0n]);
  });
});

describe("a client", () => {
  it("raises and caps its budget, never below what is promised", () => {
    const [chain, job] = working();
    const call = (name: "raiseBudget" | "cancel", key: TestKey) => chain.revertOf(MARKET, name, [job], { key });
    expect(call("raiseBudget", OWNER)).toMatchObject({ name: "NotClient" });
    expect(call("raiseBudget", CLIENT)).toMatchObject({ name: "NotEnoughSent" });
    chain.send(MARKET, "raiseBudget", [job], { key: CLIENT, value: OGPU });
    expect(chain.job(job).budget).toBe(5n * OGPU);
    const cap = (budget: bigint) => chain.revertOf(MARKET, "capBudget", [job, budget], { key: CLIENT });
    expect(cap(2n * OGPU - 1n)).toEqual({ name: "BudgetTooLow", args: [2n * OGPU - 1n, 2n * OGPU] });
    expect(cap(6n * OGPU)).toMatchObject({ name: "OutOfRange" });
    const before = chain.balance(CLIENT.address);
    chain.send(MARKET, "capBudget", [job, 2n * OGPU], { key: CLIENT });
    expect(chain.balance(CLIENT.address) - before).toBe(3n * OGPU);
    complete(chain, job, SECOND);
    complete(chain, job, SECOND);
    complete(chain, job, SECOND);
    expect(chain.job(job)).toMatchObject({ status: 6, paid: 2n * OGPU });
    expect(call("cancel", CLIENT)).toMatchObject({ name: "WrongStatus" });
  });

  it("cancels before anybody works for nothing", () => {
    for (const isRevealing of [false, true]) {
      const [chain, job] = posted();
      for (const bid of TWO_BIDS) place(chain, job, bid);
      if (isRevealing) chain.pass(5);
      const before = chain.balance(CLIENT.address);
      chain.send(MARKET, "cancel", [job], { key: CLIENT });
      expect(chain.job(job)).toMatchObject({ status: 8, reason: 15 });
      expect(chain.balance(CLIENT.address) - before).toBe(BUDGET + BigInt(SEGMENTS * SEATS) * SEAT_FEE);
      for (const key of [FIRST, SECOND]) expect(chain.lock(key)[1]).toBe(0n);
    }
  });

  it("pays its worker for the time that it has spent when it cancels", () => {
    const [chain, job] = working();
    const before = chain.balance(SECOND.address);
    chain.pass(4);
    chain.send(MARKET, "cancel", [job], { key: CLIENT });
    // Five of the ten seconds that it promised for a segment of 2/3 oGPU.
    const price = ((2n * OGPU) / 3n / 10n) * 5n;
    expect(chain.receipt(job).paid - price).toBeLessThan(10n);
    const earned = chain.balance(SECOND.address) - before;
    expect(earned).toBe(chain.receipt(job).paid - chain.receipt(job).burned - chain.receipt(job).treasury);
    expect(chain.receipt(job).minted).toBe(0n);
    expect(chain.collateral(SECOND)).toEqual([COLLATERAL, 0n]);
  });

  it("that cancels while a segment is verified still pays for it", () => {
    const [chain, job] = working();
    commit(chain, job, SECOND);
    chain.send(MARKET, "cancel", [job], { key: CLIENT });
    expect(chain.job(job)).toMatchObject({ status: 4, cancelling: true });
    expect(chain.revertOf(MARKET, "cancel", [job], { key: CLIENT })).toMatchObject({ name: "CancelPending" });
    chain.decide(job);
    chain.pass(10);
    expect(chain.job(job)).toMatchObject({ status: 8, reason: 15, paid: (2n * OGPU) / 3n });
    expect(chain.collateral(SECOND)).toEqual([COLLATERAL, 0n]);
  });

  it.each([
    [{ program: word(3) }, "UnknownProgram"],
    [{ budget: 1n }, "OutOfRange"],
    [{ budget: 1n << 97n }, "OutOfRange"],
    [{ segments: 0 }, "OutOfRange"],
    [{ segments: 7 }, "OutOfRange"],
    [{ tier: 16 }, "OutOfRange"],
    [{ seats: 0 }, "OutOfRange"],
    [{ assurance: 2 }, "OutOfRange"],
    [{ bidSeconds: 1n }, "OutOfRange"],
    [{ jobSeconds: 15n }, "OutOfRange"],
    [{ jobSeconds: 86_401n }, "OutOfRange"],
  ])("cannot post %o: %s", (change, name) => {
    const chain = new MarketChain();
    const args = [terms(chain, change), [...chain.inputs()], NO_CALLBACK] as const;
    expect(chain.revertOf(MARKET, "postJob", args, { value: 10n * OGPU })).toMatchObject({ name });
    expect(chain.revertOf(MARKET, "quoteJob", [terms(chain, change)])).toMatchObject({ name });
  });

  it("sends what the job costs", () => {
    const chain = new MarketChain();
    const [suggested, verification, total, lock, bidLock] = chain.view(MARKET, "quoteJob", [terms(chain)]);
    expect([verification, lock, bidLock]).toEqual([BigInt(SEGMENTS * SEATS) * SEAT_FEE, LOCK, LOCK]);
    expect([total, suggested]).toEqual([BUDGET + verification, OGPU / 1_000n]);
    const post = (inputs: readonly Hex[], value: bigint) =>
      chain.revertOf(MARKET, "postJob", [terms(chain), [...inputs], NO_CALLBACK], { value });
    expect(post([], 10n * OGPU)).toMatchObject({ name: "WrongCount" });
    expect(post(chain.inputs(), total - 1n)).toEqual({ name: "NotEnoughSent", args: [total - 1n, total] });
    expect(post(chain.inputs(), total)).toEqual({ name: "NotEnoughSent", args: [total, total + lock] });
  });
});
