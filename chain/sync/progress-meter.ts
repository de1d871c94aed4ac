/** Rates and the time left, from the last few seconds. */

interface Sample {
  readonly time: number;
  readonly bytes: number;
  readonly share: number;
}

const WINDOW = 15_000;
/** Samples closer than this are taken for one. */
const SPACING = 500;

export class ProgressMeter {
  readonly #samples: Sample[] = [];

  /** Times are milliseconds; `share` is the part done, from 0 to 1. */
  add(time: number, bytes: number, share: number): void {
    const last = this.#samples.at(-1);
    if (last !== undefined && time - last.time < SPACING) return;
    this.#samples.push({ time, bytes, share });
    while (this.#samples.length > 2 && time - (this.#samples[0] as Sample).time > WINDOW) this.#samples.shift();
  }

  clear(): void {
    this.#samples.length = 0;
  }

  measure(now: number, bytes: number, share: number): { bytesPerSecond: number; secondsLeft: number | undefined } {
    const [oldest] = this.#samples;
    if (oldest === undefined || now <= oldest.time) return { bytesPerSecond: 0, secondsLeft: undefined };
    const seconds = (now - oldest.time) / 1000;
    const bytesPerSecond = (bytes - oldest.bytes) / seconds;
    const sharePerSecond = (share - oldest.share) / seconds;
    return { bytesPerSecond, secondsLeft: sharePerSecond > 0 ? (1 - share) / sharePerSecond : undefined };
  }
}
