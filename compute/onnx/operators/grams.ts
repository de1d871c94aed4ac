/** How often sequences of words occur in a text of numbers. */
import type { Value } from "../builder.ts";
import { reject } from "../errors.ts";
import type { Lowering, NodeContext } from "../node-context.ts";
import { checkTable } from "../tensor.ts";

interface Grams {
  readonly length: number;
  /** Words of all sequences of that length, one after the other. */
  readonly words: readonly number[];
  /** The number of the first of them among the sequences of all lengths. */
  readonly first: number;
}

function gramsOf(c: NodeContext): readonly Grams[] {
  const pool = c.ints("pool_int64s");
  const starts = c.ints("ngram_counts") ?? [];
  if (pool === undefined) return c.unsupported("TfIdfVectorizer of strings");
  let first = 0;
  return starts.map((start, i) => {
    const words = pool.slice(start, starts[i + 1] ?? pool.length);
    const grams = { length: i + 1, words, first };
    if (words.length % (i + 1) !== 0) reject("ONNX_FORMAT", `${words.length} words make no sequences of ${i + 1}`);
    first += words.length / (i + 1);
    return grams;
  });
}

/** How often each sequence occurs in the rows of x, its words `apart` from each other. */
function occurrences(c: NodeContext, x: Value, { length, words }: Grams, apart: number): Value | undefined {
  const [rows = 1, columns = 0] = x.shape;
  const windows = columns - (length - 1) * apart;
  if (windows < 1) return undefined;
  const count = words.length / length;
  checkTable(windows * length * count * rows);
  const places = Array.from({ length: windows * length }, (_, i) => Math.floor(i / length) + (i % length) * apart);
  const seen = c.ops.gather(x, c.ops.constant("i64", [windows, 1, length], places), 1);
  const same = c.ops.cast(c.ops.binary("Equal", seen, c.ops.constant(x.type, [1, 1, count, length], words)), "f32");
  const all = c.ops.reduce("Min", same, [3], false);
  return c.ops.reshape(c.ops.reduce("Sum", all, [1], false), [rows, count]);
}

function greatest(places: readonly number[]): number {
  return places.reduce((most, place) => Math.max(most, place), 0);
}

/** A matrix that brings counts of sequences to their places in the output. */
function placing(c: NodeContext, { words, length, first }: Grams, places: readonly number[]): Value {
  const [count, size] = [words.length / length, greatest(places) + 1];
  const values = new Array<number>(checkTable(count * size)).fill(0);
  for (let i = 0; i < count; i++) values[i * size + (places[first + i] ?? 0)] = 1;
  return c.ops.constant("f32", [count, size], values);
}

function tfIdf(c: NodeContext): readonly Value[] {
  const given = c.input(0);
  const [shortest, longest, skips] = [
    c.int("min_gram_length", 1),
    c.int("max_gram_length", 1),
    c.int("max_skip_count", 0),
  ];
  const places = c.ints("ngram_indexes") ?? [];
  if (places.length === 0 || given.shape.length > 2) return reject("ONNX_SHAPE", "rows of numbers and places for them");
  const x = given.shape.length === 2 ? given : c.ops.reshape(given, [1, given.shape[0] ?? 1]);
  const size = greatest(places) + 1;
  let counts: Value = c.ops.constant("f32", [1, size], new Array<number>(checkTable(size)).fill(0));
  counts = c.ops.expand(counts, [x.shape[0] ?? 1, size]);
  for (const grams of gramsOf(c)) {
    if (grams.length < shortest || grams.length > longest || grams.words.length === 0) continue;
    // A single word has no distance.
    for (let apart = 1; apart <= (grams.length === 1 ? 1 : skips + 1); apart++) {
      const found = occurrences(c, x, grams, apart);
      if (found === undefined) break;
      counts = c.ops.add(counts, c.ops.matmul(found, placing(c, grams, places)));
    }
  }
  const made = weighed(c, counts, places);
  return [given.shape.length === 2 ? made : c.ops.reshape(made, [size])];
}

function weighed(c: NodeContext, counts: Value, places: readonly number[]): Value {
  const mode = c.text("mode", "TF");
  if (mode === "TF") return counts;
  const size = counts.shape[1] ?? 1;
  const weights = new Array<number>(size).fill(1);
  c.floats("weights")?.forEach((weight, i) => void weights.splice(places[i] ?? 0, 1, weight));
  const base = mode === "IDF" ? c.ops.cast(c.ops.binary("Greater", counts, c.ops.scalar("f32", 0)), "f32") : counts;
  return c.ops.mul(base, c.ops.constant("f32", [1, size], weights));
}

export const GRAMS: Readonly<Record<string, Lowering>> = { TfIdfVectorizer: tfIdf };
