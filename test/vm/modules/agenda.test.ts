/** The agenda does what is due, when it is due, oldest first and within the budget of a block. */

import { decodeEventLog } from "viem";
import { describe, expect, it } from "vitest";
import { bls } from "../../../base/bls.ts";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { Prng } from "../../../base/prng.ts";
import { devnetSpec } from "../../../genesis/development-validators.ts";
import type { BlockEnvironment } from "../../../vm/execution/environment.ts";
import { agendaAbi } from "../../../vm/interfaces/abi/agenda.ts";
import { AGENDA_ADDRESS, CLOCK_ADDRESS, TOKEN_ADDRESS, TREASURY_ADDRESS } from "../../../vm/modules/addresses.ts";
import { createAgendaModule } from "../../../vm/modules/agenda/agenda.ts";
import { AGENDA_GAS_PER_BLOCK } from "../../../vm/modules/agenda/limits.ts";
import { type AgendaEntry, cancel, type Due, dueOf, nextDue, schedule } from "../../../vm/modules/agenda/schedule.ts";
import { ModuleCall, ModuleRevert } from "../../../vm/modules/module-call.ts";
import { ParameterStore } from "../../../vm/modules/parameter-store.ts";
import { slotOf } from "../../../vm/modules/storage.ts";
import { MemoryState } from "../../../vm/state/memory-state.ts";
import { WorkingState } from "../../../vm/state/working-state.ts";

const QUICK = 1;
const SLOW = 2;
const FAILS = 3;

/** Only the agenda and the time: what it does is noted. */
class Desk {
  readonly state = new WorkingState(new MemoryState());
  readonly done: string[] = [];
  readonly logs: string[] = [];
  #number = 0n;
  #time = 0n;
  readonly #module = createAgendaModule(new ParameterStore(devnetSpec(1, bls).modules), [
    { module: TOKEN_ADDRESS, kind: QUICK, run: (call, id) => this.#note(call, id) },
    {
      module: TOKEN_ADDRESS,
      kind: SLOW,
      run: (call, id) => {
        this.#note(call, id);
        call.charge(AGENDA_GAS_PER_BLOCK / 3n);
      },
    },
    {
      module: TREASURY_ADDRESS,
      kind: FAILS,
      run: (call, id) => {
        this.#note(call, id);
        call.write(slotOf("half done"), 1n);
        throw new ModuleRevert("no");
      },
    },
  ]);

  #note(call: ModuleCall, id: bigint): void {
    this.done.push(`${call.address.slice(-1)}:${id}`);
  }

  get call(): ModuleCall {
    const environment = { number: this.#number } as BlockEnvironment;
    return ModuleCall.ofProtocol({ address: TOKEN_ADDRESS }, this.state, environment);
  }

  plan(due: Due, id: bigint, kind = QUICK): void {
    schedule(this.call, due, entry(id, kind));
  }

  /** What the block does. */
  block(seconds = 1n): readonly string[] {
    this.#number++;
    this.#time += seconds;
    this.call.in(CLOCK_ADDRESS).write(slotOf("clock"), (this.#time * 1000n) << 128n);
    this.done.length = 0;
    const call = ModuleCall.ofProtocol(this.#module, this.state, { number: this.#number } as BlockEnvironment);
    this.#module.beginBlock?.(call);
    this.state.endTransaction();
    for (const { topics, data } of call.logs) {
      const log = { topics: topics as [Hex], data: bytesToHex(data) };
      const event = decodeEventLog({ abi: agendaAbi, eventName: "Failed", strict: true, ...log });
      this.logs.push(`${event.args?.kind} ${event.args?.id} ${event.args?.reason}`);
    }
    return [...this.done];
  }
}

function entry(id: bigint, kind = QUICK): AgendaEntry {
  return { module: kind === FAILS ? TREASURY_ADDRESS : TOKEN_ADDRESS, kind, id };
}

describe("the agenda", () => {
  it("does work in the block or at the time that it waits for, and once", () => {
    const desk = new Desk();
    desk.plan({ block: 3n }, 30n);
    desk.plan({ time: 2n }, 20n);
    desk.plan({ block: 2n }, 21n);
    expect(nextDue(desk.state)).toEqual({ block: 2n, time: 2n });
    expect(desk.block()).toEqual([]);
    expect(desk.block()).toEqual(["1:21", "1:20"]);
    expect(nextDue(desk.state)).toEqual({ block: 3n, time: undefined });
    expect(desk.block()).toEqual(["1:30"]);
    expect(nextDue(desk.state)).toEqual({ block: undefined, time: undefined });
    expect(desk.block()).toEqual([]);
  });

  it("costs as much more as others wait for what is due later, which an estimate has not seen; room for thousands is enough", () => {
    const gasAfter = (others: readonly bigint[]): bigint => {
      const desk = new Desk();
      for (const [index, time] of others.entries()) desk.plan({ time }, BigInt(index + 1));
      const { call } = desk;
      schedule(call, { time: 10_000n }, entry(9_999n));
      return call.gasUsed;
    };
    const more = (count: number): bigint => {
      const others = Array.from({ length: count }, (_, index) => BigInt(index + 1));
      return gasAfter(others.map((time) => 20_000n + time)) - gasAfter(others);
    };
    expect(more(7)).toBeGreaterThan(20_000n);
    expect(more(4_000)).toBeLessThan(200_000n);
  });

  it("moves what is scheduled again, and drops what is cancelled", () => {
    const desk = new Desk();
    desk.plan({ block: 1n }, 1n);
    desk.plan({ time: 5n }, 1n);
    desk.plan({ time: 6n }, 2n);
    cancel(desk.call, entry(2n));
    cancel(desk.call, entry(99n));
    expect(dueOf(desk.call, entry(1n))).toEqual({ time: 5n });
    expect(dueOf(desk.call, entry(2n))).toBeUndefined();
    expect(desk.block()).toEqual([]);
    expect(desk.block(10n)).toEqual(["1:1"]);
  });

  it("leaves to the next block what the budget of a block does not cover, oldest first", () => {
    const desk = new Desk();
    for (let id = 1n; id <= 7n; id++) desk.plan({ time: 8n - id }, id, SLOW);
    expect(desk.block(100n)).toEqual(["1:7", "1:6", "1:5"]);
    desk.plan({ time: 1n }, 9n, SLOW);
    expect(desk.block()).toEqual(["1:9", "1:4", "1:3"]);
    expect(nextDue(desk.state)).toEqual({ block: undefined, time: 6n });
    expect(desk.block()).toEqual(["1:2", "1:1"]);
  });

  it("undoes and tells what fails, and goes on", () => {
    const desk = new Desk();
    desk.plan({ block: 1n }, 5n, FAILS);
    desk.plan({ block: 1n }, 6n);
    expect(desk.block()).toEqual(["1:6", "9:5"]);
    expect(desk.state.storage(TREASURY_ADDRESS, slotOf("half done"))).toEqual(new Uint8Array());
    expect(desk.logs).toEqual(["3 5 no"]);
  });

  it("keeps the order of any number of entries, whatever is moved and cancelled meanwhile", () => {
    const desk = new Desk();
    const prng = new Prng("agenda");
    const due = new Map<bigint, bigint>();
    for (let step = 0; step < 600; step++) {
      const id = BigInt(prng.below(120));
      if (prng.below(4) === 0) {
        cancel(desk.call, entry(id));
        due.delete(id);
      } else {
        const time = BigInt(1 + prng.below(40));
        desk.plan({ time }, id);
        due.set(id, time);
      }
    }
    expect(due.size).toBeGreaterThan(60);
    for (let time = 1n; time <= 40n; time++) {
      const expected = [...due].filter(([, at]) => at === time).map(([id]) => id);
      expected.sort((a, b) => (a < b ? -1 : 1));
      expect(desk.block()).toEqual(expected.map((id) => `1:${id}`));
    }
    // Nothing is left behind in the state.
    const slots = desk.state.changes().storage.get(AGENDA_ADDRESS) ?? new Map<string, Uint8Array>();
    expect([...slots.values()].every((value) => value.length === 0)).toBe(true);
  });
});
