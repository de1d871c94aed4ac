/**
 * Looks over MessagePack bytes before msgpackr sees them, and allows the few forms that we write: unsigned integers,
 * byte strings, ASCII text, arrays, booleans and nil, each in its shortest form. So a message has one encoding, and
 * what makes a general decoder dangerous never reaches it: extensions (msgpackr compiles code for record definitions
 * and follows references), maps with hostile keys, floats, nesting without end, lengths beyond the input.
 *
 * https://github.com/msgpack/msgpack/blob/master/spec.md
 */
import { wireInvalid } from "./errors.ts";
import { MAX_DEPTH } from "./limits.ts";

/** Number.MAX_SAFE_INTEGER has 21 bits above the lower 32. */
const MAX_HIGH_WORD: number = 2 ** 21 - 1;

class Scanner {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #position = 0;
  #items: number;

  constructor(bytes: Uint8Array, maxItems: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#items = maxItems;
  }

  whole(): void {
    this.#value(0);
    if (this.#position !== this.#bytes.length) {
      throw wireInvalid("bytes follow the end of the message", { position: this.#position });
    }
  }

  #value(depth: number): void {
    if (this.#items-- === 0) throw wireInvalid("the message has too many values", { position: this.#position });
    const at = this.#position;
    const token = this.#uint(1);
    if (token <= 0x7f || token === 0xc0 || token === 0xc2 || token === 0xc3) return;
    if (token >= 0x90 && token <= 0x9f) this.#array(token - 0x90, depth);
    else if (token >= 0xa0 && token <= 0xbf) this.#text(token - 0xa0);
    else if (token >= 0xc4 && token <= 0xc6) this.#skip(this.#length(token - 0xc4, 0));
    else if (token >= 0xcc && token <= 0xce) this.#length(token - 0xcc, 0x80);
    else if (token === 0xd3) this.#wide();
    else if (token === 0xd9 || token === 0xda) this.#text(this.#length(token - 0xd9, 0x20));
    else if (token === 0xdc || token === 0xdd) this.#array(this.#length(token - 0xdb, 0x10), depth);
    else throw wireInvalid("a value of a form that is not used between nodes", { position: at, token });
  }

  /** An integer of 1, 2 or 4 bytes (`width` 0, 1, 2), where anything below `least` has a form without it. */
  #length(width: number, least: number): number {
    if (width === 0) return this.#atLeast(least, this.#uint(1));
    // Arrays have no form with one byte, so that those of two start where the form without any ends.
    if (width === 1) return this.#atLeast(least === 0x10 ? least : 0x100, this.#uint(2));
    return this.#atLeast(0x1_0000, this.#uint(4));
  }

  #array(length: number, depth: number): void {
    if (depth === MAX_DEPTH) throw wireInvalid("arrays are nested too deeply", { position: this.#position });
    if (length > this.#bytes.length - this.#position) throw this.#ended();
    for (let i = 0; i < length; i++) this.#value(depth + 1);
  }

  #text(length: number): void {
    const start = this.#position;
    this.#skip(length);
    for (let i = start; i < this.#position; i++) {
      const code = this.#bytes[i] as number;
      if (code < 0x20 || code > 0x7e) throw wireInvalid("text that is not printable ASCII", { position: i });
    }
  }

  /** Integers above 32 bits: msgpackr writes them as signed. */
  #wide(): void {
    const high = this.#atLeast(1, this.#uint(4));
    this.#uint(4);
    if (high > MAX_HIGH_WORD) throw wireInvalid("an integer is too large", { position: this.#position });
  }

  #uint(size: 1 | 2 | 4): number {
    const at = this.#position;
    this.#skip(size);
    if (size === 1) return this.#bytes[at] as number;
    return size === 2 ? this.#view.getUint16(at) : this.#view.getUint32(at);
  }

  /** The shorter form was to be used for anything below. */
  #atLeast(least: number, value: number): number {
    if (value < least) throw wireInvalid("a value is not in its shortest form", { position: this.#position });
    return value;
  }

  #skip(length: number): void {
    if (length > this.#bytes.length - this.#position) throw this.#ended();
    this.#position += length;
  }

  #ended(): Error {
    return wireInvalid("the message ends in the middle of a value", { length: this.#bytes.length });
  }
}

/** Throws WIRE_INVALID unless the bytes are one value, of at most `maxItems` values in all. */
export function scan(bytes: Uint8Array, maxItems: number): void {
  new Scanner(bytes, maxItems).whole();
}
