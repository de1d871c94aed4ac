/** The draw of seats: against a model that lists every unit, and by its statistics over fixed seeds. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytes32, bytesToBigint, bytesToHex, concatBytes, utf8 } from "../../../base/bytes.ts";
import { sha256 } from "../../../base/sha256.ts";
import { OGPU } from "../../../base/units.ts";
import { VERIFIERS_ADDRESS } from "../../../vm/modules/addresses.ts";
import { depositFunds } from "../../../vm/modules/held-funds.ts";
import { ModuleCall } from "../../../vm/modules/module-call.ts";
import { ParameterStore } from "../../../vm/modules/parameter-store.ts";
import { readOnlyCall } from "../../../vm/modules/read-only-call.ts";
import { drawVerifier, snapshotTotal, takeSnapshot } from "../../../vm/modules/verifiers/snapshot.ts";
import { VERIFIER_STATUS, verifierRecords, weigh } from "../../../vm/modules/verifiers/stake.ts";
import type { Address } from "../../../vm/state/account.ts";
import { MemoryState } from "../../../vm/state/memory-state.ts";
import { WorkingState } from "../../../vm/state/working-state.ts";
import { economySpec } from "../support/economy-chain.ts";

const UNIT = OGPU;
const { modules } = economySpec({ parameters: { verifiers: { minStake: UNIT, unitStake: UNIT } } });
const PARAMETERS = new ParameterStore(modules);
const { environment } = readOnlyCall(VERIFIERS_ADDRESS, new MemoryState());

function account(index: number): Address {
  return bytesToHex(sha256(utf8(`verifier ${index}`)).subarray(12));
}

/** Verifiers with so many units each, in a snapshot for epoch 1. */
function snapshotOf(units: readonly number[], state: WorkingState = new WorkingState(new MemoryState())): ModuleCall {
  const call = ModuleCall.ofProtocol({ address: VERIFIERS_ADDRESS, parameters: PARAMETERS }, state, environment);
  for (const [index, count] of units.entries()) {
    verifierRecords.set(call, "status", VERIFIER_STATUS.active, account(index));
    depositFunds(call, account(index), BigInt(count) * UNIT);
    weigh(call, account(index));
  }
  takeSnapshot(
    call,
    units.map((_, index) => account(index)),
  );
  return call;
}

/** Every unit in the order of addresses, without those of the excluded; the hash, as a number, names one. */
function naiveDraw(units: readonly number[], seed: Uint8Array, seat: number, excluded: readonly Address[]): string {
  const everyUnit = units
    .map((count, index) => ({ address: account(index), count }))
    .sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1))
    .filter(({ address }) => !excluded.includes(address))
    .flatMap(({ address, count }) => Array<string>(count).fill(address));
  if (everyUnit.length === 0) return "nobody";
  // Values of the last, incomplete run are 2^-230 of all: no seed of a test meets them.
  const numbers = bytes32((BigInt(seat) << 32n) | 0n).subarray(24);
  const hash = sha256(concatBytes(utf8("OpenGPU/VERIFIER-DRAW"), sha256(seed), numbers));
  return everyUnit[Number(bytesToBigint(hash) % BigInt(everyUnit.length))] as string;
}

describe("a draw", () => {
  it("is what a list of all units gives, whoever is excluded", () => {
    const sets = fc.record({
      units: fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 30 }),
      excluded: fc.array(fc.integer({ min: 0, max: 35 }), { maxLength: 16 }),
      seed: fc.uint8Array({ minLength: 1, maxLength: 40 }),
      seats: fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { minLength: 1, maxLength: 8 }),
    });
    fc.assert(
      fc.property(sets, ({ units, excluded, seed, seats }) => {
        const call = snapshotOf(units);
        const out = excluded.map(account);
        for (const seat of seats) {
          expect(drawVerifier(call, 1n, seed, seat, out) ?? "nobody").toBe(naiveDraw(units, seed, seat, out));
        }
      }),
      { numRuns: 150 },
    );
  });

  it("finds the first and the last unit of everybody", () => {
    const units = [1, 1, 1, 1, 1, 1, 1];
    const call = snapshotOf(units);
    const drawn = new Set(Array.from({ length: 200 }, (_, seat) => drawVerifier(call, 1n, utf8("all"), seat, [])));
    expect(drawn.size).toBe(units.length);
  });

  it("depends on the seed and on the seat", () => {
    const call = snapshotOf(Array<number>(100).fill(10));
    const row = (seed: string): string =>
      Array.from({ length: 12 }, (_, seat) => drawVerifier(call, 1n, utf8(seed), seat, [])).join();
    expect(row("a")).toBe(row("a"));
    expect(row("a")).not.toBe(row("b"));
    expect(new Set(row("a").split(",")).size).toBeGreaterThan(6);
  });

  it("has nobody when all are excluded, and everybody else's odds when most are", () => {
    const call = snapshotOf([1_000_000, 1]);
    const seats = Array.from({ length: 20 }, (_, seat) => seat);
    expect(seats.map((seat) => drawVerifier(call, 1n, utf8("x"), seat, [account(0)]))).toEqual(
      seats.map(() => account(1)),
    );
    expect(drawVerifier(call, 1n, utf8("x"), 0, [account(0), account(1), account(0)])).toBeUndefined();
    expect(drawVerifier(call, 0n, utf8("x"), 0, [])).toBeUndefined();
  });
});

it("a snapshot is taken anew when a unit has another size, though no stake has changed", () => {
  const state = new WorkingState(new MemoryState());
  snapshotOf([9, 5], state);
  const again = (unitStake: bigint): bigint => {
    const parameters = new ParameterStore({ ...modules, verifiers: { ...modules.verifiers, unitStake } });
    const call = ModuleCall.ofProtocol({ address: VERIFIERS_ADDRESS, parameters }, state, environment);
    takeSnapshot(call, [account(0), account(1)]);
    return snapshotTotal(call, 1n);
  };
  expect(again(UNIT)).toBe(14n);
  expect(again(2n * UNIT)).toBe(6n);
});

describe("over many seats", () => {
  /** Pearson's statistic. Its mean is the number of verifiers less one, its deviation the root of twice that. */
  function chiSquare(counts: ReadonlyMap<string, number>, expected: ReadonlyMap<string, number>): number {
    return [...expected].reduce((sum, [address, mean]) => sum + ((counts.get(address) ?? 0) - mean) ** 2 / mean, 0);
  }

  const SEATS = 8_000;
  const units = Array.from({ length: 40 }, (_, index) => 1 + ((index * index * 7) % 50));

  it.each([
    ["alpha", []],
    ["beta", []],
    ["gamma", [3, 7, 39]],
    ["delta", [0]],
  ] as const)("each verifier gets its share of units (seed %s, excluded %j)", (seed, excluded) => {
    const call = snapshotOf(units);
    const out = excluded.map(account);
    const counts = new Map<string, number>();
    for (let seat = 0; seat < SEATS; seat++) {
      const drawn = drawVerifier(call, 1n, utf8(seed), seat, out) ?? "nobody";
      counts.set(drawn, (counts.get(drawn) ?? 0) + 1);
    }
    const left = units.map((count, index) => [account(index), count] as const).filter(([who]) => !out.includes(who));
    const total = left.reduce((sum, [, count]) => sum + count, 0);
    const expected = new Map<string, number>(left.map(([who, count]) => [who, (SEATS * count) / total]));
    expect([...counts.keys()].filter((who) => !expected.has(who))).toEqual([]);
    const freedom = left.length - 1;
    const statistic = chiSquare(counts, expected);
    // Four deviations either way: too even would be as wrong as too uneven.
    expect(Math.abs(statistic - freedom)).toBeLessThan(4 * Math.sqrt(2 * freedom));
  });

  it("consecutive seats are independent: pairs come as often as their units say", () => {
    const few = [1, 2, 3, 4];
    const call = snapshotOf(few);
    const drawn = Array.from({ length: SEATS + 1 }, (_, seat) => drawVerifier(call, 1n, utf8("pairs"), seat, []));
    const counts = new Map<string, number>();
    for (let i = 0; i < SEATS; i++) {
      const pair = `${drawn[i]} ${drawn[i + 1]}`;
      counts.set(pair, (counts.get(pair) ?? 0) + 1);
    }
    const expected = new Map(
      few.flatMap((a, i) => few.map((b, j) => [`${account(i)} ${account(j)}`, (SEATS * a * b) / 100] as const)),
    );
    // Overlapping pairs vary a little more than independent ones; five deviations leave room for that.
    expect(chiSquare(counts, expected)).toBeLessThan(15 + 5 * Math.sqrt(30));
  });
});
