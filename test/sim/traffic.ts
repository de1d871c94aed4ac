/** Bytes that every node sent and received. */
export class Traffic {
  readonly #up: Float64Array;
  readonly #down: Float64Array;

  constructor(nodes: number) {
    this.#up = new Float64Array(nodes);
    this.#down = new Float64Array(nodes);
  }

  sent(node: number, bytes: number, receivers: number): void {
    this.#up[node] = (this.#up[node] ?? 0) + bytes * receivers;
  }

  received(node: number, bytes: number): void {
    this.#down[node] = (this.#down[node] ?? 0) + bytes;
  }

  perBlock(blocks: number): {
    readonly bytesPerBlock: number;
    readonly mostBytes: { readonly up: number; readonly down: number };
  } {
    const total = this.#up.reduce((sum, bytes) => sum + bytes, 0);
    return {
      bytesPerBlock: Math.round(total / this.#up.length / blocks),
      mostBytes: { up: Math.round(Math.max(...this.#up) / blocks), down: Math.round(Math.max(...this.#down) / blocks) },
    };
  }
}
