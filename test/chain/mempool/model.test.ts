import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isCoded } from "../../../base/errors.ts";
import { MEMPOOL_LIMITS, type MempoolLimits } from "../../../chain/mempool/limits.ts";
import { Mempool } from "../../../chain/mempool/mempool.ts";
import type { RecoveredTransaction } from "../../../vm/execution/execute-block.ts";
import type { Address } from "../../../vm/state/account.ts";
import { NaivePool } from "./support/naive-pool.ts";
import { addressOf, hashOf, type Offer, offered } from "./support/offer.ts";

const SENDERS = [1, 2, 3, 4, 5];

/** So small that every limit is met all the time. */
const SMALL: MempoolLimits = {
  ...MEMPOOL_LIMITS,
  transactions: 12,
  bytes: 1_400,
  senderTransactions: 6,
  senderBytes: 700,
  noncesBeyondReady: 3,
  victims: 2,
  misfits: 1,
  lifetimeMilliseconds: 40,
};

/** The chain outside of the pool, which both pools are told the same about. */
class World {
  readonly limits: MempoolLimits;
  readonly pool: Mempool;
  readonly accounts = new Map<Address, { nonce: bigint; balance: bigint }>();
  now = 0;
  baseFee = 50n;
  seen: RecoveredTransaction[] = [];
  /** In blocks that are not final, per sender. A new function for each state, as the pool wants it. */
  nonceOf: (sender: Address) => bigint = () => 0n;

  constructor(limits: MempoolLimits) {
    this.limits = limits;
    this.pool = new Mempool(limits);
    for (const sender of SENDERS) this.accounts.set(addressOf(sender), { nonce: 0n, balance: 40_000_000n });
    this.setTip(SENDERS.map(() => 0));
  }

  account(address: Address): { nonce: bigint; balance: bigint } {
    return this.accounts.get(address) ?? { nonce: 0n, balance: 0n };
  }

  setTip(ahead: readonly number[]): void {
    const nonces = new Map(
      SENDERS.map((sender, i) => [addressOf(sender), this.account(addressOf(sender)).nonce + BigInt(ahead[i] ?? 0)]),
    );
    this.nonceOf = (sender) => nonces.get(sender) ?? 0n;
  }
}

type Command = fc.Command<NaivePool, World>;

function command(name: string, run: (model: NaivePool, world: World) => void): Command {
  return {
    check: () => true,
    run: (model, world) => {
      run(model, world);
      compare(model, world);
    },
    toString: () => name,
  };
}

function compare(model: NaivePool, world: World): void {
  const { pool, baseFee, nonceOf } = world;
  expect([...pool.entries()].map(hashOf)).toEqual(model.guests.map(({ entry }) => hashOf(entry)));
  expect([pool.size, pool.bytes, pool.readySize, pool.senders]).toEqual([
    model.guests.length,
    model.bytes,
    model.readySize,
    model.senders.length,
  ]);
  for (const sender of SENDERS.map(addressOf)) {
    const { nonce } = world.account(sender);
    expect(pool.nextNonce(sender, nonce)).toBe(model.nextNonce(sender, nonce));
    expect(pool.nextNonce(sender, nonce + 2n)).toBe(model.nextNonce(sender, nonce + 2n));
  }
  const first = { baseFee, gasLimit: 10n ** 9n, maxBytes: 10 ** 9, maxCount: 1, nonceOf };
  expect(pool.hasReady(baseFee, nonceOf)).toBe(model.select(first).length > 0);
  const all = { ...first, maxCount: 1_000 };
  expect(pool.select(all).map(hashOf)).toEqual(model.select(all).map(hashOf));
}

const offers: fc.Arbitrary<Offer> = fc.record({
  sender: fc.constantFrom(...SENDERS),
  nonce: fc.nat(8),
  maxFee: fc.constantFrom(45, 50, 55, 61, 70, 77, 100, 110),
  tip: fc.constantFrom(0, 0, 10, 11, 13, 20, 22),
  gas: fc.constantFrom(21_000, 30_000, 90_000),
  value: fc.constantFrom(0, 0, 5_000_000, 30_000_000, 50_000_000),
  bytes: fc.constantFrom(80, 100, 100, 150, 400),
});

const adding = fc.record({ offer: offers, wait: fc.nat(3) }).map(({ offer, wait }) =>
  command(`add ${JSON.stringify(offer)} after ${wait}`, (model, world) => {
    world.now += wait;
    const account = world.account(addressOf(offer.sender));
    // Most offers should come near the account's nonce, wherever that has got to.
    const entry = offered({ ...offer, nonce: Math.max(0, Number(account.nonce) + offer.nonce - 1) });
    world.seen.push(entry);
    let code: string | undefined;
    try {
      world.pool.add(entry, account, world.now);
    } catch (error) {
      if (!isCoded(error)) throw error;
      code = error.code;
    }
    expect(code).toBe(model.add(entry, account, world.now));
    expect(world.pool.has(hashOf(entry))).toBe(code === undefined || code === "MEMPOOL_KNOWN");
  }),
);

const selecting = fc
  .record({ gas: fc.integer({ min: 0, max: 400_000 }), maxBytes: fc.nat(1_000), maxCount: fc.nat(8) })
  .map(({ gas, maxBytes, maxCount }) =>
    command(`select ${gas} gas, ${maxBytes} bytes, ${maxCount}`, (model, world) => {
      const { baseFee, nonceOf } = world;
      const options = { baseFee, gasLimit: BigInt(gas), maxBytes, maxCount, nonceOf };
      expect(world.pool.select(options).map(hashOf)).toEqual(model.select(options).map(hashOf));
    }),
  );

const balances = fc.constantFrom(0n, 3_000_000n, 10_000_000n, 40_000_000n, 10n ** 9n);

const finalising = fc
  .record({ count: fc.nat(6), others: fc.array(fc.tuple(fc.constantFrom(...SENDERS), fc.nat(2), balances)) })
  .map(({ count, others }) =>
    command(`block of ${count} and ${others.map(([sender, used]) => `${sender}+${used}`)}`, (model, world) => {
      world.now++;
      const { baseFee, pool } = world;
      const nonceOf = (sender: Address): bigint => world.account(sender).nonce;
      const included = pool.select({ baseFee, gasLimit: 10n ** 9n, maxBytes: 10 ** 9, maxCount: count, nonceOf });
      model.select({ baseFee, gasLimit: 10n ** 9n, maxBytes: 10 ** 9, maxCount: count, nonceOf });
      for (const { sender, transaction } of included) {
        const { balance } = world.account(sender);
        world.accounts.set(sender, { nonce: transaction.nonce + 1n, balance: balance - balance / 8n });
      }
      // Transactions that the pool never saw, and money that came or went otherwise.
      for (const [sender, used, balance] of others) {
        const { nonce } = world.account(addressOf(sender));
        world.accounts.set(addressOf(sender), { nonce: nonce + BigInt(used), balance });
      }
      const changed = others.map(([sender]) => addressOf(sender));
      const accountOf = (address: Address) => world.accounts.get(address);
      pool.onBlock(included, accountOf, world.now, changed);
      model.onBlock([...included.map(({ sender }) => sender), ...changed], accountOf, world.now);
      for (const entry of included) expect(pool.has(hashOf(entry))).toBe(false);
      world.setTip(SENDERS.map(() => 0));
    }),
  );

const proposing = fc
  .array(fc.nat(4), { minLength: SENDERS.length, maxLength: SENDERS.length })
  .map((ahead) => command(`not final: ${ahead}`, (_model, world) => world.setTip(ahead)));

const pricing = fc.integer({ min: 30, max: 130 }).map((fee) =>
  command(`base fee ${fee}`, (_model, world) => {
    world.baseFee = BigInt(fee);
  }),
);

const removing = fc.nat().map((index) =>
  command(`remove ${index}`, (model, world) => {
    const entry = world.seen[world.seen.length === 0 ? 0 : index % world.seen.length];
    if (entry === undefined) return;
    world.pool.remove(hashOf(entry));
    model.remove(hashOf(entry));
  }),
);

const expiring = fc.integer({ min: -5, max: 20 }).map((wait) =>
  command(`expire after ${wait}`, (model, world) => {
    world.now += wait;
    expect(world.pool.expire(world.now)).toEqual(model.expire(world.now));
  }),
);

const commands = fc.commands(
  [
    adding,
    adding,
    adding,
    adding,
    adding,
    adding,
    adding,
    selecting,
    finalising,
    proposing,
    pricing,
    removing,
    expiring,
  ],
  { maxCommands: 120, size: "max" },
);

describe("Mempool", () => {
  it.each<[string, Partial<MempoolLimits>]>([
    ["when every limit is met", {}],
    ["when only the number is limited", { bytes: 10 ** 9, senderBytes: 10 ** 9, senderTransactions: 100 }],
    ["when nothing is limited", { ...MEMPOOL_LIMITS, lifetimeMilliseconds: 400 }],
  ])("does what a list that is sorted at every question does, %s", (_when, limits) => {
    fc.assert(
      fc.property(commands, (all) => {
        const own = { ...SMALL, ...limits };
        fc.modelRun(() => ({ model: new NaivePool(own), real: new World(own) }), all);
      }),
      { numRuns: 60 },
    );
  });
});
