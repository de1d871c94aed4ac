/** Which code is still to be fetched. Accounts name it by its hash; one piece may belong to many of them. */
import type { Hex } from "../../base/bytes.ts";

export class CodeBoard {
  readonly #known: Set<Hex>;
  /** Wanted, and asked of nobody. */
  readonly #idle = new Set<Hex>();
  readonly #asked = new Set<Hex>();

  constructor(known: Iterable<Hex> = []) {
    this.#known = new Set(known);
  }

  get isDone(): boolean {
    return this.#idle.size === 0 && this.#asked.size === 0;
  }

  get idle(): number {
    return this.#idle.size;
  }

  get known(): number {
    return this.#known.size;
  }

  want(hashes: Iterable<Hex>): void {
    for (const hash of hashes) if (!this.#known.has(hash) && !this.#asked.has(hash)) this.#idle.add(hash);
  }

  take(count: number): readonly Hex[] {
    const taken: Hex[] = [];
    for (const hash of this.#idle) {
      if (taken.length === count) break;
      taken.push(hash);
    }
    for (const hash of taken) {
      this.#idle.delete(hash);
      this.#asked.add(hash);
    }
    return taken;
  }

  putBack(hashes: readonly Hex[]): void {
    for (const hash of hashes) if (this.#asked.delete(hash)) this.#idle.add(hash);
  }

  fetched(hashes: readonly Hex[]): void {
    for (const hash of hashes) {
      this.#asked.delete(hash);
      this.#known.add(hash);
    }
  }
}
