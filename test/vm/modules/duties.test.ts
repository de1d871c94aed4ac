/** Reserved gas: who may use it, at which price, and that it cannot be abused. docs/spec/execution.md. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesToHex, type Hex, hexToBytes } from "../../../base/bytes.ts";
import type { Duty } from "../../../vm/execution/duties.ts";
import { BlockExecutor, type ExecutedBlock, type RecoveredTransaction } from "../../../vm/execution/execute-block.ts";
import { VERIFICATION_ADDRESS } from "../../../vm/modules/addresses.ts";
import { MAX_DUTY_BYTES, MAX_DUTY_GAS } from "../../../vm/modules/duties/duties.ts";
import { PHASE } from "../../../vm/modules/verification/round-types.ts";
import { sealOf } from "../../../vm/modules/verification/seals.ts";
import type { Address } from "../../../vm/state/account.ts";
import type { StateReader } from "../../../vm/state/reader.ts";
import { WorkingState } from "../../../vm/state/working-state.ts";
import { accountKey } from "../support/economy-chain.ts";
import { BLOCK_GAS, BusyChain, DEAR, FLOOR, POOR, RESERVED_GAS } from "./support/busy-chain.ts";
import { WORKER } from "./support/verification-world.ts";

/** What a proposer makes of the candidates. The chain does not go on by it. */
function build({ world: { chain } }: BusyChain, candidates: readonly RecoveredTransaction[]): ExecutedBlock {
  return new BlockExecutor(chain.rules).execute(chain.state, chain.environment(), candidates);
}

function codes({ rejected }: ExecutedBlock): readonly string[] {
  return rejected.map(({ error }) => error.code);
}

describe("a duty", () => {
  it("is included at the floor price when gas is dear, and its receipt says what it paid", () => {
    const busy = new BusyChain();
    const seals = busy.seatsByVerifier().map(([key, seats]) => busy.seal(key, seats, { tip: 3n }));
    const { receipts, gasUsed, reservedGasUsed } = busy.world.chain.block(seals);
    for (const receipt of receipts.slice(0, seals.length)) {
      expect(receipt).toMatchObject({ succeeded: true, effectiveGasPrice: FLOOR + 3n });
    }
    expect(reservedGasUsed).toBe(gasUsed);
    expect(busy.world.phase(busy.round)).toBe(PHASE.opening);
  });

  it("pays the market's base fee where that is below the floor", () => {
    const busy = new BusyChain();
    busy.world.chain.baseFee = 7n;
    const seals = busy.seatsByVerifier().map(([key, seats]) => busy.seal(key, seats, { maxFee: 7n }));
    expect(busy.world.chain.block(seals).receipts[0]?.effectiveGasPrice).toBe(7n);
  });

  it("burns what it paid, of which the treasury has its share: money is conserved", () => {
    const busy = new BusyChain();
    const { chain } = busy.world;
    const before = chain.supply();
    const seals = busy.seatsByVerifier().map(([key, seats]) => busy.seal(key, seats));
    const { gasUsed } = chain.block([...seals, busy.spam(1_000_000n)]);
    const fees = (gasUsed - 1_000_000n) * FLOOR + 1_000_000n * DEAR;
    const { baseFeeShare } = chain.spec.modules.treasury;
    expect(before - chain.supply()).toBe(fees - (fees * baseFeeShare) / 1_000_000n);
  });

  it("is every turn of a round: sealing, opening, revealing, publishing", () => {
    const busy = new BusyChain();
    const { world, round } = busy;
    const each = busy.seatsByVerifier();
    world.chain.block(each.map(([key, seats]) => busy.seal(key, seats)));
    world.chain.block([busy.open({ gasLimit: 2_000_000n })]);
    world.chain.block(each.map(([key, seats]) => busy.reveal(key, seats)));
    world.chain.block([busy.publish()]);
    expect(world.round(round)).toMatchObject({ phase: PHASE.accepted, isFinal: false });
    expect(BigInt(world.round(round).seed)).not.toBe(0n);
  });

  it("is nobody else's, nothing that is not open, and done once", () => {
    const busy = new BusyChain();
    const [first] = busy.seatsByVerifier();
    if (first === undefined) throw new Error("seats are drawn");
    const [key, seats] = first;
    const stranger = accountKey(18);
    const candidates = [
      busy.seal(stranger, seats),
      busy.open(),
      busy.reveal(key, seats),
      busy.publish(),
      busy.seal(key, [...seats, ...seats.slice(0, 1)]),
      busy.seal(key, []),
    ];
    for (const candidate of candidates) expect(codes(build(busy, [candidate]))).toEqual(["TX_FEE_BELOW_BASE_FEE"]);
    expect(codes(build(busy, [busy.seal(key, seats), busy.seal(key, seats, {}, 1)]))).toEqual([
      "TX_FEE_BELOW_BASE_FEE",
    ]);
  });

  it("brings no money, no access list and no more gas than a turn takes", () => {
    const busy = new BusyChain();
    const [first] = busy.seatsByVerifier();
    if (first === undefined) throw new Error("seats are drawn");
    const [key, seats] = first;
    const accessList = [{ address: VERIFICATION_ADDRESS, slots: [] }];
    for (const options of [{ value: 1n }, { accessList }, { gasLimit: MAX_DUTY_GAS + 1n }]) {
      expect(codes(build(busy, [busy.seal(key, seats, options)]))).toEqual(["TX_FEE_BELOW_BASE_FEE"]);
    }
    expect(codes(build(busy, [busy.seal(key, seats, { gasLimit: MAX_DUTY_GAS })]))).toEqual([]);
  });

  it("brings no more call data than a turn takes", () => {
    const busy = new BusyChain();
    const { world, round } = busy;
    world.chain.block(busy.seatsByVerifier().map(([key, seats]) => busy.seal(key, seats)));
    const [first] = world.seats(round);
    if (first === undefined) throw new Error("seats are drawn");
    const opening = world.work.open(first.seat, first.launch, first.tile);
    const opened = (words: number): RecoveredTransaction => {
      const siblings = new Array<string>(words).fill(`0x${"00".repeat(32)}`);
      const proof = { ...opening.proof, siblings };
      return busy.send("open", [round, [{ ...opening, proof }]], { key: WORKER, gasLimit: MAX_DUTY_GAS });
    };
    const words = Math.floor((MAX_DUTY_BYTES - opened(0).transaction.data.length) / 32);
    expect(codes(build(busy, [opened(words)]))).toEqual([]);
    expect(codes(build(busy, [opened(words + 1)]))).toEqual(["TX_FEE_BELOW_BASE_FEE"]);
  });

  it("is decoded for those alone whose turn it may be, and once", () => {
    const busy = new BusyChain();
    const { chain } = busy.world;
    chain.block(busy.seatsByVerifier().map(([key, seats]) => busy.seal(key, seats)));
    const { transaction } = busy.open({ gasLimit: 2_000_000n });
    let decoded = 0;
    const data = new Proxy(transaction.data, {
      get: (bytes, key) => {
        if (key === String(bytes.length - 1)) decoded++;
        const value: unknown = Reflect.get(bytes, key, bytes);
        return typeof value === "function" ? value.bind(bytes) : value;
      },
    });
    const find = (sender: Address): Duty | undefined =>
      chain.rules.duties?.find(
        new WorkingState(chain.state.reader),
        chain.environment(),
        { ...transaction, data },
        sender,
      );
    expect([find(accountKey(18).address), decoded]).toEqual([undefined, 0]);
    expect([find(WORKER.address)?.account, decoded]).toEqual([VERIFICATION_ADDRESS, 1]);
    expect([find(WORKER.address)?.account, decoded]).toEqual([VERIFICATION_ADDRESS, 1]);
  });

  it("is none where asking meets a bug of ours, which is told and does not end the block", () => {
    const busy = new BusyChain();
    const { world, round } = busy;
    const { chain } = world;
    const each = busy.seatsByVerifier();
    chain.block(each.map(([key, seats]) => busy.seal(key, seats)));
    chain.block([busy.open({ gasLimit: 2_000_000n })]);
    const [key, seats] = each[0] ?? [WORKER, []];
    const seals = seats.map((seat) =>
      sealOf(key.address, round, world.answer(round, seat, world.work.truth(seat.launch, seat.tile))),
    );
    const { reader } = chain.state;
    // A seal of 33 bytes: no code of ours could have stored it, and reading it throws what is no revert.
    const storage = (address: Address, slot: Hex): Uint8Array => {
      const value = reader.storage(address, slot);
      return seals.includes(bytesToHex(value)) ? new Uint8Array(33).fill(1) : value;
    };
    const impossible: StateReader = {
      account: (address) => reader.account(address),
      code: (hash) => reader.code(hash),
      hasStorage: (address) => reader.hasStorage(address),
      storage,
    };
    const reveal = busy.reveal(key, seats);
    const executor = new BlockExecutor(chain.rules);
    const block = executor.execute({ ...chain.state, reader: impossible }, chain.environment(), [reveal]);
    expect(codes(block)).toEqual(["TX_FEE_BELOW_BASE_FEE"]);
    const transaction = bytesToHex(reveal.transaction.hash);
    expect(block.faults).toMatchObject([{ module: VERIFICATION_ADDRESS, transaction }]);
  });

  it("that failed is paid for, and no duty any more: a reveal of what was sealed can still be had at the market's price", () => {
    const busy = new BusyChain();
    const { world, round } = busy;
    world.chain.block(busy.seatsByVerifier().map(([key, seats]) => busy.seal(key, seats)));
    const starved = world.chain.block([busy.open({ gasLimit: 200_000n })]);
    expect(starved.receipts[0]).toMatchObject({ succeeded: false, effectiveGasPrice: FLOOR });
    expect(starved.reservedGasUsed).toBe(starved.gasUsed);
    expect(codes(build(busy, [busy.open({ gasLimit: 2_000_000n })]))).toEqual(["TX_FEE_BELOW_BASE_FEE"]);
    const paid = world.chain.block([busy.open({ gasLimit: 2_000_000n, maxFee: DEAR })]);
    expect(paid.receipts[0]).toMatchObject({ succeeded: true, effectiveGasPrice: DEAR });
    expect(paid.reservedGasUsed).toBe(0n);
    expect(world.phase(round)).toBe(PHASE.revealing);
  });
});

describe("a block", () => {
  it("has the unreserved part of its gas for all others, whether or not anybody's turn it is", () => {
    const busy = new BusyChain();
    const room = BLOCK_GAS - RESERVED_GAS;
    const third = room / 3n;
    const spam = (gas: bigint): RecoveredTransaction[] => [busy.spam(third), busy.spam(third, 1), busy.spam(gas, 2)];
    expect(codes(build(busy, spam(third)))).toEqual([]);
    expect(codes(build(busy, spam(third + 1n)))).toEqual(["TX_GAS_LIMIT_ABOVE_BLOCK"]);
    const seals = busy.seatsByVerifier().map(([key, seats]) => busy.seal(key, seats));
    const full = build(busy, [...spam(third), ...seals]);
    expect(codes(full)).toEqual([]);
    expect(full.gasUsed - full.reservedGasUsed).toBe(room);
  });

  it("takes a duty that its reserve has no room for as any other transaction", () => {
    const busy = new BusyChain();
    const [first] = busy.seatsByVerifier();
    if (first === undefined) throw new Error("seats are drawn");
    const [key, seats] = first;
    const { chain } = busy.world;
    const executor = new BlockExecutor(chain.rules);
    // A fifth of this block is less than the transaction asks for.
    const environment = { ...chain.environment(), gasLimit: 4_000_000n };
    const one = (maxFee: bigint): ExecutedBlock =>
      executor.execute(chain.state, environment, [busy.seal(key, seats, { maxFee })]);
    expect(codes(one(POOR))).toEqual(["TX_FEE_BELOW_BASE_FEE"]);
    expect(one(DEAR)).toMatchObject({ rejected: [], reservedGasUsed: 0n });
  });

  it("is the same for who builds and who validates, of any mix of candidates", { timeout: 60_000 }, () => {
    const busy = new BusyChain();
    const each = busy.seatsByVerifier();
    const candidate = fc.oneof(
      fc.record({
        kind: fc.constant("seal" as const),
        seat: fc.nat(each.length - 1),
        gas: fc.constantFrom(60n, 1000n, 3001n),
      }),
      fc.record({ kind: fc.constant("open" as const), seat: fc.constant(0), gas: fc.constantFrom(300n, 2000n) }),
      fc.record({
        kind: fc.constant("spam" as const),
        seat: fc.constant(0),
        gas: fc.constantFrom(21n, 4000n, 9000n, 15_900n),
      }),
      fc.record({ kind: fc.constant("reveal" as const), seat: fc.nat(each.length - 1), gas: fc.constant(1000n) }),
    );
    const mix = fc.array(fc.record({ what: candidate, maxFee: fc.constantFrom(POOR, DEAR) }), { maxLength: 12 });
    fc.assert(
      fc.property(mix, (plan) => {
        const offsets = new Map<string, number>();
        const candidates = plan.map(({ what: { kind, seat, gas }, maxFee }) => {
          const found = each[seat];
          if (found === undefined) throw new Error("the seat is drawn");
          const [key, seats] = found;
          const who = kind === "seal" || kind === "reveal" ? key.address : kind;
          const offset = offsets.get(who) ?? 0;
          offsets.set(who, offset + 1);
          const options = { gasLimit: gas * 1000n, maxFee };
          if (kind === "seal") return busy.seal(key, seats, options, offset);
          if (kind === "reveal") return busy.reveal(key, seats, options, offset);
          if (kind === "open") return busy.open(options, offset);
          return busy.spam(gas * 1000n, offset);
        });
        const built = build(busy, candidates);
        const validated = build(busy, built.included);
        expect(validated.rejected).toEqual([]);
        for (const root of ["stateRoot", "receiptsRoot", "transactionsRoot"] as const) {
          expect(validated[root]).toEqual(built[root]);
        }
        expect([validated.gasUsed, validated.reservedGasUsed]).toEqual([built.gasUsed, built.reservedGasUsed]);
        expect(built.reservedGasUsed).toBeLessThanOrEqual(RESERVED_GAS);
        expect(built.gasUsed - built.reservedGasUsed).toBeLessThanOrEqual(BLOCK_GAS - RESERVED_GAS);
      }),
      { numRuns: 60 },
    );
  });

  it("reserves nothing where governance has set the share to nothing", () => {
    const busy = new BusyChain();
    const { chain } = busy.world;
    const { modules, duties: _none, ...rules } = chain.rules;
    const executor = new BlockExecutor({ ...rules, modules });
    const [first] = busy.seatsByVerifier();
    if (first === undefined) throw new Error("seats are drawn");
    const spam = [0, 1, 2, 3].map((offset) => busy.spam(BLOCK_GAS / 4n, offset));
    const candidates = [...spam, busy.seal(first[0], first[1])];
    const { rejected, gasUsed } = executor.execute(chain.state, chain.environment(), candidates);
    expect(rejected.map(({ error }) => error.code)).toEqual(["TX_GAS_LIMIT_ABOVE_BLOCK"]);
    expect(gasUsed).toBe(BLOCK_GAS);
  });
});

it("the mark of a failed duty is one slot of the verification module", () => {
  const busy = new BusyChain();
  const { world } = busy;
  world.chain.block(busy.seatsByVerifier().map(([key, seats]) => busy.seal(key, seats)));
  const { changes } = world.chain.block([busy.open({ gasLimit: 200_000n })]);
  const slots = changes.storage.get(VERIFICATION_ADDRESS) ?? new Map<string, Uint8Array>();
  expect([...slots.values()].map((value) => Array.from(value))).toEqual([[1]]);
  expect(hexToBytes([...slots.keys()][0] as `0x${string}`)).toHaveLength(32);
});
