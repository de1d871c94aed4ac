/**
 * The consensus log on a simulated disk: writes become durable in order, and a crash keeps some beginning of those that
 * are not durable yet.
 */
import type { Prng } from "../../base/prng.ts";
import type { LogRecord } from "../../chain/consensus/types.ts";
import type { DriverLog } from "../../chain/runtime/driver.ts";
import { chance } from "./chance.ts";
import type { Device } from "./device.ts";
import type { Lifetime } from "./lifetime.ts";

interface LogWrite {
  readonly type: "append" | "replace";
  readonly records: readonly LogRecord[];
}

export class SimLog {
  readonly #device: Device;
  #records: LogRecord[] = [];
  #writes: LogWrite[] = [];

  constructor(device: Device) {
    this.#device = device;
  }

  /** What is durable. */
  get records(): readonly LogRecord[] {
    return this.#records;
  }

  open(life: Lifetime): DriverLog {
    let onSynced: (position: number) => void = () => undefined;
    const write = (entry: LogWrite, then: () => void): void => {
      if (life.isOver) return;
      this.#writes.push(entry);
      this.#device.write(life, () => this.#finish(), then);
    };
    return {
      append: (records, position) => write({ type: "append", records }, () => onSynced(position)),
      replace: (records) => write({ type: "replace", records }, () => undefined),
      onSynced: (listener) => {
        onSynced = listener;
      },
    };
  }

  /** The power fails. */
  crash(prng: Prng): void {
    for (const { type, records } of this.#writes) {
      if (type === "replace") {
        if (chance(prng, 0.5)) break;
        this.#records = [...records];
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
    this.#writes = [];
  }

  #finish(): void {
    const write = this.#writes.shift();
    if (write?.type === "append") this.#records.push(...write.records);
    else if (write !== undefined) this.#records = [...write.records];
  }
}
