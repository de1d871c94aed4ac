/** Remembers what was made of content-addressed bytes, the longest unused forgotten first: nobody's answer depends on it. */
import type { Hex } from "../../../base/bytes.ts";

interface Cached<Value> {
  readonly value: Value;
  readonly bytes: number;
}

export class ContentCache<Value> {
  readonly #entries = new Map<Hex, Cached<Value>>();
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxEntries: number, maxBytes: number) {
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** What `make` gives for this address, made once while it is remembered. */
  get(address: Hex, bytes: number, make: () => Value): Value {
    const known = this.#entries.get(address);
    this.#forget(address);
    const entry = known ?? { value: make(), bytes };
    if (entry.bytes > this.#maxBytes) return entry.value;
    this.#entries.set(address, entry);
    this.#bytes += entry.bytes;
    while (this.#entries.size > this.#maxEntries || this.#bytes > this.#maxBytes) {
      const [oldest] = this.#entries.keys();
      this.#forget(oldest as Hex);
    }
    return entry.value;
  }

  #forget(address: Hex): void {
    this.#bytes -= this.#entries.get(address)?.bytes ?? 0;
    this.#entries.delete(address);
  }
}
