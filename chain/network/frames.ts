/** Messages on a stream: each follows its length, four bytes big-endian. */
import { wireInvalid } from "../wire/errors.ts";

const HEADER_BYTES = 4;
const FIRST_CAPACITY = 4_096;

export function frameOf(message: Uint8Array): Uint8Array {
  const frame = new Uint8Array(HEADER_BYTES + message.length);
  new DataView(frame.buffer).setUint32(0, message.length);
  frame.set(message, HEADER_BYTES);
  return frame;
}

/**
 * Puts chunks together. Memory grows with what has come, to at most twice of it: an announced length alone allocates
 * nothing, and neither do many chunks of a byte. Each message has memory of its own, and keeps no large chunk alive.
 */
export class FrameReader {
  readonly #maxBytes: number;
  #headerFilled = 0;
  #length = 0;
  #body: Uint8Array = new Uint8Array();
  #bodyFilled = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes held of a message that is not complete yet. */
  get buffered(): number {
    return this.#headerFilled + this.#bodyFilled;
  }

  /** The messages that this chunk completes. Throws WIRE_INVALID at a length that is zero or too long. */
  *push(chunk: Uint8Array): Generator<Uint8Array, void, void> {
    let position = 0;
    while (position < chunk.length) {
      if (this.#headerFilled < HEADER_BYTES) {
        this.#length = this.#length * 256 + (chunk[position++] as number);
        if (++this.#headerFilled < HEADER_BYTES) continue;
        this.#checkLength();
        continue;
      }
      const part = chunk.subarray(position, position + this.#length - this.#bodyFilled);
      this.#append(part);
      position += part.length;
      if (this.#bodyFilled === this.#length) yield this.#take();
    }
  }

  #checkLength(): void {
    if (this.#length > 0 && this.#length <= this.#maxBytes) return;
    throw wireInvalid("a message of an impossible length", { length: this.#length, maxBytes: this.#maxBytes });
  }

  #append(part: Uint8Array): void {
    const needed = this.#bodyFilled + part.length;
    if (needed > this.#body.length) {
      const capacity = Math.min(this.#length, Math.max(needed, 2 * this.#body.length, FIRST_CAPACITY));
      const larger = new Uint8Array(capacity);
      larger.set(this.#body.subarray(0, this.#bodyFilled));
      this.#body = larger;
    }
    this.#body.set(part, this.#bodyFilled);
    this.#bodyFilled = needed;
  }

  #take(): Uint8Array {
    const message = this.#body;
    this.#headerFilled = 0;
    this.#length = 0;
    this.#body = new Uint8Array();
    this.#bodyFilled = 0;
    return message;
  }
}
