/** Jobs that are auctioned: posted, bid for, and worked on, by the workers of a market. */
import type { Hex } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import type { Terms } from "../../../vm/modules/market/auction.ts";
import { bidSealOf } from "../../../vm/modules/market/commitment.ts";
import {
  CLIENT,
  MARKET,
  MarketChain,
  type MarketChainOptions,
  NO_CALLBACK,
  NO_REGION,
  NONCE,
  TIER,
  WORKERS,
} from "./market-chain.ts";
import type { TestKey } from "./test-chain.ts";

export const BUDGET: bigint = 4n * OGPU;
export const SEGMENTS = 3;
export const SEAT_FEE: bigint = OGPU / 1_000n;
export const SEATS = 2;
export const LOCK: bigint = BUDGET / 10n;
const [first, second, third] = WORKERS as [TestKey, TestKey, TestKey];
export const FIRST: TestKey = first;
export const SECOND: TestKey = second;
export const THIRD: TestKey = third;

export function terms(chain: MarketChain, change: Record<string, unknown> = {}): Terms {
  return {
    ...{ program: chain.program, budget: BUDGET, segments: SEGMENTS, tier: TIER, seats: SEATS, assurance: 0 },
    ...{ bidSeconds: 5n, jobSeconds: 600n, region: NO_REGION },
    ...change,
  };
}

export function posted(options: MarketChainOptions = {}, change: Record<string, unknown> = {}): [MarketChain, bigint] {
  const chain = new MarketChain(options);
  chain.addWorkers();
  const args = [terms(chain, change), [...chain.inputs()], NO_CALLBACK] as const;
  return [chain, chain.send(MARKET, "postJob", args, { key: CLIENT, value: 10n * OGPU }).result];
}

export interface TestBid {
  readonly key: TestKey;
  readonly price: bigint;
  readonly seconds?: bigint;
  readonly region?: Hex;
}

export function place(
  chain: MarketChain,
  job: bigint,
  { key, price, seconds = 30n, region = NO_REGION }: TestBid,
): void {
  const { attempt } = chain.job(job);
  const seal = bidSealOf(job, attempt, key.address, { price, secondsTaken: seconds, region }, NONCE);
  chain.send(MARKET, "bid", [job, attempt, seal], { key, value: OGPU });
}

export function show(
  chain: MarketChain,
  job: bigint,
  { key, price, seconds = 30n, region = NO_REGION }: TestBid,
): void {
  chain.send(MARKET, "revealBid", [job, price, seconds, region, NONCE], { key });
}

/** All bid and reveal; the best of them is at work. */
export function awarded(chain: MarketChain, job: bigint, bids: readonly TestBid[]): void {
  for (const bid of bids) place(chain, job, bid);
  chain.pass(5);
  for (const bid of bids) show(chain, job, bid);
}

export const TWO_BIDS: readonly TestBid[] = [
  { key: FIRST, price: 3n * OGPU },
  { key: SECOND, price: 2n * OGPU },
];

/** The second worker has the job, for 2 oGPU. */
export function working(options: MarketChainOptions = {}, change: Record<string, unknown> = {}): [MarketChain, bigint] {
  const [chain, job] = posted(options, change);
  awarded(chain, job, TWO_BIDS);
  return [chain, job];
}

export function commit(chain: MarketChain, job: bigint, key: TestKey): void {
  const { segment, segments } = chain.job(job);
  chain.send(MARKET, "commitSegment", [job, segment, chain.commitment(segment, segment + 1 === segments)], { key });
}

/** Committed, found true for good, and attested. */
export function complete(chain: MarketChain, job: bigint, key: TestKey): void {
  const { segment, segments } = chain.job(job);
  commit(chain, job, key);
  chain.decide(job);
  if (segment + 1 < segments) chain.send(MARKET, "attestCheckpoint", [job, segment], { key: CLIENT });
}
