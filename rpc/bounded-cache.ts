/** Values by number, the ones used last; their weights together stay within a bound, or one value above. */
export class BoundedCache<Value> {
  readonly #bound: number;
  readonly #weightOf: (value: Value) => number;
  /** The longest unused first. */
  readonly #values = new Map<number, Value>();
  #weight = 0;

  constructor(bound: number, weightOf: (value: Value) => number) {
    this.#bound = bound;
    this.#weightOf = weightOf;
  }

  /** What `read` answers with is kept, unless that is nothing. */
  get(key: number, read: () => Value | undefined): Value | undefined {
    const known = this.#values.get(key);
    if (known !== undefined) {
      this.#values.delete(key);
      this.#values.set(key, known);
      return known;
    }
    const value = read();
    if (value === undefined) return undefined;
    this.#values.set(key, value);
    this.#weight += this.#weightOf(value);
    for (const [oldest, dropped] of this.#values) {
      if (this.#weight <= this.#bound || oldest === key) break;
      this.#values.delete(oldest);
      this.#weight -= this.#weightOf(dropped);
    }
    return value;
  }
}
