/** Attention and what belongs to it. */
import type { Value } from "../builder.ts";
import { elementTypeOf } from "../element-types.ts";
import { reject } from "../errors.ts";
import type { Lowering, NodeContext } from "../node-context.ts";
import { countOf } from "../tensor.ts";

/** [batch, length, heads * size] as [batch, heads, length, size]; four dimensions are so already. */
function heads(c: NodeContext, x: Value, count: number): Value {
  if (x.shape.length === 4) return x;
  const [batch = 1, length = 1, width = 1] = x.shape;
  return c.ops.transpose(c.ops.reshape(x, [batch, length, count, width / count]), [0, 2, 1, 3]);
}

/** Each head of keys or values serves several heads of queries. */
function repeated(c: NodeContext, x: Value, count: number): Value {
  const [batch = 1, own = 1, length = 1, size = 1] = x.shape;
  if (own === count) return x;
  const wide = c.ops.expand(c.ops.reshape(x, [batch, own, 1, length, size]), [batch, own, count / own, length, size]);
  return c.ops.reshape(wide, [batch, count, length, size]);
}

interface Masks {
  readonly queries: number;
  readonly keys: number;
  readonly past: number;
}

/** What is added to the scores: minus infinity where nothing is to be looked at. */
function biasOf(c: NodeContext, { queries, keys, past }: Masks, batch: number): Value | undefined {
  const { type } = c.input(0);
  const none = c.ops.scalar(type, 0);
  const never = c.ops.scalar(type, Number.NEGATIVE_INFINITY);
  const given = c.maybe(3);
  let bias: Value | undefined;
  if (given !== undefined) {
    bias = given.type === "bool" ? c.ops.where(given, none, never) : c.ops.cast(given, type);
    bias = widened(c, bias, keys);
  }
  if (c.int("is_causal", 0) === 1) {
    // Where each batch has a length of its own, the standard does not say where its diagonal lies.
    if (c.maybe(6) !== undefined) c.unsupported("causal attention with lengths");
    const ahead = c.ops.by("Greater", c.ops.offDiagonal(queries, keys), past);
    const mask = c.ops.where(ahead, never, none);
    bias = bias === undefined ? mask : c.ops.add(bias, mask);
  }
  const lengths = c.maybe(6);
  if (lengths !== undefined) {
    const ends = c.ops.reshape(c.ops.cast(lengths, "i64"), [batch, 1, 1, 1]);
    const inside = c.ops.binary("Less", c.ops.reshape(c.ops.iota("i64", keys), [1, 1, 1, keys]), ends);
    const mask = c.ops.where(inside, none, never);
    bias = bias === undefined ? mask : c.ops.add(bias, mask);
  }
  return bias;
}

/** A mask that is too short leaves out what comes behind it. */
function widened(c: NodeContext, mask: Value, keys: number): Value {
  const have = mask.shape.at(-1) ?? 1;
  if (have === keys || have === 1) return mask;
  const rest = [...mask.shape.slice(0, -1), keys - have];
  return c.ops.concat([mask, c.ops.expand(c.ops.scalar(mask.type, Number.NEGATIVE_INFINITY), rest)], -1);
}

function attention(c: NodeContext): readonly (Value | undefined)[] {
  const flat = c.input(0).shape.length === 3;
  const queryHeads = flat ? c.int("q_num_heads", 1) : (c.input(0).shape[1] as number);
  const keyHeads = flat ? c.int("kv_num_heads", 1) : (c.input(1).shape[1] as number);
  const query = heads(c, c.input(0), queryHeads);
  const joined = (past: Value | undefined, now: Value): Value =>
    past === undefined ? now : c.ops.concat([past, now], 2);
  const key = joined(c.maybe(4), heads(c, c.input(1), keyHeads));
  const value = joined(c.maybe(5), heads(c, c.input(2), keyHeads));
  const [batch = 1, , queries = 1, size = 1] = query.shape;
  const scale = Math.sqrt(c.float("scale", 1 / Math.sqrt(size)));
  const scaled = (x: Value): Value => c.ops.by("Mul", x, scale);
  const raw = c.ops.matmul(scaled(query), c.ops.transpose(repeated(c, scaled(key), queryHeads), [0, 1, 3, 2]));
  const softcap = c.float("softcap", 0);
  const capped = softcap > 0 ? c.ops.by("Mul", c.ops.unary("Tanh", c.ops.by("Div", raw, softcap)), softcap) : raw;
  const keys = key.shape[2] as number;
  const bias = biasOf(c, { queries, keys, past: c.maybe(4)?.shape[2] ?? 0 }, batch);
  const biased = bias === undefined ? capped : c.ops.add(capped, bias);
  const weights = bias === undefined ? c.ops.softmax(biased, 3) : maskedSoftmax(c, biased);
  const product = c.ops.matmul(weights, repeated(c, value, queryHeads));
  const result = flat
    ? c.ops.reshape(c.ops.transpose(product, [0, 2, 1, 3]), [batch, queries, countOf(product.shape) / batch / queries])
    : product;
  const shown = [raw, capped, biased, weights][c.int("qk_matmul_output_mode", 0)] as Value;
  return [result, key, value, shown];
}

/** Rows with nothing to look at become zeros. */
function maskedSoftmax(c: NodeContext, scores: Value): Value {
  const most = c.ops.reduce("Max", scores, [3], true);
  const empty = c.ops.by("Equal", most, Number.NEGATIVE_INFINITY);
  return c.ops.where(empty, c.ops.scalar(scores.type, 0), c.ops.softmax(scores, 3));
}

/**
 * Attention whose scores and weights go through graphs of the model's own (ai.onnx.preview). Halves are weighed in single
 * precision unless the node says otherwise.
 */
function flexAttention(c: NodeContext): readonly Value[] {
  const [query, key, value] = [c.input(0), c.input(1), c.input(2)];
  const [, count = 1, , size = 1] = query.shape;
  if ([query, key, value].some(({ shape }) => shape.length !== 4)) return reject("ONNX_SHAPE", "not four dimensions");
  const otherwise = query.type === "f16" ? "f32" : query.type;
  const precision = c.has("softmax_precision") ? elementTypeOf(c.int("softmax_precision", 1)) : otherwise;
  if (precision === undefined) return c.unsupported("this precision");
  const through = (name: string, x: Value): Value => {
    if (!c.has(name)) return x;
    const [changed] = c.run(c.graph(name), [x]);
    return changed ?? reject("ONNX_FORMAT", `the graph ${name} makes nothing`);
  };
  const scale = Math.sqrt(c.float("scale", 1 / Math.sqrt(size)));
  const keys = c.ops.transpose(repeated(c, c.ops.by("Mul", key, scale), count), [0, 1, 3, 2]);
  const scores = c.ops.cast(c.ops.matmul(c.ops.by("Mul", query, scale), keys), precision);
  const weights = through("prob_mod", c.ops.softmax(through("score_mod", scores), 3));
  const product = c.ops.matmul(weights, c.ops.cast(repeated(c, value, count), precision));
  return [c.ops.cast(product, value.type)];
}

/** Pairs of the first `size` elements of each head are turned by an angle that depends on the position. */
function rotary(c: NodeContext): readonly Value[] {
  const given = c.input(0);
  const flat = given.shape.length === 3;
  const count = flat ? c.int("num_heads", 1) : (given.shape[1] as number);
  const x = flat
    ? c.ops.reshape(given, [
        given.shape[0] as number,
        given.shape[1] as number,
        count,
        (given.shape[2] as number) / count,
      ])
    : c.ops.transpose(given, [0, 2, 1, 3]);
  const [batch = 1, length = 1, , size = 1] = x.shape;
  const turned = c.int("rotary_embedding_dim", 0) === 0 ? size : c.int("rotary_embedding_dim", 0);
  const half = turned / 2;
  const positions = c.maybe(3);
  const angles = (cache: Value): Value => {
    const rows = positions === undefined ? cache : c.ops.gather(cache, positions, 0);
    const own = c.ops.slice(rows, rows.shape.length - 1, 0, half);
    return c.ops.reshape(c.ops.expand(own, [batch, length, half]), [batch, length, 1, half]);
  };
  const [cosine, sine] = [angles(c.input(1)), angles(c.input(2))];
  const interleaved = c.int("interleaved", 0) === 1;
  const part = (index: number): Value =>
    interleaved ? c.ops.slice(x, 3, index, half, 2) : c.ops.slice(x, 3, index * half, half);
  const [a, b] = [part(0), part(1)];
  const real = c.ops.sub(c.ops.mul(cosine, a), c.ops.mul(sine, b));
  const imaginary = c.ops.add(c.ops.mul(sine, a), c.ops.mul(cosine, b));
  const pair = (value: Value): Value => c.ops.reshape(value, [...value.shape, 1]);
  const joined = interleaved
    ? c.ops.reshape(c.ops.concat([pair(real), pair(imaginary)], 4), [batch, length, count, turned])
    : c.ops.concat([real, imaginary], 3);
  const whole = turned === size ? joined : c.ops.concat([joined, c.ops.slice(x, 3, turned, size - turned)], 3);
  return [flat ? c.ops.reshape(whole, given.shape) : c.ops.transpose(whole, [0, 2, 1, 3])];
}

export const ATTENTION: Readonly<Record<string, Lowering>> = {
  Attention: attention,
  RotaryEmbedding: rotary,
};

/** Of the domain ai.onnx.preview. */
export const PREVIEW_ATTENTION: Readonly<Record<string, Lowering>> = { FlexAttention: flexAttention };
