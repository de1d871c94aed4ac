/** Chains of launches as native code takes them: each argument with the memory that it lies in. */
import type { CpuLaunch } from "../native/addon.ts";
import type { Memory } from "./engine.ts";
import { type Chain, type NativeLaunch, writtenBuffer } from "./plan-launches.ts";

/**
 * A chain whose result would overwrite what it still reads makes it in other memory; from there on, and until the batch is
 * settled, the two buffers have changed places.
 */
export class NativeOrders {
  readonly #memory: Memory;
  /** Buffer -> the one in whose memory it lies, for those that have moved. */
  readonly #moved = new Map<number, number>();

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  orderOf({ launches, chained, place }: Chain): CpuLaunch {
    const [head, ...others] = launches as readonly [NativeLaunch, ...NativeLaunch[]];
    const at = this.#place(place);
    const order = {
      ...this.#bind(head, at),
      followers: others.map((launch, i) => ({ ...this.#bind(launch, at), chained: chained[i] ?? 0 })),
    };
    const result = writtenBuffer(launches.at(-1) as NativeLaunch) as number;
    if (result !== place) this.#exchange(result, place);
    return order;
  }

  /** Puts what is still needed where it belongs. */
  settle(isLive: (buffer: number) => boolean): void {
    const taken = [...this.#moved].filter(([buffer, at]) => buffer !== at && isLive(buffer));
    const contents = taken.map(([, at], i) => {
      const view = this.#memory.buffer(at);
      // Taken out where one before it goes to that place.
      return taken.slice(0, i).some(([buffer]) => buffer === at) ? view.slice() : view;
    });
    for (const [i, [buffer]] of taken.entries()) this.#memory.buffer(buffer).set(contents[i] as Uint8Array);
    this.#moved.clear();
  }

  #place(buffer: number): number {
    return this.#moved.get(buffer) ?? buffer;
  }

  #exchange(a: number, b: number): void {
    const [first, second] = [this.#place(a), this.#place(b)];
    this.#moved.set(a, second);
    this.#moved.set(b, first);
  }

  #bind({ kernel, scheduled: { launch, arguments: bound } }: NativeLaunch, result: number): CpuLaunch {
    const last = bound.length - 1;
    return {
      ...{ kernel, grid: launch.grid },
      values: bound.map((value, i) => {
        if (value.kind === "bytes") return value.bytes;
        return this.#memory.buffer(i === last ? result : this.#place(value.buffer));
      }),
      isBuffer: bound.map(({ kind }) => kind === "buffer"),
    };
  }
}

/** Launches before the stage, and the part of those in it. */
export function launchesDone(batch: readonly Chain[], stages: number): number {
  const whole = Math.floor(stages);
  const first = batch[0]?.launches[0]?.scheduled.index ?? 0;
  const before = batch.slice(0, whole).reduce((sum, { launches }) => sum + launches.length, first);
  return before + (stages - whole) * (batch[whole]?.launches.length ?? 0);
}
