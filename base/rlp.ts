/**
 * RLP, the only encoding that is ever hashed or signed (Ethereum yellow paper, appendix B). Decoding is
 * strict: each item has exactly one accepted encoding, so decoding and encoding again gives the same bytes.
 *
 * The `rlp` package is the cross-check in the tests, not the implementation: it accepts empty input, copies
 * the rest of the input for every item (a long list costs quadratic time, which a peer could use), has no
 * limit of depth, and decodes a transaction at a fraction of the rate of this file.
 */
import { bigintToBytes, bytesToBigint } from "./bytes.ts";
import type { BaseErrorCode } from "./error-codes.ts";
import { assert, CodedError } from "./errors.ts";

export type RlpItem = Uint8Array | readonly RlpItem[];

/** Lists within lists that are read and written. Hostile nesting must not exhaust the call stack. */
export const RLP_MAX_DEPTH = 1024;

/** The longest payload of an item. Anything larger is refused before it is looked at. */
export const RLP_MAX_LENGTH: number = 2 ** 31 - 1;

const SHORT_LIMIT = 55;

function invalid(message: string, data: Readonly<Record<string, unknown>>): never {
  throw new CodedError<BaseErrorCode>("RLP_INVALID", message, data);
}

class Decoder {
  readonly #bytes: Uint8Array;
  #position = 0;
  #itemsLeft: number;

  constructor(bytes: Uint8Array, maxItems: number) {
    this.#bytes = bytes;
    this.#itemsLeft = maxItems;
  }

  /** The item at the current position; it must end at `end` or before. */
  item(end: number, depth: number): RlpItem {
    const start = this.#position;
    if (this.#itemsLeft-- === 0) invalid("there are too many items", { position: start });
    const prefix = this.#bytes[start] as number;
    if (prefix < 0x80) {
      this.#position = start + 1;
      return this.#bytes.subarray(start, start + 1);
    }
    if (prefix < 0xc0) return this.#string(prefix, end);
    return this.#list(prefix, end, depth);
  }

  #string(prefix: number, end: number): Uint8Array {
    const length = this.#length(prefix - 0x80, end);
    const start = this.#position;
    if (length === 1 && (this.#bytes[start] as number) < 0x80) {
      invalid("a single byte below 0x80 must stand for itself", { position: start });
    }
    this.#position = start + length;
    return this.#bytes.subarray(start, start + length);
  }

  #list(prefix: number, end: number, depth: number): RlpItem[] {
    if (depth === RLP_MAX_DEPTH) invalid(`lists are nested deeper than ${RLP_MAX_DEPTH}`, { position: this.#position });
    const length = this.#length(prefix - 0xc0, end);
    const listEnd = this.#position + length;
    const items: RlpItem[] = [];
    while (this.#position < listEnd) items.push(this.item(listEnd, depth + 1));
    return items;
  }

  /** Reads the prefix's length and steps over it; the payload is known to end at `end` or before. */
  #length(code: number, end: number): number {
    const start = this.#position;
    let length = code;
    let payload = start + 1;
    if (code > SHORT_LIMIT) {
      payload += code - SHORT_LIMIT;
      length = this.#longLength(start + 1, payload, end);
    }
    if (length > end - payload) invalid("an item is longer than what holds it", { position: start, length });
    this.#position = payload;
    return length;
  }

  #longLength(start: number, payload: number, end: number): number {
    if (payload > end) invalid("the length of an item is cut off", { position: start });
    if (this.#bytes[start] === 0) invalid("a length has a leading zero", { position: start });
    if (payload - start > 4) invalid(`an item is longer than ${RLP_MAX_LENGTH}`, { position: start });
    let length = 0;
    for (let i = start; i < payload; i++) length = length * 256 + (this.#bytes[i] as number);
    if (length > RLP_MAX_LENGTH) invalid(`an item is longer than ${RLP_MAX_LENGTH}`, { position: start, length });
    if (length <= SHORT_LIMIT) invalid("a short item is written in the long form", { position: start, length });
    return length;
  }

  /** The first item of the list that all bytes are, if that is a byte string. */
  first(): Uint8Array {
    const end = this.#bytes.length;
    const prefix = this.#bytes[0] as number;
    if (prefix < 0xc0) invalid("expected a list, found a byte string", { expected: "list" });
    const length = this.#length(prefix - 0xc0, end);
    if (length === 0 || this.#position + length !== end) invalid("a list does not fill its input", { length });
    if ((this.#bytes[this.#position] as number) >= 0xc0) {
      invalid("expected a byte string, found a list", { expected: "bytes" });
    }
    return this.item(end, 1) as Uint8Array;
  }

  get position(): number {
    return this.#position;
  }
}

/**
 * The one item that `bytes` encodes. Byte strings are views into `bytes`, not copies: whoever keeps one longer
 * than the input copies it. Throws RLP_INVALID.
 *
 * An item of one byte takes a hundred in memory: whoever reads megabytes from strangers says how many items, lists
 * included, there may be.
 */
export function decodeRlp(bytes: Uint8Array, maxItems: number = Number.POSITIVE_INFINITY): RlpItem {
  const plain = plainInput(bytes);
  const decoder = new Decoder(plain, maxItems);
  const item = decoder.item(plain.length, 0);
  if (decoder.position !== plain.length) {
    invalid("bytes follow the item", { position: decoder.position, length: plain.length });
  }
  return item;
}

/**
 * The byte string that the list in `bytes` begins with, as a view. The rest of the list is not looked at, so this costs
 * the same for any length of it. Throws RLP_INVALID.
 */
export function firstRlpBytes(bytes: Uint8Array): Uint8Array {
  return new Decoder(plainInput(bytes), 1).first();
}

/** A view of a Buffer would be a Buffer, whose slice() does not copy: a trap for whoever keeps a part. */
function plainInput(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) invalid("the input is empty", { length: 0 });
  return bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function isList(item: RlpItem): item is readonly RlpItem[] {
  return Array.isArray(item);
}

function prefixSize(length: number): number {
  if (length <= SHORT_LIMIT) return 1;
  if (length < 0x100) return 2;
  if (length < 0x1_0000) return 3;
  return length < 0x100_0000 ? 4 : 5;
}

/**
 * Bytes that `item` encodes to. The payload lengths of lists go to `lengths` in the order in which the writer
 * meets them, so that each is computed once.
 */
function measure(item: RlpItem, lengths: number[], depth: number): number {
  if (!isList(item)) {
    if (item.length === 1 && (item[0] as number) < 0x80) return 1;
    return prefixSize(item.length) + item.length;
  }
  assert(depth < RLP_MAX_DEPTH, "an RLP item to encode is nested deeper than can be decoded");
  const place = lengths.push(0) - 1;
  let length = 0;
  for (let i = 0; i < item.length; i++) length += measure(item[i] as RlpItem, lengths, depth + 1);
  lengths[place] = length;
  return prefixSize(length) + length;
}

class Encoder {
  readonly bytes: Uint8Array;
  readonly #lengths: readonly number[];
  #position = 0;
  #list = 0;

  constructor(bytes: Uint8Array, lengths: readonly number[]) {
    this.bytes = bytes;
    this.#lengths = lengths;
  }

  write(item: RlpItem): void {
    if (isList(item)) {
      this.#prefix(0xc0, this.#lengths[this.#list++] as number);
      for (let i = 0; i < item.length; i++) this.write(item[i] as RlpItem);
      return;
    }
    if (item.length !== 1 || (item[0] as number) >= 0x80) this.#prefix(0x80, item.length);
    this.#copy(item);
  }

  #copy(item: Uint8Array): void {
    // Most items are short, and for those `set` takes several times as long as a loop (measured).
    if (item.length <= 32) for (let i = 0; i < item.length; i++) this.bytes[this.#position + i] = item[i] as number;
    else this.bytes.set(item, this.#position);
    this.#position += item.length;
  }

  #prefix(base: number, length: number): void {
    if (length <= SHORT_LIMIT) {
      this.bytes[this.#position++] = base + length;
      return;
    }
    const size = prefixSize(length) - 1;
    this.bytes[this.#position++] = base + SHORT_LIMIT + size;
    for (let shift = (size - 1) * 8; shift >= 0; shift -= 8) this.bytes[this.#position++] = (length >>> shift) & 0xff;
  }
}

export function encodeRlp(item: RlpItem): Uint8Array {
  const lengths: number[] = [];
  const size = measure(item, lengths, 0);
  assert(size <= RLP_MAX_LENGTH, "an RLP item to encode is larger than can be decoded");
  const encoder = new Encoder(new Uint8Array(size), lengths);
  encoder.write(item);
  return encoder.bytes;
}

/** Enough for the nodes of a Patricia trie; larger items get memory of their own. */
const transient = new Uint8Array(1024);

/**
 * As `encodeRlp`, in memory that the next call reuses: for bytes that are hashed at once. Allocating them took as
 * long as hashing them (measured on the roots of a block).
 */
export function encodeRlpTransient(item: RlpItem): Uint8Array {
  const lengths: number[] = [];
  const size = measure(item, lengths, 0);
  if (size > transient.length) return encodeRlp(item);
  const bytes = transient.subarray(0, size);
  new Encoder(bytes, lengths).write(item);
  return bytes;
}

/** `item` as a list, of exactly `length` items when given. Throws RLP_INVALID. */
export function rlpList(item: RlpItem, length?: number): readonly RlpItem[] {
  if (!isList(item)) return invalid("expected a list, found a byte string", { expected: "list" });
  if (length !== undefined && item.length !== length) {
    invalid(`expected a list of ${length} items, found ${item.length}`, { expected: length, found: item.length });
  }
  return item;
}

/** `item` as a byte string, of exactly `length` bytes when given. Throws RLP_INVALID. */
export function rlpBytes(item: RlpItem, length?: number): Uint8Array {
  if (isList(item)) return invalid("expected a byte string, found a list", { expected: "bytes" });
  if (length !== undefined && item.length !== length) {
    invalid(`expected ${length} bytes, found ${item.length}`, { expected: length, found: item.length });
  }
  return item;
}

/** `item` as an unsigned integer of at most `maxBytes` bytes in its only form. Throws RLP_INVALID. */
export function rlpInteger(item: RlpItem, maxBytes: number): bigint {
  const bytes = rlpBytes(item);
  if (bytes.length > maxBytes) {
    invalid(`an integer of ${bytes.length} bytes is longer than ${maxBytes}`, { maxBytes, found: bytes.length });
  }
  if (bytes[0] === 0) invalid("an integer has a leading zero", { found: bytes.length });
  return bytesToBigint(bytes);
}

/** The byte string of an unsigned integer: shortest big-endian form, empty for zero. */
export function rlpOfInteger(value: bigint): Uint8Array {
  assert(value >= 0n, "a negative integer has no RLP form");
  return bigintToBytes(value);
}
