/**
 * What waits to be sent to all peers together. A frame that goes to everybody is one piece of memory however many wait
 * for it, so it counts once.
 */
export class OutgoingBytes {
  readonly #holders = new Map<Uint8Array, number>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  hold(frame: Uint8Array): void {
    const holders = this.#holders.get(frame) ?? 0;
    if (holders === 0) this.#bytes += frame.length;
    this.#holders.set(frame, holders + 1);
  }

  /** Once for every `hold`. */
  release(frame: Uint8Array): void {
    const holders = this.#holders.get(frame);
    if (holders === undefined) return;
    if (holders > 1) {
      this.#holders.set(frame, holders - 1);
      return;
    }
    this.#holders.delete(frame);
    this.#bytes -= frame.length;
  }
}
