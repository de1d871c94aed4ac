/** A matrix of bits: one row of registers for each basic block. */
export class BitRows {
  readonly #words: Uint32Array;
  readonly #stride: number;

  constructor(rows: number, columns: number) {
    this.#stride = (columns + 31) >>> 5;
    this.#words = new Uint32Array(rows * this.#stride);
  }

  has(row: number, column: number): boolean {
    return (((this.#words[row * this.#stride + (column >>> 5)] as number) >>> (column & 31)) & 1) !== 0;
  }

  add(row: number, column: number): void {
    const at = row * this.#stride + (column >>> 5);
    this.#words[at] = (this.#words[at] as number) | (1 << (column & 31));
  }

  remove(row: number, column: number): void {
    const at = row * this.#stride + (column >>> 5);
    this.#words[at] = (this.#words[at] as number) & ~(1 << (column & 31));
  }

  fill(row: number): void {
    this.#words.fill(0xffffffff, row * this.#stride, (row + 1) * this.#stride);
  }

  /** row |= from & ~without, of other matrices of the same shape. Whether anything changed. */
  join(row: number, from: BitRows, fromRow: number, without?: BitRows, withoutRow = 0): boolean {
    let changed = false;
    for (let i = 0; i < this.#stride; i++) {
      let word = from.#words[fromRow * this.#stride + i] as number;
      if (without !== undefined) word &= ~(without.#words[withoutRow * this.#stride + i] as number);
      changed = this.#update(row * this.#stride + i, (old) => old | word) || changed;
    }
    return changed;
  }

  /** row &= from. Whether anything changed. */
  meet(row: number, from: BitRows, fromRow: number): boolean {
    let changed = false;
    for (let i = 0; i < this.#stride; i++) {
      const word = from.#words[fromRow * this.#stride + i] as number;
      changed = this.#update(row * this.#stride + i, (old) => old & word) || changed;
    }
    return changed;
  }

  #update(at: number, change: (old: number) => number): boolean {
    const old = this.#words[at] as number;
    const next = change(old) >>> 0;
    this.#words[at] = next;
    return next !== old;
  }

  /** The columns that are set in a row, ascending. */
  columns(row: number): readonly number[] {
    const found: number[] = [];
    for (let i = 0; i < this.#stride; i++) {
      for (let word = this.#words[row * this.#stride + i] as number; word !== 0; word &= word - 1) {
        found.push(i * 32 + 31 - Math.clz32(word & -word));
      }
    }
    return found;
  }
}
