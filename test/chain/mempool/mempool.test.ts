import { describe, expect, it } from "vitest";
import { MEMPOOL_LIMITS, type MempoolLimits } from "../../../chain/mempool/limits.ts";
import { Mempool } from "../../../chain/mempool/mempool.ts";
import type { RecoveredTransaction } from "../../../vm/execution/execute-block.ts";
import type { Address } from "../../../vm/state/account.ts";
import { codeOf } from "../../base/support/code-of.ts";
import { addressOf, hashOf, named, type Offer, offered } from "./support/offer.ts";

const RICH = { nonce: 0n, balance: 10n ** 18n };
const AT_ZERO = (): bigint => 0n;

function poolOf(limits: Partial<MempoolLimits> = {}, ...offers: readonly Offer[]): Mempool {
  const pool = new Mempool({ ...MEMPOOL_LIMITS, ...limits });
  for (const offer of offers) pool.add(offered(offer), RICH, 0);
  return pool;
}

function select(pool: Mempool, options: Partial<Parameters<Mempool["select"]>[0]> = {}): RecoveredTransaction[] {
  return pool.select({
    baseFee: 50n,
    gasLimit: 10n ** 9n,
    maxBytes: 10 ** 9,
    maxCount: 10 ** 6,
    nonceOf: AT_ZERO,
    ...options,
  });
}

describe("Mempool.select", () => {
  it("takes the highest effective tip first, and of two that are equal the one that came first", () => {
    const pool = poolOf(
      {},
      { sender: 1, nonce: 0, tip: 10 },
      { sender: 2, nonce: 0, tip: 20 },
      { sender: 3, nonce: 0, tip: 20 },
      { sender: 4, nonce: 0, maxFee: 65, tip: 60 },
    );
    expect(named(select(pool))).toEqual(["2:0", "3:0", "4:0", "1:0"]);
    expect(named(select(pool, { baseFee: 30n }))).toEqual(["4:0", "2:0", "3:0", "1:0"]);
  });

  it("keeps each sender's nonces in their order, whatever they pay and whenever they came", () => {
    const pool = poolOf(
      {},
      { sender: 1, nonce: 1, tip: 40 },
      { sender: 1, nonce: 0, tip: 5 },
      { sender: 2, nonce: 0, tip: 10 },
      { sender: 1, nonce: 2, tip: 1 },
    );
    expect(named(select(pool))).toEqual(["2:0", "1:0", "1:1", "1:2"]);
  });

  it("leaves out what cannot pay the base fee, and what comes after it of the same sender", () => {
    const pool = poolOf(
      {},
      { sender: 1, nonce: 0 },
      { sender: 1, nonce: 1, maxFee: 60 },
      { sender: 1, nonce: 2 },
      { sender: 2, nonce: 0, maxFee: 60 },
    );
    expect(named(select(pool, { baseFee: 61n }))).toEqual(["1:0"]);
    expect(select(pool, { baseFee: 60n })).toHaveLength(4);
    expect(pool.hasReady(100n, AT_ZERO)).toBe(true);
    expect(pool.hasReady(101n, AT_ZERO)).toBe(false);
  });

  it("takes smaller ones when one does not fit, but not what comes after that one of the same sender", () => {
    const pool = poolOf(
      {},
      { sender: 1, nonce: 0, gas: 90_000, tip: 20 },
      { sender: 1, nonce: 1, tip: 20 },
      { sender: 2, nonce: 0 },
      { sender: 3, nonce: 0, bytes: 500 },
      { sender: 4, nonce: 0 },
    );
    expect(named(select(pool, { gasLimit: 50_000n }))).toEqual(["2:0", "3:0"]);
    expect(named(select(pool, { maxBytes: 400 }))).toEqual(["1:0", "1:1", "2:0", "4:0"]);
    expect(named(select(pool, { maxCount: 2 }))).toEqual(["1:0", "1:1"]);
  });

  it("goes on after what is in blocks that are not final yet, without forgetting that", () => {
    const pool = poolOf({}, { sender: 1, nonce: 0 }, { sender: 1, nonce: 1 }, { sender: 2, nonce: 0 });
    const nonceOf = (): bigint => 1n;
    expect(named(select(pool, { nonceOf }))).toEqual(["1:1"]);
    expect(pool.hasReady(50n, nonceOf)).toBe(true);
    expect(pool.hasReady(50n, () => 2n)).toBe(false);
    expect(select(pool)).toHaveLength(3);
  });

  it("changes nothing", () => {
    const pool = poolOf({}, { sender: 1, nonce: 0 }, { sender: 2, nonce: 0, tip: 20 }, { sender: 2, nonce: 1 });
    expect(select(pool)).toEqual(select(pool));
    expect([pool.size, pool.bytes, pool.readySize]).toEqual([3, 300, 3]);
  });
});

describe("Mempool.add", () => {
  it("refuses what waits already, used nonces, nonces too far ahead, and what the sender cannot pay", () => {
    const pool = poolOf({ noncesBeyondReady: 2 }, { sender: 1, nonce: 0 }, { sender: 1, nonce: 1 });
    const add = (offer: Offer, account = RICH): string | undefined =>
      codeOf(() => pool.add(offered(offer), account, 0));
    expect(add({ sender: 1, nonce: 0 })).toBe("MEMPOOL_KNOWN");
    expect(add({ sender: 2, nonce: 4 }, { ...RICH, nonce: 5n })).toBe("MEMPOOL_NONCE_TOO_LOW");
    expect(add({ sender: 1, nonce: 5 })).toBe("MEMPOOL_NONCE_TOO_FAR");
    expect(add({ sender: 1, nonce: 4 })).toBeUndefined();
    expect(add({ sender: 2, nonce: 0 }, { nonce: 0n, balance: 2_099_999n })).toBe("MEMPOOL_INSUFFICIENT_FUNDS");
    expect(add({ sender: 2, nonce: 0 }, { nonce: 0n, balance: 2_100_000n })).toBeUndefined();
  });

  it("limits what one sender has waiting, in number and in bytes", () => {
    const pool = poolOf({ senderTransactions: 3, senderBytes: 350 }, { sender: 1, nonce: 0 }, { sender: 1, nonce: 1 });
    expect(codeOf(() => pool.add(offered({ sender: 1, nonce: 2, bytes: 151 }), RICH, 0))).toBe("MEMPOOL_SENDER_FULL");
    pool.add(offered({ sender: 1, nonce: 2, bytes: 50 }), RICH, 0);
    expect(codeOf(() => pool.add(offered({ sender: 1, nonce: 3, bytes: 50 }), RICH, 0))).toBe("MEMPOOL_SENDER_FULL");
    pool.add(offered({ sender: 2, nonce: 0 }), RICH, 0);
  });

  it.each([
    ["a tenth more of both fees", { maxFee: 110, tip: 11 }, true],
    ["less than a tenth more of the maximal fee", { maxFee: 109, tip: 11 }, false],
    ["less than a tenth more of the tip", { maxFee: 110, tip: 10 }, false],
  ])("with %s, lets a transaction replace the one that waits with its nonce: %o %s", (_what, fees, isReplaced) => {
    const pool = poolOf({ transactions: 1, bytes: 120 }, { sender: 1, nonce: 0 });
    const old = offered({ sender: 1, nonce: 0 });
    const other = offered({ sender: 1, nonce: 0, ...fees, bytes: 120 });
    expect(codeOf(() => pool.add(other, RICH, 0))).toBe(isReplaced ? undefined : "MEMPOOL_UNDERPRICED");
    expect(select(pool)).toEqual([isReplaced ? other : old]);
    expect([pool.has(hashOf(old)), pool.get(hashOf(other))]).toEqual([!isReplaced, isReplaced ? other : undefined]);
    expect([pool.size, pool.bytes]).toEqual([1, isReplaced ? 120 : 100]);
  });

  it("keeps what was there when its replacement finds no room", () => {
    const pool = poolOf({ bytes: 300 }, { sender: 1, nonce: 0 }, { sender: 2, nonce: 0, tip: 50 });
    const larger = offered({ sender: 1, nonce: 0, maxFee: 110, tip: 11, bytes: 250 });
    expect(codeOf(() => pool.add(larger, RICH, 0))).toBe("MEMPOOL_FULL");
    expect(named(select(pool))).toEqual(["2:0", "1:0"]);
    expect([pool.size, pool.bytes, pool.readySize]).toEqual([2, 200, 2]);
  });

  it("lets a larger replacement push out what comes after it of the same sender, but not the other way round", () => {
    const pool = poolOf({ bytes: 200 }, { sender: 1, nonce: 0, tip: 0 }, { sender: 1, nonce: 1, tip: 0 });
    const last = offered({ sender: 1, nonce: 1, tip: 0, maxFee: 110, bytes: 150 });
    expect(codeOf(() => pool.add(last, RICH, 0))).toBe("MEMPOOL_FULL");
    const first = offered({ sender: 1, nonce: 0, tip: 0, maxFee: 110, bytes: 150 });
    pool.add(first, RICH, 0);
    expect(select(pool)).toEqual([first]);
    expect(pool.bytes).toBe(150);
  });

  it("holds back what the balance does not cover together with what comes before it", () => {
    const pool = new Mempool({ ...MEMPOOL_LIMITS, noncesBeyondReady: 2 });
    const account = { nonce: 0n, balance: 5_000_000n };
    for (const nonce of [0, 1, 2, 3, 4]) {
      const code = codeOf(() => pool.add(offered({ sender: 1, nonce }), account, 0));
      // 2,100,000 each: two are covered, the third is the first that is not, and two may wait beyond it.
      expect(code).toBe(undefined);
    }
    expect(codeOf(() => pool.add(offered({ sender: 1, nonce: 5 }), account, 0))).toBe("MEMPOOL_INSUFFICIENT_FUNDS");
    expect([pool.size, pool.readySize]).toEqual([5, 2]);
    pool.onBlock([], () => ({ nonce: 0n, balance: 8_400_000n }), 0, [addressOf(1)]);
    expect(named(select(pool))).toEqual(["1:0", "1:1", "1:2", "1:3"]);
  });
});

describe("Mempool.onBlock", () => {
  it("forgets used nonces, by whichever transaction, and follows the balances of senders and recipients", () => {
    const pool = poolOf({}, { sender: 1, nonce: 0 }, { sender: 1, nonce: 1 }, { sender: 2, nonce: 0 });
    const included = [offered({ sender: 1, nonce: 0, value: 7, to: 2 })];
    const accounts = new Map([
      [addressOf(1), { nonce: 1n, balance: 10n ** 18n }],
      [addressOf(2), { nonce: 0n, balance: 0n }],
    ]);
    pool.onBlock(included, (address) => accounts.get(address), 1);
    expect([pool.size, pool.readySize]).toEqual([2, 1]);
    expect(named(select(pool, { nonceOf: (sender) => accounts.get(sender)?.nonce ?? 0n }))).toEqual(["1:1"]);
    expect(pool.nextNonce(addressOf(1), 1n)).toBe(2n);
  });

  it("is asked only about accounts that have something waiting", () => {
    const pool = poolOf({}, { sender: 1, nonce: 0 });
    const asked: Address[] = [];
    const accountOf = (address: Address) => {
      asked.push(address);
      return RICH;
    };
    pool.onBlock([offered({ sender: 5, nonce: 0, to: 6 })], accountOf, 0, [addressOf(7), addressOf(1)]);
    expect(asked).toEqual([addressOf(1)]);
  });
});

describe("Mempool.expire", () => {
  it("drops what has waited for its lifetime, counted from a replacement anew", () => {
    const pool = new Mempool({ ...MEMPOOL_LIMITS, lifetimeMilliseconds: 100 });
    pool.add(offered({ sender: 1, nonce: 0 }), RICH, 0);
    pool.add(offered({ sender: 2, nonce: 0 }), RICH, 10);
    pool.add(offered({ sender: 1, nonce: 0, maxFee: 200, tip: 20 }), RICH, 50);
    expect(pool.expire(109)).toEqual([]);
    expect(pool.expire(110)).toEqual([hashOf(offered({ sender: 2, nonce: 0 }))]);
    expect(named(pool.entries())).toEqual(["1:0"]);
    expect(pool.expire(1_000)).toHaveLength(1);
    expect([pool.size, pool.bytes, pool.readySize, pool.senders]).toEqual([0, 0, 0, 0]);
  });

  it("makes nobody older when the clock is set back", () => {
    const pool = new Mempool({ ...MEMPOOL_LIMITS, lifetimeMilliseconds: 100 });
    pool.add(offered({ sender: 1, nonce: 0 }), RICH, 1_000);
    pool.add(offered({ sender: 2, nonce: 0 }), RICH, 500);
    expect(pool.expire(1_099)).toEqual([]);
    expect(pool.expire(1_100)).toHaveLength(2);
  });
});
