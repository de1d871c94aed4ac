/**
 * The consensus log on a simulated disk: writes become durable in order, and a crash keeps some beginning of those that
 * are not durable yet.
 */
import type { Prng } from "../../base/prng.ts";
import type { SignFloor } from "../../chain/consensus/guard.ts";
import type { LogRecord } from "../../chain/consensus/types.ts";
import type { DriverLog } from "../../chain/runtime/driver.ts";
import { votesIn } from "../../chain/wal/log-file.ts";
import { floorAfter, NO_FLOOR } from "../../chain/wal/log-header.ts";
import { chance } from "./chance.ts";
import type { Device } from "./device.ts";
import type { Lifetime } from "./lifetime.ts";

interface LogWrite {
  readonly type: "append" | "replace";
  readonly records: readonly LogRecord[];
  /** Of the log once this is written. */
  readonly floor: SignFloor;
}

export class SimLog {
  readonly #device: Device;
  #records: LogRecord[] = [];
  #floor: SignFloor = NO_FLOOR;
  #writes: LogWrite[] = [];

  constructor(device: Device) {
    this.#device = device;
  }

  /** What is durable. */
  get records(): readonly LogRecord[] {
    return this.#records;
  }

  /** Durable too: nothing may be signed at or below. */
  get floor(): SignFloor {
    return this.#floor;
  }

  open(life: Lifetime): DriverLog {
    let onSynced: (position: number) => void = () => undefined;
    let [held, floor] = [[...this.#records], this.#floor];
    const write = (entry: LogWrite, then: () => void): void => {
      if (life.isOver) return;
      this.#writes.push(entry);
      this.#device.write(life, () => this.#finish(), then);
    };
    return {
      append: (records, position) => {
        held.push(...records);
        write({ type: "append", records, floor }, () => onSynced(position));
      },
      replace: (records) => {
        floor = floorAfter(floor, votesIn(held), votesIn(records));
        held = [...records];
        write({ type: "replace", records, floor }, () => undefined);
      },
      onSynced: (listener) => {
        onSynced = listener;
      },
    };
  }

  /** The power fails. */
  crash(prng: Prng): void {
    for (const entry of this.#writes) {
      const { type, records } = entry;
      if (type === "replace") {
        if (chance(prng, 0.5)) break;
        this.#apply(entry);
        continue;
      }
      const kept = prng.below(records.length + 1);
      this.#records.push(...records.slice(0, kept));
      if (kept < records.length) break;
    }
    this.#writes = [];
  }

  wipe(): void {
    this.#records = [];
    this.#floor = NO_FLOOR;
    this.#writes = [];
  }

  #finish(): void {
    const write = this.#writes.shift();
    if (write !== undefined) this.#apply(write);
  }

  #apply({ type, records, floor }: LogWrite): void {
    if (type === "append") this.#records.push(...records);
    else this.#records = [...records];
    this.#floor = floor;
  }
}
