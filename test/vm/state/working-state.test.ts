import fc from "fast-check";
import { expect, test as it } from "vitest";
import type { Hex } from "../../../base/bytes.ts";
import { type Account, type Address, EMPTY_CODE_HASH } from "../../../vm/state/account.ts";
import { MemoryState } from "../../../vm/state/memory-state.ts";
import { OverlayState } from "../../../vm/state/overlay.ts";
import { WorkingState } from "../../../vm/state/working-state.ts";

const ADDRESSES: readonly Address[] = [1, 2, 3].map((n) => `0x${n.toString().padStart(40, "0")}` as Address);
const SLOTS: readonly Hex[] = [1, 2].map((n) => `0x${n.toString().padStart(64, "0")}` as Hex);

type Step =
  | { readonly kind: "balance"; readonly address: Address; readonly balance: bigint }
  | { readonly kind: "delete"; readonly address: Address }
  | { readonly kind: "slot"; readonly address: Address; readonly slot: Hex; readonly value: number }
  | { readonly kind: "clear"; readonly address: Address }
  | { readonly kind: "mint"; readonly address: Address; readonly amount: bigint }
  | { readonly kind: "burn"; readonly amount: bigint }
  | { readonly kind: "checkpoint" | "revert" | "commit" | "end" };

const address = fc.constantFrom(...ADDRESSES);
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("balance" as const), address, balance: fc.bigInt(0n, 9n) }),
  fc.record({ kind: fc.constant("delete" as const), address }),
  fc.record({
    kind: fc.constant("slot" as const),
    address,
    slot: fc.constantFrom(...SLOTS),
    value: fc.integer({ min: 0, max: 3 }),
  }),
  fc.record({ kind: fc.constant("clear" as const), address }),
  fc.record({ kind: fc.constant("mint" as const), address, amount: fc.bigInt(1n, 9n) }),
  fc.record({ kind: fc.constant("burn" as const), amount: fc.bigInt(1n, 9n) }),
  fc.record({ kind: fc.constantFrom("checkpoint", "revert", "commit", "end" as const) }),
);

/** Everything there is to see, copied: reverting is taking an older copy. */
interface Picture {
  readonly balances: Record<Address, bigint>;
  readonly slots: Record<string, number>;
  minted: bigint;
  burned: bigint;
}

function parentState(): MemoryState {
  const parent = new MemoryState();
  const first: Account = { nonce: 0n, balance: 5n, codeHash: EMPTY_CODE_HASH };
  parent.apply({
    accounts: new Map([[ADDRESSES[0] as Address, first]]),
    storage: new Map([[ADDRESSES[0] as Address, new Map([[SLOTS[0] as Hex, new Uint8Array([2])]])]]),
    code: new Map(),
  });
  return parent;
}

function pictureOf(state: WorkingState | OverlayState): Omit<Picture, "minted" | "burned"> {
  const balances: Record<Address, bigint> = {};
  const slots: Record<string, number> = {};
  for (const name of ADDRESSES) {
    balances[name] = state.account(name)?.balance ?? 0n;
    for (const slot of SLOTS) slots[name + slot] = state.storage(name, slot)[0] ?? 0;
  }
  return { balances, slots };
}

/** The naive model: one step on a copied picture. `written` are slots that this block wrote. */
function model(picture: Picture, step: Step, written: Set<string>): Picture {
  const next = structuredClone(picture);
  if (step.kind === "balance") next.balances[step.address] = step.balance;
  if (step.kind === "delete") next.balances[step.address] = 0n;
  if (step.kind === "slot") {
    next.slots[step.address + step.slot] = step.value;
    written.add(step.address + step.slot);
  }
  if (step.kind === "clear") {
    for (const slot of SLOTS) if (written.has(step.address + slot)) next.slots[step.address + slot] = 0;
  }
  if (step.kind === "mint") {
    next.balances[step.address] = (next.balances[step.address] ?? 0n) + step.amount;
    next.minted += step.amount;
  }
  if (step.kind === "burn") next.burned += step.amount;
  return next;
}

function apply(state: WorkingState, step: Step): void {
  if (step.kind === "balance") state.setBalance(step.address, step.balance);
  if (step.kind === "delete") state.setAccount(step.address, undefined);
  if (step.kind === "slot") {
    state.setStorage(step.address, step.slot, step.value === 0 ? new Uint8Array(0) : new Uint8Array([step.value]));
  }
  if (step.kind === "clear") state.clearStorage(step.address);
  if (step.kind === "mint") state.mint(step.address, step.amount);
  if (step.kind === "burn") state.recordBurn(step.amount);
}

it("any sequence of writes, checkpoints and reverts reads as in a model that copies everything", () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 60 }), (sequence) => {
      const parent = parentState();
      const state = new WorkingState(parent);
      const before = pictureOf(state);
      let now: Picture = { ...before, minted: 0n, burned: 0n };
      let atStart = now;
      let written = new Set<string>();
      const marks: { mark: number; picture: Picture; written: Set<string> }[] = [];
      for (const step of sequence) {
        if (step.kind === "checkpoint")
          marks.push({ mark: state.checkpoint(), picture: now, written: new Set(written) });
        else if (step.kind === "commit") marks.pop();
        else if (step.kind === "revert") {
          const last = marks.pop();
          if (last !== undefined) {
            state.revert(last.mark);
            now = last.picture;
            written = last.written;
          }
        } else if (step.kind === "end") {
          state.endTransaction();
          marks.length = 0;
          atStart = now;
        } else {
          apply(state, step);
          now = model(now, step, written);
        }
        expect(pictureOf(state)).toEqual({ balances: now.balances, slots: now.slots });
        expect([state.minted, state.burned]).toEqual([now.minted, now.burned]);
        for (const name of ADDRESSES) {
          for (const slot of SLOTS) expect(state.originalStorage(name, slot)[0] ?? 0).toBe(atStart.slots[name + slot]);
        }
      }
      const sum = (picture: { balances: Record<Address, bigint> }): bigint =>
        Object.values(picture.balances).reduce((total, balance) => total + balance, 0n);
      expect(state.balanceDelta).toBe(sum(now) - sum(before));
      // The changes, over the parent or applied to it, are the same state.
      expect(pictureOf(new OverlayState(state.changes(), parent))).toEqual(pictureOf(state));
      parent.apply(state.changes());
      expect(pictureOf(new WorkingState(parent))).toEqual(pictureOf(state));
    }),
    { numRuns: 500 },
  );
});
