/** Writes WebAssembly binaries: the instructions of a function, and the sections of a module (binary format 1). */
import { type MemoryOp, memoryByte, type PlainOp, plainBytes } from "./opcodes.ts";

export type ValueType = "i32" | "i64" | "f32" | "f64";

const TYPE_BYTES: Readonly<Record<ValueType, number>> = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c };

export interface FunctionType {
  readonly params: readonly ValueType[];
  readonly results: readonly ValueType[];
}

/** Bytes that grow; pushing to an array of numbers is slower and takes eight times the memory. */
class ByteSink {
  #bytes = new Uint8Array(256);
  #length = 0;

  byte(value: number): void {
    if (this.#length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.#length++] = value;
  }

  all(bytes: Uint8Array | readonly number[]): void {
    if (this.#length + bytes.length > this.#bytes.length) this.#grow(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #grow(more: number): void {
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }

  unsigned(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.byte(rest);
  }

  signed(value: bigint): void {
    let rest = value;
    for (;;) {
      const low = Number(rest & 0x7fn);
      rest >>= 7n;
      if ((rest === 0n && low < 0x40) || (rest === -1n && low >= 0x40)) {
        this.byte(low);
        return;
      }
      this.byte(low | 0x80);
    }
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

/** The body of one function. */
export class Code {
  readonly #sink = new ByteSink();
  readonly #locals: ValueType[] = [];
  readonly #parameters: number;

  constructor(parameters: number) {
    this.#parameters = parameters;
  }

  local(type: ValueType): number {
    return this.#parameters + this.#locals.push(type) - 1;
  }

  op(...ops: readonly PlainOp[]): this {
    for (const op of ops) this.#sink.all(plainBytes(op));
    return this;
  }

  get(local: number): this {
    this.#sink.byte(0x20);
    this.#sink.unsigned(local);
    return this;
  }

  set(local: number): this {
    this.#sink.byte(0x21);
    this.#sink.unsigned(local);
    return this;
  }

  tee(local: number): this {
    this.#sink.byte(0x22);
    this.#sink.unsigned(local);
    return this;
  }

  i32(value: number): this {
    this.#sink.byte(0x41);
    this.#sink.signed(BigInt(value | 0));
    return this;
  }

  i64(value: bigint): this {
    this.#sink.byte(0x42);
    this.#sink.signed(BigInt.asIntN(64, value));
    return this;
  }

  f64(value: number): this {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value, true);
    this.#sink.byte(0x44);
    this.#sink.all(bytes);
    return this;
  }

  /** The alignment is a hint, and natural alignment is always allowed. */
  memory(op: MemoryOp, offset = 0): this {
    this.#sink.byte(memoryByte(op));
    this.#sink.unsigned(0);
    this.#sink.unsigned(offset);
    return this;
  }

  call(index: number): this {
    this.#sink.byte(0x10);
    this.#sink.unsigned(index);
    return this;
  }

  block(): this {
    this.#sink.all([0x02, 0x40]);
    return this;
  }

  loop(): this {
    this.#sink.all([0x03, 0x40]);
    return this;
  }

  if(): this {
    this.#sink.all([0x04, 0x40]);
    return this;
  }

  br(depth: number): this {
    this.#sink.byte(0x0c);
    this.#sink.unsigned(depth);
    return this;
  }

  brIf(depth: number): this {
    this.#sink.byte(0x0d);
    this.#sink.unsigned(depth);
    return this;
  }

  brTable(depths: readonly number[], otherwise: number): this {
    this.#sink.byte(0x0e);
    this.#sink.unsigned(depths.length);
    for (const depth of depths) this.#sink.unsigned(depth);
    this.#sink.unsigned(otherwise);
    return this;
  }

  /** Bytes of instructions so far. */
  get length(): number {
    return this.#sink.bytes.length;
  }

  /** Size, locals, instructions and the closing `end`. */
  body(): Uint8Array {
    const sink = new ByteSink();
    const runs: { type: ValueType; count: number }[] = [];
    for (const type of this.#locals) {
      const last = runs.at(-1);
      if (last?.type === type) last.count++;
      else runs.push({ type, count: 1 });
    }
    sink.unsigned(runs.length);
    for (const { type, count } of runs) {
      sink.unsigned(count);
      sink.byte(TYPE_BYTES[type]);
    }
    sink.all(this.#sink.bytes);
    sink.byte(0x0b);
    return sink.bytes;
  }
}

export interface ImportedFunction {
  readonly name: string;
  readonly type: FunctionType;
}

interface DefinedFunction {
  readonly type: FunctionType;
  readonly code: Code;
  readonly exported: string | undefined;
}

/** A module that imports its memory and some functions from `host`. */
export class ModuleBuilder {
  readonly #imports: readonly ImportedFunction[];
  readonly #functions: (DefinedFunction | undefined)[] = [];

  constructor(imports: readonly ImportedFunction[]) {
    this.#imports = imports;
  }

  /** The index of a function that will be defined; functions may call each other before they are. */
  reserve(): number {
    return this.#imports.length + this.#functions.push(undefined) - 1;
  }

  define(index: number, type: FunctionType, code: Code, exported?: string): void {
    this.#functions[index - this.#imports.length] = { type, code, exported };
  }

  build(): Uint8Array {
    const functions = this.#functions.filter((entry) => entry !== undefined);
    const sink = new ByteSink();
    sink.all([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
    const types = [...this.#imports, ...functions].map(({ type }) => encodeType(type));
    section(sink, 1, types);
    const memory = [...name("host"), ...name("memory"), 2, 0, 0];
    const imports = this.#imports.map((entry, i) => [...name("host"), ...name(entry.name), 0, ...unsigned(i)]);
    section(sink, 2, [memory, ...imports]);
    section(
      sink,
      3,
      functions.map((_, i) => unsigned(this.#imports.length + i)),
    );
    const exports = functions.flatMap(({ exported }, i) =>
      exported === undefined ? [] : [[...name(exported), 0, ...unsigned(this.#imports.length + i)]],
    );
    section(sink, 7, exports);
    section(
      sink,
      10,
      functions.map(({ code }) => {
        const entry = new ByteSink();
        const body = code.body();
        entry.unsigned(body.length);
        entry.all(body);
        return entry.bytes;
      }),
    );
    return sink.bytes.slice();
  }
}

function unsigned(value: number): readonly number[] {
  const sink = new ByteSink();
  sink.unsigned(value);
  return [...sink.bytes];
}

function name(text: string): readonly number[] {
  return [text.length, ...[...text].map((character) => character.charCodeAt(0))];
}

function encodeType({ params, results }: FunctionType): readonly number[] {
  const bytes = (types: readonly ValueType[]): readonly number[] => [
    types.length,
    ...types.map((type) => TYPE_BYTES[type]),
  ];
  return [0x60, ...bytes(params), ...bytes(results)];
}

function section(sink: ByteSink, id: number, entries: readonly (readonly number[] | Uint8Array)[]): void {
  const content = new ByteSink();
  content.unsigned(entries.length);
  for (const entry of entries) content.all(entry);
  sink.byte(id);
  sink.unsigned(content.bytes.length);
  sink.all(content.bytes);
}
