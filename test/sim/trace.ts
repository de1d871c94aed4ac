/** A hash over everything that happened, in order: two runs of one seed must agree on it. */

type Part = string | number | undefined;

/** FNV-1a in two lanes with different offsets: not secure, but fast, and any difference shows. */
export class Trace {
  #low = 0x811c9dc5;
  #high = 0x050c5d1f;
  #lines = 0;
  readonly #listener: ((line: string) => void) | undefined;

  constructor(listener?: (line: string) => void) {
    this.#listener = listener;
  }

  /** Times and numbers have no more than three decimals. */
  add(...parts: readonly Part[]): void {
    this.#lines++;
    for (const part of parts) {
      if (typeof part === "number") this.#mix(Math.round(part * 1_000));
      else if (part !== undefined) for (let i = 0; i < part.length; i++) this.#mix(part.charCodeAt(i));
      this.#mix(-1);
    }
    this.#listener?.(parts.map((part) => (typeof part === "number" ? String(part) : (part ?? ""))).join(" "));
  }

  get lines(): number {
    return this.#lines;
  }

  get hash(): string {
    return [this.#low, this.#high].map((lane) => (lane >>> 0).toString(16).padStart(8, "0")).join("");
  }

  #mix(code: number): void {
    this.#low = Math.imul(this.#low ^ code, 0x01000193);
    this.#high = Math.imul(this.#high ^ code, 0x01000197) ^ (this.#low >>> 13);
  }
}
