import { describe, expect, it } from "vitest";
import { MEMPOOL_LIMITS, type MempoolLimits } from "../../../chain/mempool/limits.ts";
import { Mempool } from "../../../chain/mempool/mempool.ts";
import { codeOf } from "../../base/support/code-of.ts";
import { addressOf, hashOf, named, type Offer, offered } from "./support/offer.ts";

const RICH = { nonce: 0n, balance: 10n ** 18n };
const AT_ZERO = (): bigint => 0n;
const BASE_FEE = 50n;
const HONEST = 1;

function poolOf(limits: Partial<MempoolLimits>): Mempool {
  const pool = new Mempool({ ...MEMPOOL_LIMITS, ...limits });
  pool.hasReady(BASE_FEE, AT_ZERO);
  return pool;
}

function add(pool: Mempool, offer: Offer, account = RICH): string | undefined {
  return codeOf(() => pool.add(offered(offer), account, 0));
}

function count(pool: Mempool, sender: number): number {
  return [...pool.entries()].filter((entry) => entry.sender === addressOf(sender)).length;
}

function block(pool: Mempool, maxCount: number): string[] {
  return named(pool.select({ baseFee: BASE_FEE, gasLimit: 10n ** 9n, maxBytes: 10 ** 9, maxCount, nonceOf: AT_ZERO }));
}

describe("spam from many senders", () => {
  it("displaces nobody who pays more, and is displaced by whoever does", () => {
    const pool = poolOf({ transactions: 100 });
    for (let nonce = 0; nonce < 10; nonce++) add(pool, { sender: HONEST, nonce, tip: 10 });
    for (let sender = 100; sender < 1_100; sender++) add(pool, { sender, nonce: 0, tip: 9 });
    expect([pool.size, count(pool, HONEST)]).toEqual([100, 10]);
    expect(block(pool, 10).every((name) => name.startsWith(`${HONEST}:`))).toBe(true);
    expect(add(pool, { sender: 2, nonce: 0, tip: 10 })).toBeUndefined();
    expect(add(pool, { sender: 3, nonce: 0, tip: 9 })).toBe("MEMPOOL_FULL");
  });

  it("that cannot pay the base fee goes before all that can, whatever tip it promises", () => {
    const pool = poolOf({ transactions: 100 });
    for (let sender = 100; sender < 200; sender++) add(pool, { sender, nonce: 0, maxFee: 49, tip: 49 });
    for (let nonce = 0; nonce < 100; nonce++)
      expect(add(pool, { sender: HONEST, nonce, maxFee: 50, tip: 0 })).toBeUndefined();
    expect(count(pool, HONEST)).toBe(100);
  });

  it("pushes out the newest of equals last of all: a full pool does not churn", () => {
    const pool = poolOf({ transactions: 10 });
    for (let sender = 1; sender <= 30; sender++) {
      expect(add(pool, { sender, nonce: 0 })).toBe(sender <= 10 ? undefined : "MEMPOOL_FULL");
    }
    expect(named(pool.entries())[0]).toBe("1:0");
  });
});

describe("nonce gaps", () => {
  it("let nobody keep transactions that can never run in the place of those that can, whatever they offer", () => {
    const pool = poolOf({ transactions: 100 });
    for (let sender = 100; sender < 200; sender++) add(pool, { sender, nonce: 1, maxFee: 10_000, tip: 9_000 });
    expect([pool.size, pool.readySize]).toEqual([100, 0]);
    for (let nonce = 0; nonce < 100; nonce++) expect(add(pool, { sender: HONEST, nonce, tip: 1 })).toBeUndefined();
    expect(count(pool, HONEST)).toBe(100);
    expect(add(pool, { sender: 300, nonce: 1, maxFee: 10_000, tip: 9_000 })).toBe("MEMPOOL_FULL");
  });

  it("are never made by eviction: of each sender the last goes first", () => {
    const pool = poolOf({ transactions: 20 });
    for (let nonce = 0; nonce < 20; nonce++) add(pool, { sender: 2, nonce, tip: nonce % 3 });
    for (let i = 1; i <= 15; i++) {
      add(pool, { sender: 100 + i, nonce: 0, tip: 20 });
      expect(count(pool, 2)).toBe(20 - i);
      expect(pool.nextNonce(addressOf(2), 0n)).toBe(BigInt(20 - i));
    }
  });
});

describe("one costly transaction behind worthless ones", () => {
  it("does not protect them: it is worth no more than the cheapest before it", () => {
    const pool = poolOf({ transactions: 50 });
    for (let nonce = 0; nonce < 49; nonce++) add(pool, { sender: 2, nonce, maxFee: 10, tip: 0 });
    add(pool, { sender: 2, nonce: 49, maxFee: 10_000, tip: 9_000 });
    for (let nonce = 0; nonce < 50; nonce++) expect(add(pool, { sender: HONEST, nonce, tip: 1 })).toBeUndefined();
    expect([count(pool, HONEST), count(pool, 2)]).toEqual([50, 0]);
  });
});

describe("money that is not there", () => {
  it("buys no place: what the balance does not cover together goes first", () => {
    const pool = poolOf({ transactions: 60 });
    const poor = { nonce: 0n, balance: 3_000_000n };
    for (let nonce = 0; nonce < 60; nonce++) add(pool, { sender: 2, nonce, tip: 40 }, poor);
    expect([pool.size, pool.readySize]).toEqual([60, 1]);
    for (let nonce = 0; nonce < 59; nonce++) expect(add(pool, { sender: HONEST, nonce, tip: 1 })).toBeUndefined();
    expect([count(pool, HONEST), count(pool, 2)]).toEqual([59, 1]);
  });

  it("holds back the rest when a replacement of the first spends it, and that goes first from then on", () => {
    const pool = poolOf({ transactions: 40 });
    const account = { nonce: 0n, balance: 100_000_000n };
    for (let nonce = 0; nonce < 40; nonce++) add(pool, { sender: 2, nonce, tip: 20 }, account);
    expect(pool.readySize).toBe(40);
    const drain = { sender: 2, nonce: 0, maxFee: 110, tip: 22, value: 97_000_000 };
    expect(add(pool, drain, account)).toBeUndefined();
    expect(pool.readySize).toBe(1);
    for (let nonce = 0; nonce < 39; nonce++) expect(add(pool, { sender: HONEST, nonce, tip: 1 })).toBeUndefined();
    expect([count(pool, HONEST), pool.has(hashOf(offered(drain)))]).toEqual([39, true]);
  });
});

describe("replacement spam", () => {
  it("costs a tenth more each time, so that it ends at what the sender has", () => {
    const pool = poolOf({});
    const account = { nonce: 0n, balance: 21_000n * 1_000_000n };
    let fee = 100;
    let accepted = 0;
    for (; add(pool, { sender: 2, nonce: 0, maxFee: fee, tip: fee }, account) === undefined; accepted++) {
      expect(add(pool, { sender: 2, nonce: 0, maxFee: fee + 1, tip: fee + 1 }, account)).toBe("MEMPOOL_UNDERPRICED");
      fee = Math.ceil(fee * 1.1);
    }
    expect(fee).toBeGreaterThan(1_000_000);
    expect(accepted).toBeLessThan(100);
    expect(pool.size).toBe(1);
  });

  it("by transactions without any tip is no way around the tenth: the maximal fee must rise too", () => {
    const pool = poolOf({});
    add(pool, { sender: 2, nonce: 0, maxFee: 100, tip: 0 });
    expect(add(pool, { sender: 2, nonce: 0, maxFee: 109, tip: 0 })).toBe("MEMPOOL_UNDERPRICED");
    expect(add(pool, { sender: 2, nonce: 0, maxFee: 110, tip: 0 })).toBeUndefined();
  });
});

describe("one large transaction in the place of many small ones", () => {
  it("is refused when more would have to go than one may push out", () => {
    const pool = poolOf({ bytes: 10_000, victims: 5 });
    for (let sender = 100; sender < 200; sender++) add(pool, { sender, nonce: 0, tip: 1 });
    expect(add(pool, { sender: 2, nonce: 0, tip: 40, bytes: 501 })).toBe("MEMPOOL_FULL");
    expect(pool.size).toBe(100);
    expect(add(pool, { sender: 2, nonce: 0, tip: 40, bytes: 500 })).toBeUndefined();
    expect([pool.size, pool.bytes]).toEqual([96, 10_000]);
  });

  it("is refused without anybody having gone when it is worth less than the last one in its way", () => {
    const pool = poolOf({ bytes: 1_000 });
    for (let sender = 100; sender < 110; sender++) add(pool, { sender, nonce: 0, tip: sender - 100 });
    const before = named(pool.entries());
    expect(add(pool, { sender: 2, nonce: 0, tip: 5, bytes: 800 })).toBe("MEMPOOL_FULL");
    expect(named(pool.entries())).toEqual(before);
  });
});

describe("a sender with ten thousand transactions", () => {
  it("has as many as one may, leaves others their turns, and is gone in one block", () => {
    const pool = poolOf({});
    for (let nonce = 0; nonce < 10_000; nonce++) add(pool, { sender: 2, nonce, tip: 10 });
    expect(add(pool, { sender: 2, nonce: 10_000 })).toBe("MEMPOOL_SENDER_FULL");
    expect(add(pool, { sender: HONEST, nonce: 0, tip: 11 })).toBeUndefined();
    expect(block(pool, 2)).toEqual([`${HONEST}:0`, "2:0"]);
    pool.onBlock([], () => ({ ...RICH, nonce: 10_000n }), 0, [addressOf(2)]);
    expect([pool.size, pool.readySize, pool.senders]).toEqual([1, 1, 1]);
  });
});
