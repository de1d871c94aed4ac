/** The mempool's journal on a simulated disk: what was acknowledged to clients survives a crash. */
import type { Prng } from "../../base/prng.ts";
import type { NodeParts } from "../../chain/runtime/node.ts";
import { chance } from "./chance.ts";
import type { Device } from "./device.ts";
import type { Lifetime } from "./lifetime.ts";

/** As the real one, but earlier: the more so it is tested. */
const LEAST_COMPACTED = 8;

interface JournalWrite {
  readonly type: "append" | "replace";
  readonly raws: readonly Uint8Array[];
}

export class SimJournal {
  readonly #device: Device;
  #raws: Uint8Array[] = [];
  #writes: JournalWrite[] = [];

  constructor(device: Device) {
    this.#device = device;
  }

  /** What is durable. */
  get raws(): readonly Uint8Array[] {
    return this.#raws;
  }

  open(life: Lifetime): NodeParts["journal"] {
    const write = (entry: JournalWrite): Promise<void> =>
      new Promise((resolve) => {
        if (life.isOver) return;
        this.#writes.push(entry);
        this.#device.write(
          life,
          () => this.#finish(),
          () => life.settle(resolve),
        );
      });
    return {
      append: (raws) => write({ type: "append", raws }),
      isCompactionDue: (waiting) => this.#raws.length >= LEAST_COMPACTED && this.#raws.length > 2 * waiting,
      compact: (live) => write({ type: "replace", raws: [...live()] }),
    };
  }

  crash(prng: Prng): void {
    for (const { type, raws } of this.#writes) {
      if (type === "replace") {
        if (chance(prng, 0.5)) break;
        this.#raws = [...raws];
        continue;
      }
      const kept = prng.below(raws.length + 1);
      this.#raws.push(...raws.slice(0, kept));
      if (kept < raws.length) break;
    }
    this.#writes = [];
  }

  wipe(): void {
    this.#raws = [];
    this.#writes = [];
  }

  #finish(): void {
    const write = this.#writes.shift();
    if (write?.type === "append") this.#raws.push(...write.raws);
    else if (write !== undefined) this.#raws = [...write.raws];
  }
}
