/**
 * BLAKE2b's compression function F with a free number of rounds (RFC 7693, section 3.2; EIP-152), as a small
 * WebAssembly module. A round costs one gas: in JavaScript, which has no fast 64-bit integers, a transaction's worth
 * of them takes seconds, and WebAssembly is more than ten times as fast (measured).
 */
import { Code, ModuleBuilder } from "../../compute/ptx/wasm/assembler.ts";
import { wasmApi } from "../../compute/ptx/wasm/wasm-api.ts";

/** RFC 7693, section 2.6: the fractional parts of the square roots of the first eight primes. */
const INITIAL_VECTOR: readonly bigint[] = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
];

/** RFC 7693, section 2.7: the message words that a round mixes in, one hexadecimal digit each. */
const SIGMA: readonly string[] = [
  "0123456789abcdef",
  "ea489fd61c02b753",
  "b8c052fdae367194",
  "7931dcbe265a40f8",
  "905724afe1bc683d",
  "2c6a0b834d75fe19",
  "c51fed4a0763928b",
  "db7ec13950f4862a",
  "6fe9b308c2d714a5",
  "a2847615fb9e3cd0",
];

/** Columns, then diagonals: the four working words of each of a round's eight mixings. */
const MIXINGS: readonly (readonly [number, number, number, number])[] = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];

/** Memory: 16 words of message, 16 working words, then a row of message offsets (a byte each) per round. */
const MESSAGE_AT = 0;
const WORK_AT = 128;
const ROWS_AT = 256;
const ROWS_END: number = ROWS_AT + 16 * SIGMA.length;

const memory = new wasmApi.Memory({ initial: 1, maximum: 1 });
const bytes = new Uint8Array(memory.buffer);
const view = new DataView(memory.buffer);
for (const [i, row] of SIGMA.entries()) {
  for (const [j, digit] of [...row].entries())
    bytes[ROWS_AT + 16 * i + j] = MESSAGE_AT + 8 * Number.parseInt(digit, 16);
}

const mixRounds = build();

/** mixRounds(count): rounds over the working words in memory, which are locals while it runs. */
function build(): (count: number) => void {
  const code = new Code(1);
  const count = 0;
  const row = code.local("i32");
  const words = Array.from({ length: 16 }, () => code.local("i64"));
  for (const [i, word] of words.entries())
    code
      .i32(0)
      .memory("i64.load", WORK_AT + 8 * i)
      .set(word);
  code.i32(ROWS_AT).set(row);
  code.block().loop().get(count).op("i32.eqz").brIf(1);
  for (const [i, places] of MIXINGS.entries()) {
    const [a, b, c, d] = places.map((place) => words[place] as number) as [number, number, number, number];
    mixHalf(code, row, 2 * i, [a, b, c, d], 32n, 24n);
    mixHalf(code, row, 2 * i + 1, [a, b, c, d], 16n, 63n);
  }
  code.get(row).i32(16).op("i32.add").tee(row).i32(ROWS_END).op("i32.eq").if().i32(ROWS_AT).set(row).op("end");
  code.get(count).i32(1).op("i32.sub").set(count).br(0).op("end", "end");
  for (const [i, word] of words.entries())
    code
      .i32(0)
      .get(word)
      .memory("i64.store", WORK_AT + 8 * i);
  const module = new ModuleBuilder([]);
  module.define(module.reserve(), { params: ["i32"], results: [] }, code, "mixRounds");
  const instance = new wasmApi.Instance(new wasmApi.Module(module.build()), { host: { memory } });
  return instance.exports["mixRounds"] as (count: number) => void;
}

/** a += b + message word; d = (d ^ a) >>> r; c += d; b = (b ^ c) >>> s. */
function mixHalf(
  code: Code,
  row: number,
  digit: number,
  [a, b, c, d]: readonly [number, number, number, number],
  r: bigint,
  s: bigint,
): void {
  code.get(a).get(b).op("i64.add");
  code.get(row).memory("i32.load8_u", digit).memory("i64.load").op("i64.add").set(a);
  code.get(d).get(a).op("i64.xor").i64(r).op("i64.rotr").set(d);
  code.get(c).get(d).op("i64.add").set(c);
  code.get(b).get(c).op("i64.xor").i64(s).op("i64.rotr").set(b);
}

/**
 * F on EIP-152's input without its first four bytes: h (64 bytes), m (128), t (16), f (one byte, 0 or 1). Answers
 * with the new h.
 */
export function blake2f(rounds: number, input: Uint8Array): Uint8Array {
  const words = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const word = (index: number): bigint => words.getBigUint64(8 * index, true);
  for (let i = 0; i < 8; i++) {
    view.setBigUint64(WORK_AT + 8 * i, word(i), true);
    view.setBigUint64(WORK_AT + 64 + 8 * i, (INITIAL_VECTOR[i] as bigint) ^ tweak(word, input[208] === 1, i), true);
  }
  bytes.set(input.subarray(64, 192), MESSAGE_AT);
  mixRounds(rounds);
  const result = new Uint8Array(64);
  const out = new DataView(result.buffer);
  for (let i = 0; i < 8; i++) {
    const mixed = view.getBigUint64(WORK_AT + 8 * i, true) ^ view.getBigUint64(WORK_AT + 64 + 8 * i, true);
    out.setBigUint64(8 * i, word(i) ^ mixed, true);
  }
  return result;
}

/** What the offset counter and the final flag change in working word 8 + i. */
function tweak(word: (index: number) => bigint, isFinal: boolean, i: number): bigint {
  if (i === 4 || i === 5) return word(24 + i - 4);
  return i === 6 && isFinal ? 0xffff_ffff_ffff_ffffn : 0n;
}
