import { describe, expect, it } from "vitest";
import { OGPU } from "../../../base/units.ts";
import { bidSealOf } from "../../../vm/modules/market/commitment.ts";
import {
  commit,
  FIRST,
  LOCK,
  place,
  posted,
  SECOND,
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
  NO_REGION,
  NONCE,
  OWNER,
  PROVIDERS,
  word,
} from "../support/market-chain.ts";
import type { TestKey } from "../support/test-chain.ts";

describe("a bidder", () => {
  it("has a device of the tier, bids once, and reveals what it sealed in its time", () => {
    const [chain, job] = posted({ parameters: { market: { maxBids: 2n } } }, { bidSeconds: 20n });
    const bid = (key: TestKey, value = OGPU) => chain.revertOf(MARKET, "bid", [job, 1n, word(1)], { key, value });
    const reveal = (key: TestKey, price = 3n * OGPU) =>
      chain.revertOf(MARKET, "revealBid", [job, price, 30n, NO_REGION, NONCE], { key });
    expect(bid(OWNER)).toMatchObject({ name: "NotAvailable" });
    chain.send(PROVIDERS, "register", ["empty", ""], { key: OWNER, value: COLLATERAL });
    expect(bid(OWNER)).toMatchObject({ name: "NoDevice" });
    expect(bid(FIRST, LOCK - 1n)).toEqual({ name: "NotEnoughSent", args: [LOCK - 1n, LOCK] });
    expect(chain.revertOf(MARKET, "bid", [job, 1n, word(0)], { key: FIRST, value: OGPU })).toMatchObject({
      name: "BadCommitment",
    });
    place(chain, job, TWO_BIDS[0] as TestBid);
    expect(bid(FIRST)).toMatchObject({ name: "AlreadyDone" });
    expect(reveal(FIRST)).toMatchObject({ name: "WrongStatus" });
    place(chain, job, TWO_BIDS[1] as TestBid);
    chain.pass(20);
    expect(bid(THIRD)).toMatchObject({ name: "WrongStatus" });
    expect(reveal(THIRD)).toMatchObject({ name: "NoSeal" });
    expect(reveal(FIRST, OGPU)).toMatchObject({ name: "SealMismatch" });
    expect(reveal(FIRST, 0n)).toMatchObject({ name: "OutOfRange" });
    show(chain, job, TWO_BIDS[0] as TestBid);
    expect(reveal(FIRST)).toMatchObject({ name: "AlreadyDone" });
    expect(chain.view(MARKET, "bidsOf", [job])).toMatchObject([
      { revealed: true, price: 3n * OGPU, secondsTaken: 30n, lock: LOCK },
      { revealed: false, price: 0n, score: 0n, lock: LOCK },
    ]);
    const other = new MarketChain({ parameters: { market: { maxBids: 1n } } });
    other.addWorkers();
    const args = [terms(other), [...other.inputs()], NO_CALLBACK] as const;
    const second = other.send(MARKET, "postJob", args, { key: CLIENT, value: 10n * OGPU }).result;
    place(other, second, TWO_BIDS[0] as TestBid);
    expect(other.revertOf(MARKET, "bid", [second, 1n, word(1)], { key: THIRD, value: OGPU })).toEqual({
      name: "Full",
      args: [1n],
    });
  });

  it("that meant an auction which nobody bid in does not bid in the next one, where it could not reveal", () => {
    const [chain, job] = posted();
    const bid = { price: 2n * OGPU, secondsTaken: 30n, region: NO_REGION };
    const seal = (attempt: bigint) => bidSealOf(job, attempt, FIRST.address, bid, NONCE);
    // Its block is the one in which the next auction begins.
    const late = chain.call(MARKET, "bid", [job, 1n, seal(1n)], { key: FIRST, value: OGPU });
    expect(chain.block([late], { seconds: 5 }).receipts[0]?.succeeded).toBe(false);
    expect(chain.job(job)).toMatchObject({ status: 1, reason: 5, attempt: 2n });
    const stale = chain.revertOf(MARKET, "bid", [job, 1n, seal(1n)], { key: FIRST, value: OGPU });
    expect(stale).toEqual({ name: "WrongAttempt", args: [job, 2n] });
    expect(chain.lock(FIRST)[1]).toBe(0n);
    chain.send(MARKET, "bid", [job, 2n, seal(2n)], { key: FIRST, value: OGPU });
    chain.pass(5);
    chain.send(MARKET, "revealBid", [job, bid.price, bid.secondsTaken, bid.region, NONCE], { key: FIRST });
    expect(chain.job(job)).toMatchObject({ status: 3, attempt: 2n });
  });

  it("that won commits the segment that is next, as its worker, in time", () => {
    const [chain, job] = working();
    const commitment = chain.commitment(0, false);
    const send = (segment: number, key: TestKey, what = commitment) =>
      chain.revertOf(MARKET, "commitSegment", [job, segment, what], { key });
    expect(send(0, FIRST)).toMatchObject({ name: "NotWorker" });
    expect(send(1, SECOND)).toEqual({ name: "WrongSegment", args: [1, 0] });
    expect(send(0, SECOND, chain.commitment(0))).toMatchObject({ name: "WrongCount" });
    expect(send(0, SECOND, { ...commitment, traps: true, trapLaunch: 2 })).toMatchObject({ name: "BadCommitment" });
    commit(chain, job, SECOND);
    expect(send(0, SECOND)).toMatchObject({ name: "WrongStatus" });
    expect(chain.revertOf(MARKET, "commitSealed", [job, 1n, word(1)], { key: SECOND })).toMatchObject({
      name: "NotATask",
    });
  });
});
