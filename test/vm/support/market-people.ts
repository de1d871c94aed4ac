/** People who do everything that can be done in the market, at random, right and wrong; from one seed. */
import { encodeFunctionData } from "viem";
import { type Hex, hexToBytes } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import { Prng } from "../../../base/prng.ts";
import { OGPU } from "../../../base/units.ts";
import { agendaAbi } from "../../../vm/interfaces/abi/agenda.ts";
import { marketAbi } from "../../../vm/interfaces/abi/market.ts";
import { providersAbi } from "../../../vm/interfaces/abi/providers.ts";
import { AGENDA_ADDRESS, MARKET_ADDRESS, PROVIDERS_ADDRESS } from "../../../vm/modules/addresses.ts";
import { bidSealOf, type Commitment, sealOf } from "../../../vm/modules/market/commitment.ts";
import type { DecidedRound } from "../../../vm/modules/verification/round-types.ts";
import { accountKey, eventsOf } from "./economy-chain.ts";
import type { MarketBookkeeper } from "./market-bookkeeper.ts";
import { type JobView, MARKET, type MarketChain, NO_CALLBACK, NO_REGION, NONCE, TIER, word } from "./market-chain.ts";
import type { TestKey } from "./test-chain.ts";

/** Some are both: whoever pays himself must not win by it. */
const CLIENTS = [0, 1, 2, 3].map(accountKey);
const WORKERS = [2, 3, 4, 5, 6, 7].map(accountKey);
/** Does nothing but prove workers wrong: what it has besides what it began with, it was paid for that. */
export const CATCHER: TestKey = accountKey(8);

const AGENDA = { address: AGENDA_ADDRESS, abi: agendaAbi } as const;

/** Few enough that people get to what each needs of them. */
const MOST_OPEN = 6;

type Call = {
  readonly name: string;
  readonly args: readonly unknown[];
  readonly key: TestKey;
  readonly value?: bigint;
};

export class MarketPeople {
  readonly chain: MarketChain;
  readonly books: MarketBookkeeper;
  readonly random: Prng;
  /** How often each function succeeded: a history in which nothing works shows nothing. */
  readonly done: Map<string, number> = new Map();
  readonly #decided: Map<bigint, DecidedRound> = new Map();

  constructor(chain: MarketChain, books: MarketBookkeeper, seed: string) {
    this.chain = chain;
    this.books = books;
    this.random = new Prng(seed);
  }

  start(): void {
    this.chain.addWorkers(WORKERS);
    this.chain.addDevice(WORKERS[0] as TestKey);
    for (const racers of [1, 3]) this.chain.createSource({ racers, taskSeconds: 40n });
    for (const key of WORKERS) {
      for (const source of [1n, 2n]) this.#send({ name: "joinSource", args: [source, 1n], key, value: OGPU });
    }
  }

  readonly account: (index: number) => TestKey = accountKey;

  /** One thing that somebody does, and sometimes a verdict, or time that passes. */
  step(): void {
    const { random } = this;
    if (random.below(3) === 0) this.#verdict();
    if (random.below(12) === 0) this.#pass(random.below(40));
    if (random.below(150) === 0) this.#endBlock(() => this.chain.endEpoch());
    const job = this.#someJob();
    const wish = random.below(40);
    if (wish === 0) this.#membership();
    else if (wish === 1) this.#provider();
    else if (job === undefined || (wish < 12 && this.books.open.length < MOST_OPEN)) {
      if (random.below(2) === 0) this.#submit();
      else this.#post();
    } else this.#onJob(job);
  }

  /** Everybody stops; rounds are decided, and all timeouts run out. */
  finish(): void {
    for (let round = 0; round < 400 && this.books.open.length > 0; round++) {
      this.#decideAll();
      this.#pass(40);
    }
    // Liabilities and what demands they waited for.
    for (let round = 0; round < 6; round++) this.#pass(60);
    for (const key of WORKERS) {
      for (const { source, device } of this.chain.view(MARKET, "membershipsOf", [key.address, 0n, 100n])) {
        this.#send({ name: "leaveSource", args: [source, device], key });
      }
    }
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.random.below(items.length)] as T;
  }

  #someJob(): bigint | undefined {
    const { open } = this.books;
    return open.length === 0 ? undefined : this.#pick(open);
  }

  #submit(): void {
    const callback = { target: accountKey(9).address, gas: 50_000n, tip: 1_000n };
    const hasCallback = this.random.below(5) === 0;
    const args = [BigInt(1 + this.random.below(2)), [...this.chain.inputs()], hasCallback ? callback : NO_CALLBACK];
    const before = this.chain.view(MARKET, "jobCount", []);
    const isDone = this.#send({ name: "submitTask", args, key: this.#pick(CLIENTS), value: OGPU });
    if (isDone && hasCallback) this.books.addTip(before + 1n, callback.tip);
  }

  #post(): void {
    const terms = {
      program: this.chain.program,
      budget: OGPU * BigInt(1 + this.random.below(5)),
      segments: 1 + this.random.below(4),
      tier: TIER,
      seats: 1 + this.random.below(3),
      assurance: 0,
      bidSeconds: BigInt(2 + this.random.below(6)),
      jobSeconds: BigInt(60 + this.random.below(400)),
      region: NO_REGION,
    };
    const args = [terms, [...this.chain.inputs()], NO_CALLBACK];
    this.#send({ name: "postJob", args, key: this.#pick(CLIENTS), value: 10n * OGPU });
  }

  #membership(): void {
    const [source, device] = [BigInt(1 + this.random.below(2)), BigInt(1 + this.random.below(2))];
    const name = this.random.below(3) === 0 ? "leaveSource" : "joinSource";
    this.#send({ name, args: [source, device], key: this.#pick(WORKERS), value: name === "joinSource" ? OGPU : 0n });
  }

  /** What providers do meanwhile: pause, resume, take collateral out. */
  #provider(): void {
    const key = this.#pick(WORKERS);
    const [functionName, args] = this.#pick([
      ["pause", []],
      ["resume", []],
      ["resume", []],
      ["requestWithdrawal", [30n * OGPU]],
      ["cancelWithdrawal", [30n * OGPU]],
    ] as const);
    const data = encodeFunctionData({ abi: providersAbi, functionName, args } as never);
    this.#endBlock(() => this.chain.block([this.chain.transaction(PROVIDERS_ADDRESS, hexToBytes(data), { key })]));
  }

  #onJob(job: bigint): void {
    const view = this.chain.job(job);
    const isTask = view.source > 0n;
    if (this.random.below(25) === 0) this.#clientActs(job);
    else if (view.status === 1 && !isTask) this.#bid(job, view.attempt);
    else if (view.status === 2) this.#revealBid(job, view.attempt);
    else if (view.status === 3 && isTask) this.#race(job, view);
    else if (view.status === 3) this.#segment(job, view.segment, view.segments, view.worker.toLowerCase() as Hex);
    else if (view.status === 5) this.#afterwards(job, view.segment, view.client.toLowerCase() as Hex);
    else if (view.status === 4 && isTask && this.random.below(3) === 0) {
      this.#race(job, view);
    } else this.#pass(1 + this.random.below(3));
  }

  #clientActs(job: bigint): void {
    const key = this.#pick(CLIENTS);
    const name = this.#pick(["cancel", "raiseBudget", "capBudget", "deliver"]);
    const value = name === "raiseBudget" ? OGPU / 10n : 0n;
    const args = name === "capBudget" ? [job, OGPU / 2n] : [job];
    if (this.#send({ name, args, key, value }) && value > 0n) this.books.raise(job, value);
  }

  #key(address: Hex): TestKey {
    return [...CLIENTS, ...WORKERS].find((key) => key.address === address) ?? this.#pick(WORKERS);
  }

  #bid(job: bigint, attempt: bigint): void {
    const key = this.#pick(WORKERS);
    const seal = bidSealOf(job, attempt, key.address, this.#bidOf(job, key), NONCE);
    this.#send({ name: "bid", args: [job, attempt, seal], key, value: OGPU });
  }

  /** The same whenever it is asked for. */
  #bidOf(job: bigint, key: TestKey): { price: bigint; secondsTaken: bigint; region: Hex } {
    const own = new Prng(`${job} ${key.address}`);
    return {
      price: (OGPU * BigInt(1 + own.below(30))) / 10n,
      secondsTaken: BigInt(1 + own.below(60)),
      region: NO_REGION,
    };
  }

  #revealBid(job: bigint, attempt: bigint): void {
    const bids = this.chain.view(MARKET, "bidsOf", [job]).filter(({ revealed }) => !revealed);
    const bid = bids[this.random.below(Math.max(1, bids.length))];
    if (bid === undefined) return;
    const key = this.#key(bid.bidder.toLowerCase() as Hex);
    const { price, secondsTaken, region } = this.#bidOf(job, key);
    const nonce = this.random.below(8) === 0 ? word(5) : NONCE;
    this.#send({ name: "revealBid", args: [job, price, secondsTaken, region, nonce], key });
    void attempt;
  }

  #commitment(key: TestKey, isLast: boolean): Commitment {
    const base = this.chain.commitment(Number(BigInt(key.address) % 97n), isLast);
    if (this.random.below(12) > 0) return base;
    return { ...base, outputs: [], traps: true, trapLaunch: 0, trapTile: 0 };
  }

  #race(job: bigint, { racers, attempt }: JobView): void {
    const racer = this.#pick(racers);
    const key = this.random.below(12) === 0 ? this.#pick(WORKERS) : this.#key(racer.worker.toLowerCase() as Hex);
    const commitment = this.chain.commitment(Number(BigInt(key.address) % 97n));
    const isOdd = this.random.below(10) === 0;
    if (this.random.below(20) === 0) {
      this.#send({ name: "demandInput", args: [job, 0, 0n], key, value: OGPU });
    } else if (racer.sealedAt > 0n !== isOdd) this.#send({ name: "reveal", args: [job, commitment, NONCE], key });
    else this.#send({ name: "commitSealed", args: [job, attempt, sealOf(job, key.address, commitment, NONCE)], key });
  }

  #segment(job: bigint, segment: number, segments: number, worker: Hex): void {
    const key = this.#key(worker);
    if (this.random.below(12) === 0) {
      this.#send({ name: "demandInput", args: [job, 0, 0n], key, value: OGPU });
      return;
    }
    const commitment = this.#commitment(key, segment + 1 === segments);
    this.#send({ name: "commitSegment", args: [job, segment, commitment], key });
  }

  #afterwards(job: bigint, segment: number, client: Hex): void {
    const wish = this.random.below(6);
    if (wish < 3) this.#send({ name: "attestCheckpoint", args: [job, segment], key: this.#key(client) });
    else if (wish === 3) {
      const args = [job, 0, BigInt(this.random.below(1))];
      this.#send({ name: "demandOutput", args, key: this.#pick(CLIENTS), value: OGPU });
    } else if (wish === 4) {
      this.#send({ name: "demandCheckpoint", args: [job, 0, 0n], key: this.#key(client), value: OGPU });
    } else this.#pass(3);
  }

  #verdict(): void {
    const waiting = [...this.chain.verification.requests.keys()].filter((round) => !this.#decided.get(round)?.final);
    if (waiting.length === 0) return;
    this.#decideRound(this.#pick(waiting));
    this.#pass(1);
  }

  #decideRound(round: bigint): void {
    const last = this.#decided.get(round);
    const final = last !== undefined || this.random.below(3) > 0;
    const accepted = this.random.below(10) > 2;
    const guilty = accepted ? "none" : this.#pick(["worker", "worker", "program", "none"] as const);
    const request = this.chain.verification.requests.get(round);
    const programTrapped = guilty === "program" || (accepted && request?.commitment.trap !== undefined);
    // Whoever proves itself wrong, as a client or worker, is paid as well.
    const proven = guilty === "worker" && this.random.below(4) > 0;
    const catcher = proven ? this.#pick([CATCHER, CATCHER, this.#pick(CLIENTS)]).address : undefined;
    const verdict = { final, accepted, guilty, programTrapped, catcher };
    this.chain.verification.decide(round, verdict);
    this.#decided.set(round, { round, job: request?.job ?? 0n, reason: 1, ...verdict });
  }

  #decideAll(): void {
    for (const round of this.chain.verification.requests.keys()) {
      if (!this.#decided.get(round)?.final) this.#decideRound(round);
    }
  }

  #pass(seconds: number): void {
    this.#endBlock(() => this.chain.pass(seconds));
  }

  #send({ name, args, key, value = 0n }: Call): boolean {
    const data = encodeFunctionData({ abi: marketAbi, functionName: name, args } as never);
    const transaction = this.chain.transaction(MARKET_ADDRESS, hexToBytes(data), { key, value });
    const block = this.#endBlock(() => this.chain.block([transaction]));
    const isDone = block.receipts[0]?.succeeded === true;
    if (isDone) this.done.set(name, (this.done.get(name) ?? 0) + 1);
    return isDone;
  }

  /** The bookkeeper hears what hooks said at the beginning before what the transaction said: both are in its order. */
  #endBlock(run: () => ReturnType<MarketChain["block"]>): ReturnType<MarketChain["block"]> {
    const block = run();
    for (const { logs } of block.receipts) {
      for (const { name, args } of eventsOf(AGENDA, logs))
        assert(name !== "Failed", `work that was due: ${args["reason"]}`);
      this.books.read(logs);
    }
    return block;
  }
}
