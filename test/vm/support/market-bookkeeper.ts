/**
 * What each job should have cost, from the logs alone: what its client brought and others lost for it is what workers,
 * verifiers and the client got. It knows none of the market's slots.
 */
import { assert } from "../../../base/errors.ts";
import type { Log } from "../../../vm/receipt/log.ts";
import { type DecodedEvent, eventsOf } from "./economy-chain.ts";
import { MARKET, PROVIDERS } from "./market-chain.ts";

const WHOLE = 1_000_000n;
const TERMINAL = [6, 7, 8, 9];
const WRONG = 10;

interface Account {
  /** What is held for the job. */
  held: bigint;
  tip: bigint;
  burned: bigint;
  minted: bigint;
  status: number;
}

export class MarketBookkeeper {
  readonly jobs: Map<bigint, Account> = new Map();
  /** Why jobs came where they did, penalties included. */
  readonly reasons: Set<number> = new Set();
  /** Of demands that wait for an answer. */
  bonds = 0n;
  readonly #seatCost: (job: bigint) => bigint;
  /** What each was paid for proving workers wrong. */
  readonly caught: Map<string, bigint> = new Map();
  readonly #victimShare: bigint;
  readonly #catcherShare: bigint;
  readonly #bond: bigint;
  /** Collateral taken since the last penalty was told. */
  #slashed = 0n;
  /** The last penalty, until its catcher is told. */
  #penalty: DecodedEvent["args"] | undefined;

  constructor(options: {
    seatCost: (job: bigint) => bigint;
    victimShare: bigint;
    catcherShare: bigint;
    bond: bigint;
  }) {
    this.#seatCost = options.seatCost;
    this.#victimShare = options.victimShare;
    this.#catcherShare = options.catcherShare;
    this.#bond = options.bond;
  }

  /** All that the market should hold. */
  get held(): bigint {
    return [...this.jobs.values()].reduce((sum, { held, tip }) => sum + held + tip, this.bonds);
  }

  /** A tip that came with a job, which no event tells. */
  addTip(job: bigint, tip: bigint): void {
    this.#account(job).tip += tip;
  }

  raise(job: bigint, amount: bigint): void {
    this.#account(job).held += amount;
  }

  read(logs: readonly Log[]): void {
    for (const log of logs) {
      for (const event of eventsOf(PROVIDERS, [log])) this.#ofProviders(event);
      for (const event of eventsOf(MARKET, [log])) this.#ofMarket(event);
    }
  }

  /** What must hold of every job after every block. */
  check(): void {
    for (const [job, { held, minted, burned, status }] of this.jobs) {
      assert(held >= 0n, `job ${job} never spends more than it has`);
      assert(minted <= burned, `for job ${job} no more is minted than was burned`);
      assert(!TERMINAL.includes(status) || held === 0n, `job ${job} is over and holds nothing`);
    }
  }

  get open(): readonly bigint[] {
    return [...this.jobs].filter(([, { status }]) => !TERMINAL.includes(status)).map(([job]) => job);
  }

  #account(job: bigint): Account {
    let account = this.jobs.get(job);
    if (account === undefined) {
      account = { held: 0n, tip: 0n, burned: 0n, minted: 0n, status: 0 };
      this.jobs.set(job, account);
    }
    return account;
  }

  #ofProviders({ name, args }: DecodedEvent): void {
    if (name === "Slashed") this.#slashed += args["amount"] as bigint;
  }

  #ofMarket({ name, args }: DecodedEvent): void {
    const amount = (field: string): bigint => args[field] as bigint;
    if (name === "Demanded") this.bonds += this.#bond;
    if (name === "Answered" || name === "Withheld") this.bonds -= this.#bond;
    if ("reason" in args) this.reasons.add(args["reason"] as number);
    if (!("job" in args)) return;
    const account = this.#account(amount("job"));
    if (name === "JobChanged") {
      // What hooks told when the block began comes behind what its transactions told: what is over stays over.
      if (!TERMINAL.includes(account.status)) account.status = args["status"] as number;
      // A worker that was only late loses the gap, and no penalty follows if its lock was empty.
      account.held += this.#slashed;
      this.#slashed = 0n;
    }
    if (name === "TaskSubmitted") account.held += amount("price") + amount("verification");
    if (name === "JobPosted") account.held += amount("budget") + amount("verification");
    if (name === "RoundBegun") account.held -= this.#seatCost(amount("job"));
    if (name === "Refunded") account.held -= amount("amount");
    if (name === "Delivered") account.tip -= amount("tip");
    if (name === "Punished") this.#punished(account, args);
    if (name === "CatcherPaid") this.#catcherPaid(args);
    if (name === "SegmentPaid") {
      assert(amount("price") === amount("earned") + amount("burned") + amount("treasury"), "a payment has its parts");
      account.held -= amount("price");
      account.burned += amount("burned");
      account.minted += amount("minted");
    }
  }

  /** Of collateral: the gap to the next bid is the job's, and the client's part of the rest. */
  #punished(account: Account, args: DecodedEvent["args"]): void {
    const fromCollateral = args["fromCollateral"] as bigint;
    const gap = this.#slashed - fromCollateral;
    assert(gap >= 0n, "a penalty is of collateral that was taken");
    account.held += gap + (fromCollateral * this.#victimShare) / WHOLE;
    this.#slashed = 0n;
    this.#penalty = args;
  }

  /** Once for a penalty for a false result, of lock and collateral alike; what the job holds has no part in it. */
  #catcherPaid(args: DecodedEvent["args"]): void {
    const { job, account, reason, fromLock, fromCollateral } = this.#penalty ?? {};
    assert(job === args["job"] && account === args["worker"], "a catcher is paid out of the penalty told before");
    assert(reason === WRONG, "nobody is caught being late");
    const share = (amount: bigint): bigint => (amount * this.#catcherShare) / WHOLE;
    const amount = share(fromLock as bigint) + share(fromCollateral as bigint);
    assert(args["amount"] === amount, "a catcher gets its share");
    const catcher = (args["catcher"] as string).toLowerCase();
    this.caught.set(catcher, (this.caught.get(catcher) ?? 0n) + amount);
    this.#penalty = undefined;
  }
}
