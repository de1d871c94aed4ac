/** Bytes that every node sent and received. */
export interface BytesPerBlock {
  /** On average over the nodes. */
  readonly up: number;
  readonly down: number;
  /** Of the node that sent the most, and of the one that received the most. */
  readonly mostUp: number;
  readonly mostDown: number;
}

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

  perBlock(blocks: number): BytesPerBlock {
    const mean = (bytes: Float64Array): number =>
      Math.round(bytes.reduce((sum, own) => sum + own, 0) / bytes.length / blocks);
    const most = (bytes: Float64Array): number => Math.round(Math.max(...bytes) / blocks);
    return { up: mean(this.#up), down: mean(this.#down), mostUp: most(this.#up), mostDown: most(this.#down) };
  }
}
