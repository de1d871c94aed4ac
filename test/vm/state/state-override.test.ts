import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EMPTY_BYTES, type Hex } from "../../../base/bytes.ts";
import { EMPTY_CODE_HASH } from "../../../vm/state/account.ts";
import { GrowingOverlay } from "../../../vm/state/growing-overlay.ts";
import { MemoryState } from "../../../vm/state/memory-state.ts";
import { OverlayState } from "../../../vm/state/overlay.ts";
import type { StateReader } from "../../../vm/state/reader.ts";
import { movedByOverrides, overriddenState, slotValue } from "../../../vm/state/state-override.ts";
import { WorkingState } from "../../../vm/state/working-state.ts";

const A: Hex = "0x00000000000000000000000000000000000000aa";
const B: Hex = "0x00000000000000000000000000000000000000bb";
const slot = (number: number): Hex => `0x${number.toString(16).padStart(64, "0")}`;

function parentState(): StateReader {
  const state = new WorkingState(new MemoryState());
  state.setAccount(A, { nonce: 3n, balance: 100n, codeHash: EMPTY_CODE_HASH });
  state.setStorage(A, slot(1), new Uint8Array([7]));
  const memory = new MemoryState();
  memory.apply(state.changes());
  return memory;
}

describe("overriddenState", () => {
  it("changes what is named and leaves the rest", () => {
    const state = overriddenState(parentState(), new Map([[A, { balance: 5n, code: new Uint8Array([0xfe]) }]]));
    const account = state.account(A);
    expect(account).toMatchObject({ nonce: 3n, balance: 5n });
    expect(state.code(account?.codeHash ?? EMPTY_CODE_HASH)).toEqual(new Uint8Array([0xfe]));
    expect(state.storage(A, slot(1))).toEqual(new Uint8Array([7]));
    expect(state.account(B)).toBeUndefined();
  });

  it("replaces all slots with state, and some with stateDiff", () => {
    const other = new Map([[slot(2), new Uint8Array([9])]]);
    const diff = overriddenState(parentState(), new Map([[A, { stateDiff: other }]]));
    expect([diff.storage(A, slot(1)), diff.storage(A, slot(2))]).toEqual([new Uint8Array([7]), new Uint8Array([9])]);
    const whole = overriddenState(parentState(), new Map([[A, { state: other }]]));
    expect([whole.storage(A, slot(1)), whole.storage(A, slot(2))]).toEqual([EMPTY_BYTES, new Uint8Array([9])]);
    expect(overriddenState(parentState(), new Map([[A, { state: new Map() }]])).hasStorage(A)).toBe(false);
  });

  it("is the parent itself when nothing is named", () => {
    const parent = parentState();
    expect(overriddenState(parent, new Map())).toBe(parent);
    expect(movedByOverrides(new Map())).toBeUndefined();
  });

  it("keeps values in their shortest form", () => {
    expect(slotValue(new Uint8Array([0, 0, 5]))).toEqual(new Uint8Array([5]));
    expect(slotValue(new Uint8Array(32))).toEqual(EMPTY_BYTES);
  });
});

it("a growing overlay reads as a stack of overlays does", () => {
  const change = fc.record({
    address: fc.constantFrom(A, B),
    balance: fc.option(fc.bigInt({ min: 1n, max: 1000n }), { nil: undefined }),
    at: fc.nat({ max: 3 }),
    value: fc.nat({ max: 255 }),
  });
  fc.assert(
    fc.property(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 5 }), (rounds) => {
      const parent = parentState();
      const growing = new GrowingOverlay(parent);
      let stacked: StateReader = parent;
      for (const round of rounds) {
        const work = new WorkingState(stacked);
        for (const { address, balance, at, value } of round) {
          const account = { nonce: 0n, balance: balance ?? 0n, codeHash: EMPTY_CODE_HASH };
          work.setAccount(address, balance === undefined ? undefined : account);
          work.setStorage(address, slot(at), value === 0 ? EMPTY_BYTES : new Uint8Array([value]));
        }
        const changes = work.changes();
        growing.apply(changes);
        stacked = new OverlayState(changes, stacked);
      }
      for (const address of [A, B]) {
        expect(growing.account(address)).toEqual(stacked.account(address));
        for (const at of [0, 1, 2, 3])
          expect(growing.storage(address, slot(at))).toEqual(stacked.storage(address, slot(at)));
      }
    }),
  );
});
