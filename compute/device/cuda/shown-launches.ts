/**
 * What launches wrote, for somebody who looks at each: copied from the GPU while the next launch computes there, and looked at
 * while the one after does.
 */
import type { CudaCopy, CudaSession } from "../../native/addon.ts";
import type { ScheduledLaunch } from "../../program/schedule.ts";
import type { Program } from "../../program/types.ts";
import type { DeviceLaunch, DeviceOptions } from "../device.ts";
import { bufferOf } from "../run-program.ts";

interface Results {
  readonly shown: DeviceLaunch;
  readonly copies: readonly CudaCopy[];
}

export class ShownLaunches {
  readonly #session: CudaSession;
  readonly #program: Program;
  readonly #show: NonNullable<DeviceOptions["onLaunch"]>;
  /** Computed, still on the GPU. */
  #made: Results | undefined;
  /** Here, not shown yet. */
  #copied: Results | undefined;

  constructor(session: CudaSession, program: Program, show: NonNullable<DeviceOptions["onLaunch"]>) {
    this.#session = session;
    this.#program = program;
    this.#show = show;
  }

  /** `launch` runs the launch and meanwhile makes the copies. */
  async during(scheduled: ScheduledLaunch, launch: (copies: readonly CudaCopy[]) => Promise<void>): Promise<void> {
    const next = this.#resultsOf(scheduled);
    const before = this.#made?.copies ?? [];
    const isOverwritten = before.some(({ buffer }) => next.copies.some((copy) => copy.buffer === buffer));
    if (isOverwritten) await this.#copy(before);
    const running = launch(isOverwritten ? [] : before);
    try {
      await this.#showCopied();
    } finally {
      await running;
    }
    this.#copied = this.#made;
    this.#made = next;
  }

  /** The last ones. */
  async rest(): Promise<void> {
    await this.#showCopied();
    await this.#copy(this.#made?.copies ?? []);
    this.#copied = this.#made;
    await this.#showCopied();
  }

  async #showCopied(): Promise<void> {
    if (this.#copied !== undefined) await this.#show(this.#copied.shown);
    this.#copied = undefined;
  }

  async #copy(copies: readonly CudaCopy[]): Promise<void> {
    for (const { buffer, bytes } of copies) await this.#session.download(buffer, 0, bytes);
  }

  #resultsOf(scheduled: ScheduledLaunch): Results {
    const written = scheduled.launch.tiles.map(({ parameter, tile }) => {
      const buffer = bufferOf(scheduled, parameter);
      return { buffer, tile, contents: new Uint8Array(this.#program.buffers[buffer]?.bytes ?? 0) };
    });
    return {
      shown: { scheduled, written },
      copies: written.map(({ buffer, contents }) => ({ buffer, bytes: contents })),
    };
  }
}
