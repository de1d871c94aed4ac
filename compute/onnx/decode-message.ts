/**
 * Protocol Buffers by the schema: what is not in it is skipped. It counts what it makes as it goes, because two bytes of a
 * file can become hundreds in memory. Decoders that write code at run time would be faster, but a page whose policy forbids
 * that could not use them.
 */
import { onnxError, reject } from "./errors.ts";
import { MAX_DEPTH, MAX_FIELDS } from "./limits.ts";
import { type FieldSpec, type MessageSpec, SCHEMA } from "./schema.ts";

interface Field extends FieldSpec {
  readonly name: string;
  readonly message: Message | undefined;
}

interface Message {
  readonly byId: Map<number, Field>;
  /** What absent fields are is inherited, so that empty messages are small. */
  readonly Made: new () => Record<string, unknown>;
}

/** Fields that a message counts as: about what it takes in memory, beside one number of a list. */
const MESSAGE_WEIGHT = 8;

const VARINT = 0;
const FIXED_64 = 1;
const DELIMITED = 2;
const FIXED_32 = 5;

const SCALARS: Readonly<Record<string, { readonly wire: number; readonly absent: unknown }>> = {
  int32: { wire: VARINT, absent: 0 },
  int64: { wire: VARINT, absent: 0n },
  uint64: { wire: VARINT, absent: 0n },
  float: { wire: FIXED_32, absent: 0 },
  double: { wire: FIXED_64, absent: 0 },
  string: { wire: DELIMITED, absent: "" },
  bytes: { wire: DELIMITED, absent: new Uint8Array(0) },
};

const EMPTY: readonly unknown[] = Object.freeze([]);
const messages = new Map<string, Message>();

function messageOf(type: string): Message | undefined {
  const spec: MessageSpec | undefined = SCHEMA[type];
  const known = messages.get(type);
  if (known !== undefined || spec === undefined) return known;
  const defaults: Record<string, unknown> = {};
  class Made {}
  Object.setPrototypeOf(Made.prototype, defaults);
  const made: Message = { byId: new Map(), Made: Made as Message["Made"] };
  // Before its fields: graphs have nodes, whose attributes have graphs.
  messages.set(type, made);
  for (const [name, field] of Object.entries(spec.fields)) {
    made.byId.set(field.id, { ...field, name, message: messageOf(field.type) });
    if (field.rule === "optional") continue;
    defaults[name] = field.rule === "repeated" ? EMPTY : (SCALARS[field.type]?.absent ?? null);
  }
  return made;
}

/** Throws ONNX_LIMIT for more than the limits, ONNX_FORMAT for bytes that are no such message. */
export function decodeMessage(bytes: Uint8Array, type: string): unknown {
  const message = messageOf(type);
  if (message === undefined) throw onnxError("ONNX_FORMAT", `there is no message ${type}`);
  return new Decoder(bytes).message(message, bytes.length, 0);
}

function malformed(why: string): never {
  return reject("ONNX_FORMAT", `the file is no ONNX model: ${why}`);
}

class Decoder {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;
  #count = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  message({ byId, Made }: Message, end: number, depth: number): object {
    if (depth > MAX_DEPTH) reject("ONNX_LIMIT", `the model has messages more than ${MAX_DEPTH} deep`);
    this.#tally(MESSAGE_WEIGHT);
    const made = new Made();
    while (this.#at < end) {
      this.#tally(1);
      const tag = this.#length(end);
      const [id, wire] = [Math.floor(tag / 8), tag % 8];
      const field = byId.get(id);
      if (field?.message !== undefined && wire === DELIMITED) {
        const stop = this.#stop(end);
        put(made, field, this.message(field.message, stop, depth + 1));
      } else if (field !== undefined && SCALARS[field.type]?.wire === wire) {
        put(made, field, this.#scalar(field.type, end));
      } else if (field?.rule === "repeated" && field.message === undefined && wire === DELIMITED) {
        this.#packed(made, field, this.#stop(end));
      } else {
        this.#skip(wire, end);
      }
    }
    return made;
  }

  #tally(weight: number): void {
    this.#count += weight;
    if (this.#count > MAX_FIELDS) reject("ONNX_LIMIT", `the model has more than ${MAX_FIELDS} fields`);
  }

  #packed(made: Record<string, unknown>, field: Field, stop: number): void {
    while (this.#at < stop) {
      this.#tally(1);
      put(made, field, this.#scalar(field.type, stop));
    }
  }

  #scalar(type: string, end: number): unknown {
    switch (type) {
      case "int32":
        return Number(BigInt.asIntN(32, this.#varint(end)));
      case "int64":
        return BigInt.asIntN(64, this.#varint(end));
      case "uint64":
        return BigInt.asUintN(64, this.#varint(end));
      case "float":
        return this.#view.getFloat32(this.#pass(4, end), true);
      case "double":
        return this.#view.getFloat64(this.#pass(8, end), true);
      default: {
        const stop = this.#stop(end);
        const contents = this.#bytes.subarray(this.#at, stop);
        this.#at = stop;
        return type === "string" ? new TextDecoder().decode(contents) : contents;
      }
    }
  }

  #skip(wire: number, end: number): void {
    if (wire === VARINT) this.#varint(end);
    else if (wire === FIXED_64) this.#pass(8, end);
    else if (wire === FIXED_32) this.#pass(4, end);
    else if (wire === DELIMITED) this.#at = this.#stop(end);
    else malformed(`wire type ${wire}`);
  }

  /** Where the next so many bytes begin, which are then behind. */
  #pass(length: number, end: number): number {
    const from = this.#at;
    if (from + length > end) malformed("a field goes beyond its end");
    this.#at += length;
    return from;
  }

  /** Where what begins with its length ends. */
  #stop(end: number): number {
    const stop = this.#length(end) + this.#at;
    if (stop > end) malformed("a field goes beyond its end");
    return stop;
  }

  /** A tag or a length. Exact as far as either can go. */
  #length(end: number): number {
    return Number(this.#varint(end));
  }

  #varint(end: number): bigint {
    let [low, high] = [0, 0];
    for (let length = 0; length < 10 && this.#at < end; length++) {
      const byte = this.#bytes[this.#at++] as number;
      // In halves of five groups of seven bits: exact, and quicker than sums of big numbers.
      if (length < 5) low += (byte & 127) * 128 ** length;
      else high += (byte & 127) * 128 ** (length - 5);
      if (byte < 128) return high === 0 ? BigInt(low) : BigInt(low) + (BigInt(high) << 35n);
    }
    return malformed("a number does not end");
  }
}

function put(made: Record<string, unknown>, { name, rule }: Field, value: unknown): void {
  if (rule !== "repeated") made[name] = value;
  else if (Object.hasOwn(made, name)) (made[name] as unknown[]).push(value);
  else made[name] = [value];
}
