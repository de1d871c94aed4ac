import { describe, expect, it } from "vitest";
import { OGPU } from "../../../base/units.ts";
import { workingOn } from "../../../vm/modules/market/worker-of-job.ts";
import {
  CLIENT,
  COLLATERAL,
  MARKET,
  MarketChain,
  type MarketChainOptions,
  NO_CALLBACK,
  NONCE,
  OWNER,
  PROVIDERS,
  racersOf,
  SOURCE,
  WORKERS,
  word,
} from "../support/market-chain.ts";
import type { TestKey } from "../support/test-chain.ts";

const PRICE = OGPU / 1_000n;
const VERIFICATION = (3n * OGPU) / 1_000n;
/** A tenth of the source's collateral, and what being late costs of it. */
const WORKER_LOCK = SOURCE.collateral / 10n;
const LATE = WORKER_LOCK / 4n;

/** A source that all workers have joined, and a task of it with racers. */
function raceChain(options: MarketChainOptions = {}, racers = 3): [MarketChain, bigint, readonly TestKey[]] {
  const chain = new MarketChain(options);
  chain.addWorkers();
  const source = chain.createSource({ racers });
  for (const key of WORKERS) chain.join(source, key);
  const job = chain.submit(source);
  chain.draw();
  return [chain, job, racersOf(chain, job)];
}

function deliver(chain: MarketChain, job: bigint, key: TestKey): void {
  chain.seal(job, key, chain.commitment(1));
  chain.reveal(job, key, chain.commitment(1));
}

describe("whose word counts about how far a task is", () => {
  it("each racer's while it may compute, and nobody else's", () => {
    const [chain, job, racers] = raceChain();
    const ask = (account: TestKey, segment = 0, of = job) =>
      workingOn(chain.state.reader, of, segment, account.address);
    expect(racers.map((racer) => ask(racer))).toEqual(racers.map(() => "working"));
    expect(ask(CLIENT)).toBe("other");
    const [first] = racers as [TestKey];
    expect([ask(first, 1), ask(first, 0, job + 1n)]).toEqual(["idle", "idle"]);
    deliver(chain, job, first);
    expect(ask(first)).toBe("idle");
  });
});

describe("a pool task", () => {
  it("is raced for, verified and paid", () => {
    const chain = new MarketChain();
    chain.addWorkers();
    const source = chain.createSource();
    for (const key of WORKERS) chain.join(source, key);
    const before = chain.balance(CLIENT.address);
    const job = chain.submit(source);
    expect(chain.job(job)).toMatchObject({ status: 1, reason: 1, actor: 5, budget: PRICE, locked: PRICE / 10n });
    expect(before - chain.balance(CLIENT.address)).toBe(PRICE + VERIFICATION + PRICE / 10n);
    chain.draw();
    expect(chain.job(job)).toMatchObject({ status: 3, reason: 2, actor: 2, attempt: 1n });
    const racers = racersOf(chain, job);
    expect(new Set(racers).size).toBe(3);
    const winner = racers[1] as TestKey;
    expect(chain.collateral(winner)).toEqual([95n * OGPU, 5n * OGPU]);
    const earnedBefore = chain.balance(winner.address);
    deliver(chain, job, winner);
    expect(chain.job(job)).toMatchObject({ status: 4, reason: 6, actor: 4, round: 1n });
    chain.decide(job, { final: false });
    expect(chain.job(job)).toMatchObject({ status: 5, reason: 7 });
    for (const racer of racers) expect(chain.collateral(racer)[1]).toBe(racer === winner ? SOURCE.collateral : 0n);
    chain.decide(job);
    expect(chain.job(job)).toMatchObject({ status: 6, reason: 8, budget: 0n, locked: 0n, paid: PRICE, round: 0n });
    expect(chain.balance(winner.address) - earnedBefore).toBe((PRICE * 95n) / 100n);
    expect(chain.view(MARKET, "totalEscrow", [])).toBe(0n);
    expect(chain.view(MARKET, "resultOf", [job])).toEqual([true, true, chain.commitment(1).outputs]);
    expect(chain.receipt(job)).toMatchObject({
      paid: PRICE,
      burned: (PRICE * 3n) / 100n,
      minted: 0n,
      round: 1n,
      seats: 3,
    });
    expect(chain.view(PROVIDERS, "reputationOf", [winner.address])).toMatchObject({
      accepted: 1n,
      rejected: 0n,
      late: 0n,
    });
    chain.pass(31);
    expect(chain.collateral(winner)).toEqual([COLLATERAL, 0n]);
  });

  it("gives each a provider of its own, and no more racers than its source wants", () => {
    const [chain, job] = raceChain({}, 2);
    chain.addDevice(WORKERS[0] as TestKey);
    expect(racersOf(chain, job).length).toBe(2);
    // Two devices of one provider are idle: they never meet in one race.
    chain.join(1n, WORKERS[0] as TestKey, 2n);
    const second = chain.submit(1n);
    chain.draw();
    const racers = racersOf(chain, second);
    expect(new Set(racers).size).toBe(racers.length);
  });

  it("waits for racers in the order in which it came, and goes back to its client when there are none in time", () => {
    const chain = new MarketChain();
    chain.addWorkers(WORKERS.slice(0, 1));
    const source = chain.createSource();
    const before = chain.balance(CLIENT.address);
    const [first, second] = [chain.submit(source), chain.submit(source)];
    chain.join(source, WORKERS[0] as TestKey);
    chain.draw();
    expect([chain.job(first).status, chain.job(second).status]).toEqual([3, 1]);
    chain.pass(10);
    deliver(chain, first, WORKERS[0] as TestKey);
    chain.pass(60);
    expect(chain.job(second)).toMatchObject({ status: 9, reason: 13 });
    // The lock stays locked; all else came back but for the first task.
    expect(before - chain.balance(CLIENT.address)).toBe(PRICE + VERIFICATION + (2n * PRICE) / 10n);
    expect(chain.lock(CLIENT)).toEqual([PRICE / 10n, PRICE / 10n]);
  });

  it("is taken by the first seal; in one block by the drawn order of places", () => {
    const [chain, job, racers] = raceChain();
    const [first, second, third] = racers as [TestKey, TestKey, TestKey];
    const commitments = [1, 2, 3].map((salt) => chain.commitment(salt));
    const transactions = [third, second].map((key, index) =>
      chain.call(MARKET, "commitSealed", [job, 1n, chain.sealFor(job, key, commitments[2 - index] as never)], { key }),
    );
    chain.block(transactions);
    chain.reveal(job, third, commitments[2] as never);
    // Its seal came in the same block, but the second has the better place: it may still reveal.
    expect(chain.job(job)).toMatchObject({ status: 3, round: 0n });
    chain.reveal(job, second, commitments[1] as never);
    expect(chain.job(job)).toMatchObject({ status: 4 });
    expect(chain.job(job).worker.toLowerCase()).toBe(second.address);
    void first;
  });

  it("whose worker was wrong goes to the next, and takes lock and collateral of the first", () => {
    const [chain, job, racers] = raceChain();
    const [first, second] = racers as [TestKey, TestKey];
    chain.seal(job, first, chain.commitment(1));
    chain.seal(job, second, chain.commitment(2));
    chain.reveal(job, first, chain.commitment(1));
    chain.reveal(job, second, chain.commitment(2));
    const clientBefore = chain.balance(CLIENT.address);
    chain.decide(job, { accepted: false, guilty: "worker" });
    expect(chain.collateral(first)).toEqual([COLLATERAL - SOURCE.collateral, 0n]);
    expect(chain.lock(first)[1]).toBe(0n);
    // Half of both is the client's: of the collateral first what another round costs.
    const part = SOURCE.collateral / 2n - VERIFICATION + WORKER_LOCK / 2n;
    expect(chain.balance(CLIENT.address) - clientBefore).toBe(part);
    expect(chain.job(job)).toMatchObject({ status: 4, round: 2n });
    expect(chain.job(job).worker.toLowerCase()).toBe(second.address);
    chain.decide(job);
    expect(chain.job(job)).toMatchObject({ status: 6 });
    expect(chain.view(PROVIDERS, "reputationOf", [first.address])).toMatchObject({ accepted: 0n, rejected: 1n });
  });

  it("whose worker was proven wrong by its own client loses all the same, of lock and collateral", () => {
    const [chain, job, racers] = raceChain();
    const first = racers[0] as TestKey;
    deliver(chain, job, first);
    const before = chain.balance(CLIENT.address);
    chain.decide(job, { accepted: false, guilty: "worker", catcher: CLIENT.address });
    // Half as the client, a fifth as the catcher; another round is paid for out of it.
    const returned = chain.balance(CLIENT.address) - before + VERIFICATION;
    expect(returned).toBe(((SOURCE.collateral + WORKER_LOCK) * 7n) / 10n);
    expect(chain.collateral(first)).toEqual([COLLATERAL - SOURCE.collateral, 0n]);
    expect(chain.lock(first)[1]).toBe(0n);
  });

  it("that nobody delivers is drawn again, as often as it may be; late ones lose a part of their lock", () => {
    const [chain, job, racers] = raceChain({ parameters: { market: { maxAttempts: 2n } } });
    chain.pass(20);
    expect(chain.job(job)).toMatchObject({ status: 1, reason: 11 });
    for (const racer of racers) {
      expect(chain.lock(racer)[1]).toBe(WORKER_LOCK - LATE);
      expect(chain.collateral(racer)).toEqual([COLLATERAL, 0n]);
      expect(chain.view(PROVIDERS, "reputationOf", [racer.address]).late).toBe(1n);
    }
    chain.draw();
    expect(chain.job(job)).toMatchObject({ status: 3, attempt: 2n });
    chain.pass(20);
    expect(chain.job(job)).toMatchObject({ status: 9, reason: 20, budget: 0n });
    expect(chain.receipt(job).refunded).toBe(PRICE + VERIFICATION);
  });

  it("goes on without a racer that does not reveal, which is late", () => {
    const [chain, job, racers] = raceChain();
    const [first, second] = racers as [TestKey, TestKey];
    chain.seal(job, first, chain.commitment(1));
    chain.seal(job, second, chain.commitment(2));
    chain.reveal(job, second, chain.commitment(2));
    expect(chain.job(job).status).toBe(3);
    chain.pass(10);
    expect(chain.job(job)).toMatchObject({ status: 4 });
    expect(chain.job(job).worker.toLowerCase()).toBe(second.address);
    expect(chain.lock(first)[1]).toBe(WORKER_LOCK - LATE);
    expect(chain.revertOf(MARKET, "reveal", [job, chain.commitment(1), NONCE], { key: first })).toMatchObject({
      name: "NotRacer",
    });
  });

  it("that was accepted and then overturned punishes its worker and is drawn again", () => {
    const [chain, job, racers] = raceChain();
    const first = racers[0] as TestKey;
    deliver(chain, job, first);
    chain.decide(job, { final: false });
    expect(chain.job(job).status).toBe(5);
    chain.decide(job, { accepted: false, guilty: "worker" });
    expect(chain.job(job)).toMatchObject({ status: 1, reason: 10, budget: PRICE });
    expect(chain.collateral(first)).toEqual([COLLATERAL - SOURCE.collateral, 0n]);
  });

  it("whose result is that the program traps is paid for, out of the client's lock too", () => {
    const [chain, job, racers] = raceChain();
    const first = racers[0] as TestKey;
    const traps = { ...chain.commitment(1), outputs: [], traps: true, trapLaunch: 3, trapTile: 0 };
    chain.seal(job, first, traps);
    chain.reveal(job, first, traps);
    chain.decide(job);
    expect(chain.job(job)).toMatchObject({ status: 6, reason: 16, traps: true, paid: PRICE });
    expect(chain.lock(CLIENT)).toEqual([0n, 0n]);
    expect(chain.view(MARKET, "resultOf", [job])).toEqual([true, false, []]);
  });

  it("whose program traps though its worker had a result convicts the program, and pays the worker", () => {
    const [chain, job, racers] = raceChain();
    deliver(chain, job, racers[0] as TestKey);
    chain.decide(job, { accepted: false, guilty: "program", programTrapped: true });
    expect(chain.job(job)).toMatchObject({ status: 7, reason: 16, paid: PRICE });
    expect(chain.lock(CLIENT)).toEqual([0n, 0n]);
    chain.pass(31);
    expect(chain.collateral(racers[0] as TestKey)).toEqual([COLLATERAL, 0n]);
  });

  it("that verification could not decide costs its worker nothing, and ends when no fees are left", () => {
    const [chain, job, racers] = raceChain();
    const [first, second] = racers as [TestKey, TestKey];
    for (const key of [first, second]) chain.seal(job, key, chain.commitment(1));
    for (const key of [first, second]) chain.reveal(job, key, chain.commitment(1));
    chain.decide(job, { accepted: false, guilty: "none" });
    expect(chain.job(job)).toMatchObject({ status: 9, reason: 22, budget: 0n });
    for (const key of [first, second]) expect(chain.collateral(key)).toEqual([COLLATERAL, 0n]);
    expect(chain.receipt(job).refunded).toBe(PRICE);
  });

  it("mints for its worker what was burned of its price, out of the emission of epochs that have ended", () => {
    const chain = new MarketChain();
    chain.addWorkers();
    const source = chain.createSource();
    for (const key of WORKERS) chain.join(source, key);
    chain.endEpoch();
    const job = chain.submit(source);
    chain.draw();
    deliver(chain, job, racersOf(chain, job)[0] as TestKey);
    chain.decide(job);
    expect(chain.receipt(job)).toMatchObject({ burned: (PRICE * 3n) / 100n, minted: (PRICE * 3n) / 100n });
  });

  it("can be cancelled until it has racers, and all of its money comes back", () => {
    const chain = new MarketChain();
    const source = chain.createSource();
    const before = chain.balance(CLIENT.address);
    const job = chain.submit(source);
    expect(chain.revertOf(MARKET, "cancel", [job], { key: OWNER })).toMatchObject({ name: "NotClient" });
    chain.send(MARKET, "cancel", [job], { key: CLIENT });
    expect(chain.job(job)).toMatchObject({ status: 8, reason: 15 });
    expect(before - chain.balance(CLIENT.address)).toBe(PRICE / 10n);
    expect(chain.revertOf(MARKET, "cancel", [job], { key: CLIENT })).toMatchObject({ name: "WrongStatus" });
    const [raced, running] = raceChain();
    expect(raced.revertOf(MARKET, "cancel", [running], { key: CLIENT })).toMatchObject({ name: "WrongStatus" });
  });
});

describe("a racer", () => {
  it("seals once and in time, reveals what it sealed in a later block, and is asked only in its turn", () => {
    const [chain, job, racers] = raceChain();
    const [first, second] = racers as [TestKey, TestKey];
    const outsider = WORKERS.find((key) => !racers.includes(key)) as TestKey;
    const commitment = chain.commitment(1);
    const seal = (key: TestKey) => chain.revertOf(MARKET, "commitSealed", [job, 1n, word(1)], { key });
    const reveal = (key: TestKey, what = commitment) => chain.revertOf(MARKET, "reveal", [job, what, NONCE], { key });
    expect(seal(outsider)).toMatchObject({ name: "NotRacer" });
    expect(chain.revertOf(MARKET, "commitSealed", [99n, 1n, word(1)], { key: first })).toMatchObject({ name: "NoJob" });
    expect(chain.revertOf(MARKET, "commitSealed", [job, 1n, word(0)], { key: first })).toMatchObject({
      name: "BadCommitment",
    });
    const other = chain.revertOf(MARKET, "commitSealed", [job, 2n, word(1)], { key: first });
    expect(other).toEqual({ name: "WrongAttempt", args: [job, 1n] });
    expect(reveal(first)).toMatchObject({ name: "NoSeal" });
    chain.seal(job, first, commitment);
    expect(seal(first)).toMatchObject({ name: "AlreadyDone" });
    expect(reveal(first, chain.commitment(2))).toMatchObject({ name: "SealMismatch" });
    const both = [
      chain.call(MARKET, "commitSealed", [job, 1n, chain.sealFor(job, second, commitment)], { key: second }),
      chain.call(MARKET, "reveal", [job, commitment, NONCE], { key: second }, 1),
    ];
    expect(chain.block(both).receipts.map(({ succeeded }) => succeeded)).toEqual([true, false]);
    chain.reveal(job, first, commitment);
    expect(reveal(first)).toMatchObject({ name: "AlreadyDone" });
    expect(chain.revertOf(MARKET, "commitSegment", [job, 0, commitment], { key: first })).toMatchObject({
      name: "NotAnAuction",
    });
  });

  it.each([
    ["too few outputs", { outputs: [] }, "WrongCount"],
    ["outputs where it traps", { traps: true }, "WrongCount"],
    ["a trap in a launch that is not there", { traps: true, outputs: [], trapLaunch: 6 }, "BadCommitment"],
    ["a trap in a tile that is not there", { traps: true, outputs: [], trapTile: 1 }, "BadCommitment"],
  ])("that commits to %s is refused", (_what, change, name) => {
    const [chain, job, racers] = raceChain();
    const key = racers[0] as TestKey;
    const commitment = { ...chain.commitment(1), ...change };
    chain.seal(job, key, commitment);
    expect(chain.revertOf(MARKET, "reveal", [job, commitment, NONCE], { key })).toMatchObject({ name });
  });

  it("cannot leave while it races", () => {
    const [chain, job, racers] = raceChain();
    const key = racers[0] as TestKey;
    expect(chain.revertOf(MARKET, "leaveSource", [1n, 1n], { key })).toEqual({ name: "DeviceBusy", args: [job] });
  });

  it("that seals nothing in eight races in a row is no member any more", () => {
    const chain = new MarketChain({ parameters: { market: { maxMisses: 2n } } });
    chain.addWorkers(WORKERS.slice(0, 2));
    const source = chain.createSource({ racers: 2 });
    for (const key of WORKERS.slice(0, 2)) chain.join(source, key);
    const [worker, idler] = WORKERS as [TestKey, TestKey];
    for (let race = 0; race < 2; race++) {
      const job = chain.submit(source);
      chain.draw();
      expect(chain.job(job).racers.length).toBe(2);
      deliver(chain, job, worker);
      chain.decide(job);
      expect(chain.job(job).status).toBe(6);
    }
    expect(chain.view(MARKET, "membershipsOf", [idler.address, 0n, 10n])).toEqual([]);
    expect(chain.lock(idler)[1]).toBe(0n);
  });
});

describe("a submission", () => {
  it("brings the program's inputs and enough money", () => {
    const chain = new MarketChain();
    const source = chain.createSource();
    const [price, verification, total, lock] = chain.view(MARKET, "quoteTask", [source]);
    expect([price, verification, total, lock]).toEqual([PRICE, VERIFICATION, PRICE + VERIFICATION, PRICE / 10n]);
    const submit = (inputs: readonly `0x${string}`[], value: bigint, callback = NO_CALLBACK) =>
      chain.revertOf(MARKET, "submitTask", [source, [...inputs], callback], { value });
    expect(submit([], OGPU)).toEqual({ name: "WrongCount", args: [0n, 2n] });
    expect(submit(chain.inputs(), total - 1n)).toEqual({ name: "NotEnoughSent", args: [total - 1n, total] });
    expect(submit(chain.inputs(), total)).toEqual({ name: "NotEnoughSent", args: [total, total + lock] });
    expect(submit(chain.inputs(), OGPU, { ...NO_CALLBACK, tip: 1n } as never)).toMatchObject({ name: "OutOfRange" });
    const target = CLIENT.address;
    expect(submit(chain.inputs(), OGPU, { target, gas: 5_000_001n, tip: 0n } as never)).toMatchObject({
      name: "OutOfRange",
    });
    expect(chain.revertOf(MARKET, "submitTask", [9n, [], NO_CALLBACK])).toMatchObject({ name: "NoSource" });
    expect(chain.revertOf(MARKET, "quoteTask", [9n])).toMatchObject({ name: "NoSource" });
  });
});

describe("lists", () => {
  it("tell jobs by number, status, client and worker, newest first, a page at a time", () => {
    const [chain, job, racers] = raceChain();
    const second = chain.submit(1n, OWNER);
    expect(chain.view(MARKET, "jobs", [0n, 10n])).toEqual([second, job]);
    expect(chain.view(MARKET, "jobs", [1n, 1n])).toEqual([job]);
    expect(chain.view(MARKET, "jobsByStatus", [3, 0n, 10n])).toEqual([job]);
    expect(chain.view(MARKET, "countByStatus", [1])).toBe(1n);
    expect(chain.view(MARKET, "jobsOfClient", [OWNER.address, 0n, 10n])).toEqual([second]);
    expect(chain.view(MARKET, "jobsOfWorker", [(racers[0] as TestKey).address, 0n, 10n])).toEqual([job]);
    expect(chain.view(MARKET, "jobOf", [77n])).toMatchObject({ id: 0n, status: 0 });
    expect(chain.view(MARKET, "sourceOf", [77n])).toMatchObject({ id: 0n, open: false });
    expect(chain.revertOf(MARKET, "jobs", [0n, 101n])).toEqual({ name: "TooMany", args: [100n] });
    expect(chain.revertOf(MARKET, "jobsByStatus", [6, 0n, 1n])).toMatchObject({ name: "OutOfRange" });
    expect(chain.revertOf(MARKET, "countByStatus", [0])).toMatchObject({ name: "OutOfRange" });
  });
});
