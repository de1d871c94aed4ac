/** A hash over everything that happened, in order: two runs of one seed must agree on it. */

/** FNV-1a in two lanes with different offsets: not secure, but fast, and any difference shows. */
export class Trace {
  #low = 0x811c9dc5;
  #high = 0x050c5d1f;
  #lines = 0;
  readonly #listener: ((line: string) => void) | undefined;

  constructor(listener?: (line: string) => void) {
    this.#listener = listener;
  }

  add(line: string): void {
    this.#lines++;
    this.#listener?.(line);
    let [low, high] = [this.#low, this.#high];
    for (let i = 0; i < line.length; i++) {
      const code = line.charCodeAt(i);
      low = Math.imul(low ^ code, 0x01000193);
      high = Math.imul(high ^ code, 0x01000197) ^ (low >>> 13);
    }
    this.#low = low;
    this.#high = high;
  }

  get lines(): number {
    return this.#lines;
  }

  get hash(): string {
    return [this.#low, this.#high].map((lane) => (lane >>> 0).toString(16).padStart(8, "0")).join("");
  }
}
