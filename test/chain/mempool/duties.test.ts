/** Those whose turn it is, in a pool that somebody floods: docs/spec/mempool.md, "Duties". */
import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../../base/bytes.ts";
import { GWEI } from "../../../base/units.ts";
import { MEMPOOL_LIMITS as LIMITS } from "../../../chain/mempool/limits.ts";
import { Mempool } from "../../../chain/mempool/mempool.ts";
import { roomInBlock } from "../../../chain/mempool/select.ts";
import { waitingLane } from "../../../chain/mempool/waiting-lane.ts";
import { BlockExecutor, type RecoveredTransaction } from "../../../vm/execution/execute-block.ts";
import { nextBaseFee } from "../../../vm/execution/fees.ts";
import { PHASE } from "../../../vm/modules/verification/round-types.ts";
import { EMPTY_ACCOUNT } from "../../../vm/state/account.ts";
import { checkAgainstState } from "../../../vm/transaction/check.ts";
import { BLOCK_GAS, BusyChain, DEAR, RESERVED_GAS, SPAMMER } from "../../vm/modules/support/busy-chain.ts";
import { named, offered } from "./support/offer.ts";

/** A node in small: takes transactions in as one does, and makes blocks of what it has. */
class SmallNode {
  readonly busy = new BusyChain();
  readonly mempool = new Mempool();

  #lane(entry: RecoveredTransaction) {
    const { chain } = this.busy.world;
    const block = { gasLimit: BLOCK_GAS, baseFeePerGas: chain.baseFee };
    return waitingLane(chain.rules, chain.state.reader, block, entry);
  }

  take(entry: RecoveredTransaction): void {
    const { reader } = this.busy.world.chain.state;
    const account = reader.account(entry.sender) ?? EMPTY_ACCOUNT;
    const lane = this.#lane(entry);
    checkAgainstState({ ...entry.transaction, nonce: account.nonce }, account, reader, lane);
    this.mempool.add(entry, account, 0, lane.duty !== undefined);
  }

  /** What of the block's gas the others had. */
  block(): bigint {
    const { chain } = this.busy.world;
    const candidates = this.mempool.select({
      ...roomInBlock({ gasLimit: BLOCK_GAS, maxBytes: 1 << 23, maxCount: 1_000 }, RESERVED_GAS),
      baseFee: chain.baseFee,
      nonceOf: (sender) => chain.state.reader.account(sender)?.nonce ?? 0n,
    });
    const { included } = new BlockExecutor(chain.rules).execute(chain.state, chain.environment(), candidates);
    const { gasUsed, reservedGasUsed } = chain.block(included);
    this.mempool.onBlock(included, (address) => chain.state.reader.account(address), 0);
    const ordinary = gasUsed - reservedGasUsed;
    chain.baseFee = nextBaseFee({ gasLimit: BLOCK_GAS, gasUsed: ordinary, baseFeePerGas: chain.baseFee });
    this.mempool.reviewDuties((entry) => this.#lane(entry).duty !== undefined);
    return ordinary;
  }

  /** More than a block has room for, at any price. */
  flood(): void {
    const waiting = this.mempool.nextNonce(SPAMMER.address, this.#nonce());
    const first = Number(waiting - this.#nonce());
    for (let index = 0; index < 6; index++) this.take(this.busy.spam(16_000_000n, first + index, 50n * GWEI));
  }

  #nonce(): bigint {
    return this.busy.world.chain.state.reader.account(SPAMMER.address)?.nonce ?? 0n;
  }
}

describe("a chain whose blocks somebody fills at high fees", () => {
  it("still lets seats seal and reveal, and the worker open and publish, in time and for little", () => {
    const node = new SmallNode();
    const { busy } = node;
    const { world, round } = busy;
    const each = busy.seatsByVerifier();
    const turns: readonly (() => readonly RecoveredTransaction[])[] = [
      () => each.map(([key, seats]) => busy.seal(key, seats)),
      () => [busy.open({ gasLimit: 2_000_000n })],
      () => each.map(([key, seats]) => busy.reveal(key, seats)),
      () => [busy.publish()],
    ];
    const phases = turns.map((turn) => {
      node.flood();
      for (const entry of turn()) node.take(entry);
      expect(node.block()).toBe(BLOCK_GAS - RESERVED_GAS);
      return world.phase(round);
    });
    expect(phases).toEqual([PHASE.opening, PHASE.revealing, PHASE.accepted, PHASE.accepted]);
    expect(BigInt(world.round(round).seed)).not.toBe(0n);
    expect(world.chain.baseFee).toBeGreaterThan(DEAR);
  });
});

describe("a duty that waits", () => {
  it("is taken in below the base fee, comes before every tip, and is no reason for blocks once its time is over", () => {
    const node = new SmallNode();
    const { mempool, busy } = node;
    const nonceOf = () => 0n;
    const [first] = busy.seatsByVerifier();
    if (first === undefined) throw new Error("seats are drawn");
    const seal = busy.seal(...first);
    node.take(busy.spam(21_100n, 0, 100n * GWEI));
    node.take(seal);
    const { chain } = busy.world;
    const options = { baseFee: chain.baseFee, gasLimit: BLOCK_GAS, maxBytes: 1 << 20, maxCount: 1 };
    const current = (sender: `0x${string}`): bigint => chain.state.reader.account(sender)?.nonce ?? 0n;
    expect(mempool.select({ ...options, nonceOf: current })).toEqual([seal]);
    mempool.reviewDuties(() => false);
    expect(mempool.has(bytesToHex(seal.transaction.hash))).toBe(true);
    expect(mempool.select({ ...options, maxCount: 9, nonceOf: current })).toHaveLength(1);
    mempool.reviewDuties(() => {
      throw new Error("nobody is asked about again");
    });
    expect(mempool.hasReady(DEAR * 1_000n, nonceOf)).toBe(false);
  });

  it("is refused when it is nobody's turn and the base fee is above what it pays", () => {
    const node = new SmallNode();
    expect(() => node.take(node.busy.open())).toThrow(/base fee/);
  });

  it("has few places of one sender: the rest waits at its own price", () => {
    const node = new SmallNode();
    const [first] = node.busy.seatsByVerifier();
    if (first === undefined) throw new Error("seats are drawn");
    const [key, seats] = first;
    const mempool = new Mempool({ ...LIMITS, senderDuties: 2 });
    const { reader } = node.busy.world.chain.state;
    const account = reader.account(key.address) ?? EMPTY_ACCOUNT;
    for (let index = 0; index < 4; index++) mempool.add(node.busy.seal(key, seats, {}, index), account, 0, true);
    const options = { baseFee: DEAR, gasLimit: BLOCK_GAS, maxBytes: 1 << 20, maxCount: 9 };
    expect(mempool.select({ ...options, nonceOf: () => account.nonce })).toHaveLength(2);
    expect(mempool.size).toBe(4);
  });
});

const RICH = { nonce: 0n, balance: 10n ** 12n };
const ROOM = roomInBlock({ gasLimit: BLOCK_GAS, maxBytes: 1 << 20, maxCount: 100 }, RESERVED_GAS);
/** Nobody pays so much: only duties are chosen. */
const DUTIES_ONLY = { ...ROOM, baseFee: 1_000_000n, nonceOf: () => 0n };

describe("room in a block", () => {
  it("is not taken from the others by duties, however many wait and whatever they ask for", () => {
    const mempool = new Mempool();
    for (let sender = 1; sender <= 600; sender++) {
      mempool.add(offered({ sender, nonce: 0, gas: 3_000_000 }), RICH, 0, true);
    }
    for (let sender = 1_001; sender <= 1_040; sender++) {
      mempool.add(offered({ sender, nonce: 0, gas: 1_000_000 }), RICH, 0);
    }
    const chosen = named(mempool.select({ ...ROOM, baseFee: 1n, nonceOf: () => 0n }));
    const duties = Array.from({ length: 8 }, (_, index) => `${index + 1}:0`);
    const others = Array.from({ length: 40 }, (_, index) => `${1_001 + index}:0`);
    expect(chosen).toEqual([...duties, ...others]);
  });

  it("is shared out without anything over: bytes and places of both are those of a block", () => {
    expect(ROOM.maxCount + ROOM.reserved.maxCount).toBe(100);
    expect(ROOM.maxBytes + ROOM.reserved.maxBytes).toBe(1 << 20);
    expect(ROOM.reserved).toMatchObject({ gasLimit: 2n * RESERVED_GAS, maxCount: 20 });
  });
});

describe("a full set of duties", () => {
  const limits = { ...LIMITS, duties: 8, senderDuties: 4 };

  it("gives a place of one behind a missing nonce to one that is ready", () => {
    const mempool = new Mempool(limits);
    for (const sender of [1, 2]) {
      for (let nonce = 1; nonce <= 4; nonce++) mempool.add(offered({ sender, nonce }), RICH, 0, true);
    }
    for (let sender = 3; sender <= 10; sender++) mempool.add(offered({ sender, nonce: 0 }), RICH, 0, true);
    mempool.add(offered({ sender: 11, nonce: 1 }), RICH, 0, true);
    expect(named(mempool.select(DUTIES_ONLY))).toEqual([3, 4, 5, 6, 7, 8, 9, 10].map((sender) => `${sender}:0`));
    let asked = 0;
    mempool.reviewDuties(() => ++asked > 0);
    expect(asked).toBe(8);
    expect(mempool.size).toBe(17);
  });

  it("gives one to who has fewer of them, of whoever has most: the latest of those", () => {
    const mempool = new Mempool(limits);
    for (const sender of [1, 2]) {
      for (let nonce = 0; nonce < 4; nonce++) mempool.add(offered({ sender, nonce }), RICH, 0, true);
    }
    for (let nonce = 0; nonce < 4; nonce++) mempool.add(offered({ sender: 3, nonce }), RICH, 0, true);
    const places = named(mempool.select(DUTIES_ONLY));
    expect(places.filter((name) => name.startsWith("3:"))).toEqual(["3:0", "3:1"]);
    for (const sender of [1, 2]) {
      const own = places.filter((name) => name.startsWith(`${sender}:`));
      expect(own).toEqual([`${sender}:0`, `${sender}:1`, `${sender}:2`].slice(0, own.length));
    }
    expect(places).toHaveLength(8);
  });
});
