/**
 * The mempool with 50,000 waiting transactions: what one more costs from arrival to inclusion, beside a list that is
 * sorted for each block, and beside recovering a sender, which every transaction has to go through anyway. Then what
 * the worst of senders can make an operation cost: ten thousand nonces, and replacements of the first that make all the
 * others unready and ready again.
 */
import { bytes32, bytesToHex, type Hex } from "../../base/bytes.ts";
import { isCoded } from "../../base/errors.ts";
import { Prng } from "../../base/prng.ts";
import { recoverAddress, signHash } from "../../base/secp256k1.ts";
import { MEMPOOL_LIMITS } from "../../chain/mempool/limits.ts";
import { Mempool } from "../../chain/mempool/mempool.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { Address } from "../../vm/state/account.ts";
import type { BenchCase, BenchResult } from "../case.ts";
import { type Contestant, interleave } from "../interleave.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly waiting: number;
  readonly senders: number;
  /** Transactions per block, and arrivals between two. */
  readonly block: number;
  /** Nonces of the hostile sender. */
  readonly nonces: number;
  readonly recoveries: number;
}

export const benchCase: BenchCase<Params> = {
  name: "mempool",
  description: "arrival, selection and inclusion among 50,000 waiting transactions, beside sorting and sender recovery",
  sizes: {
    smoke: { rounds: 1, waiting: 400, senders: 40, block: 40, nonces: 50, recoveries: 10 },
    full: { rounds: 9, waiting: 50_000, senders: 5_000, block: 2_000, nonces: 10_000, recoveries: 1_000 },
  },
  run,
};

const BASE_FEE = 1_000_000_000n;
const BALANCE = 10n ** 24n;
const RAW = new Uint8Array(110);
const NO_BYTES = new Uint8Array(0);

function offer(random: Prng, sender: Address, nonce: bigint, value = 0n): RecoveredTransaction {
  const tip = BigInt(random.uint32());
  const transaction = {
    type: 2,
    chainId: 1n,
    nonce,
    maxPriorityFeePerGas: tip,
    maxFeePerGas: BASE_FEE + tip + BigInt(random.uint32() >>> 1) - 2n ** 30n,
    gasLimit: 21_000n,
    to: sender,
    value,
    data: NO_BYTES,
    accessList: [],
    yParity: 0,
    r: NO_BYTES,
    s: NO_BYTES,
    raw: RAW,
    hash: random.bytes(32),
  } as const;
  // A knee below the base fee for some, but never a tip above the maximal fee.
  const maxFeePerGas = transaction.maxFeePerGas < tip ? tip : transaction.maxFeePerGas;
  return { transaction: { ...transaction, maxFeePerGas }, sender };
}

/** Senders with their nonces in the chain and in the pool; the same arrivals for everybody who starts from one seed. */
class Traffic {
  readonly chain = new Map<Address, bigint>();
  private readonly offered = new Map<Address, bigint>();
  private readonly addresses: Address[];
  private readonly random: Prng;

  constructor(seed: string, senders: number) {
    this.random = new Prng(seed);
    this.addresses = Array.from({ length: senders }, () => bytesToHex(this.random.bytes(20)));
  }

  arrivals(count: number): RecoveredTransaction[] {
    return Array.from({ length: count }, () => {
      const sender = this.addresses[this.random.below(this.addresses.length)] as Address;
      const nonce = this.offered.get(sender) ?? 0n;
      this.offered.set(sender, nonce + 1n);
      return offer(this.random, sender, nonce);
    });
  }

  readonly nonceOf = (sender: Address): bigint => this.chain.get(sender) ?? 0n;
}

/** What a block takes out and puts in, as the runtime uses it. */
interface Room {
  add(entry: RecoveredTransaction): void;
  take(count: number): readonly RecoveredTransaction[];
}

function poolRoom({ chain, nonceOf }: Traffic, pool: Mempool): Room {
  const accountOf = (sender: Address) => ({ nonce: nonceOf(sender), balance: BALANCE });
  return {
    add: (entry) => {
      pool.add(entry, accountOf(entry.sender), 0);
      pool.hasReady(BASE_FEE, nonceOf);
    },
    take: (maxCount) => {
      const limits = { gasLimit: 10n ** 12n, maxBytes: 10 ** 9, maxCount };
      const taken = pool.select({ baseFee: BASE_FEE, ...limits, nonceOf });
      for (const { sender, transaction } of taken) chain.set(sender, transaction.nonce + 1n);
      pool.onBlock(taken, accountOf, 0);
      return taken;
    },
  };
}

/**
 * The plain way: no order is kept, each block sorts everything. Nobody comes before those ahead of it of the same sender,
 * so each is sorted by the least effective tip up to it.
 */
function sortingRoom(): Room {
  let waiting: RecoveredTransaction[] = [];
  const known = new Set<Hex>();
  return {
    add: (entry) => {
      known.add(bytesToHex(entry.transaction.hash));
      waiting.push(entry);
    },
    take: (count) => {
      const least = new Map<Address, bigint>();
      const keyed = waiting.map((entry, index) => {
        const { maxFeePerGas, maxPriorityFeePerGas } = entry.transaction;
        const left = maxFeePerGas - BASE_FEE;
        const own = left < maxPriorityFeePerGas ? left : maxPriorityFeePerGas;
        const before = least.get(entry.sender);
        const key = before === undefined || own < before ? own : before;
        least.set(entry.sender, key);
        return { entry, key, index };
      });
      keyed.sort((a, b) => (a.key === b.key ? a.index - b.index : a.key > b.key ? -1 : 1));
      const taken = keyed.filter(({ key }) => key >= 0n).slice(0, count);
      const gone = new Set(taken.map(({ entry }) => entry));
      waiting = waiting.filter((entry) => !gone.has(entry));
      for (const { entry } of taken) known.delete(bytesToHex(entry.transaction.hash));
      return taken.map(({ entry }) => entry);
    },
  };
}

interface Blocks extends Contestant {
  /** Hashes of what the last block took. */
  taken(): readonly Hex[];
}

/** Each round is a block: as many arrivals as it takes. */
function blocks(name: string, traffic: Traffic, room: Room, { waiting, block }: Params): Blocks {
  for (const entry of traffic.arrivals(waiting)) room.add(entry);
  let next: readonly RecoveredTransaction[] = [];
  let taken: readonly RecoveredTransaction[] = [];
  return {
    name,
    prepare: () => {
      next = traffic.arrivals(block);
    },
    run: () => {
      for (const entry of next) room.add(entry);
      taken = room.take(block);
      return next.length;
    },
    taken: () => taken.map(({ transaction }) => bytesToHex(transaction.hash)),
  };
}

/** Arrivals from new senders at a pool that is full: each is refused or pushes somebody out. */
function full({ waiting, block }: Params): Contestant {
  const pool = new Mempool({ ...MEMPOOL_LIMITS, transactions: waiting });
  pool.hasReady(BASE_FEE, () => 0n);
  const random = new Prng("full");
  const account = { nonce: 0n, balance: BALANCE };
  const arrival = (): RecoveredTransaction => offer(random, bytesToHex(random.bytes(20)), 0n);
  for (let i = 0; i < waiting; i++) pool.add(arrival(), account, 0);
  let next: readonly RecoveredTransaction[] = [];
  return {
    name: "full pool",
    prepare: () => {
      next = Array.from({ length: block }, arrival);
    },
    run: () => {
      for (const entry of next) addOrRefuse(pool, entry, account);
      return next.length;
    },
  };
}

function addOrRefuse(pool: Mempool, entry: RecoveredTransaction, account: { nonce: bigint; balance: bigint }): void {
  try {
    pool.add(entry, account, 0);
  } catch (error) {
    if (!isCoded(error, "MEMPOOL_FULL")) throw error;
  }
}

/** Replaces the first of many by one that costs all the sender has, and that by one that costs nothing. */
function hostile({ nonces, block }: Params): Contestant {
  // Replacing for the same fees lets this go on for as long as it is measured.
  const pool = new Mempool({ ...MEMPOOL_LIMITS, replacementPercent: 0n });
  const random = new Prng("hostile");
  const sender = bytesToHex(random.bytes(20));
  const account = { nonce: 0n, balance: BALANCE };
  for (let nonce = 0; nonce < nonces; nonce++) pool.add(offer(random, sender, BigInt(nonce)), account, 0);
  let next: readonly RecoveredTransaction[] = [];
  return {
    name: "hostile sender",
    prepare: () => {
      next = Array.from({ length: block }, (_, i) =>
        offer(random, sender, 0n, i % 2 === 0 ? BALANCE - 10n ** 16n : 0n),
      );
    },
    run: () => {
      for (const entry of next) {
        pool.add(entry, account, 0);
        pool.hasReady(BASE_FEE, () => 0n);
      }
      return next.length;
    },
  };
}

function recovery(count: number): Contestant {
  const random = new Prng("recovery");
  const signed = Array.from({ length: count }, () => {
    const hash = random.bytes(32);
    const { r, s, yParity } = signHash(hash, random.bytes(32));
    return { hash, r: bytes32(r), s: bytes32(s), yParity };
  });
  return {
    name: "recovery",
    run: () => {
      for (const { hash, r, s, yParity } of signed) recoverAddress(hash, r, s, yParity);
      return signed.length;
    },
  };
}

async function run(params: Params): Promise<BenchResult> {
  const limits = { ...MEMPOOL_LIMITS, transactions: 2 * params.waiting };
  const own = new Traffic("traffic", params.senders);
  const ours = blocks("pool", own, poolRoom(own, new Mempool(limits)), params);
  const sorting = blocks("sorting", new Traffic("traffic", params.senders), sortingRoom(), params);
  const contestants = [ours, sorting, full(params), hostile(params), recovery(params.recoveries)];
  const rates = await interleave(params.rounds, contestants);
  const last = ours.taken();
  return {
    measurements: contestants.map(({ name }) => ({ name, value: rates.rate(name), unit: "transactions/s" })),
    comparisons: [
      { name: "pool beside recovery", ratio: rates.ratio("pool", "recovery"), target: { atLeast: 2.5 } },
      { name: "full pool beside recovery", ratio: rates.ratio("full pool", "recovery"), target: { atLeast: 1.5 } },
      {
        name: "hostile sender beside recovery",
        ratio: rates.ratio("hostile sender", "recovery"),
        target: { atLeast: 3 },
      },
      { name: "pool beside sorting", ratio: rates.ratio("pool", "sorting"), target: { atLeast: 1 } },
    ],
    agreed: last.length > 0 && last.join() === sorting.taken().join(),
  };
}
