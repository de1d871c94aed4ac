/** Operators that belong to no family. */
import type { Value } from "../builder.ts";
import { elementTypeOf } from "../element-types.ts";
import { reject } from "../errors.ts";
import { i32s, u32 } from "../geometry.ts";
import type { Lowering, NodeContext } from "../node-context.ts";
import { countOf, type Shape } from "../tensor.ts";
import { padded } from "./shapes.ts";

/** a0 - a1 cos(2 pi k / n) + a2 cos(4 pi k / n). */
function cosineWindow(a0: number, a1: number, a2: number): Lowering {
  return (c) => {
    const size = c.known(0)?.[0];
    if (size === undefined) return reject("ONNX_DYNAMIC", "the size of the window is not known before the run");
    const type = elementTypeOf(c.int("output_datatype", 1)) ?? c.unsupported("this type");
    const period = c.int("periodic", 1) === 1 ? size : size - 1;
    const angle = c.ops.by("Mul", c.ops.iota("f32", size), (2 * Math.PI) / period);
    const first = c.ops.by("Mul", c.ops.unary("Cos", angle), a1);
    let sum = c.ops.sub(c.ops.scalar("f32", a0), first);
    if (a2 !== 0) sum = c.ops.add(sum, c.ops.by("Mul", c.ops.unary("Cos", c.ops.by("Mul", angle, 2)), a2));
    return [c.ops.cast(sum, type)];
  };
}

function determinant(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const size = x.shape.at(-1) ?? 1;
  if (x.type !== "f32" || size > 16) return c.unsupported(`determinants of ${x.type} with ${size} rows`);
  const shape = x.shape.slice(0, -2);
  const rows = countOf(shape);
  const given = [u32(rows), u32(size), x, { type: "f32", made: [rows] } as const];
  const [made] = c.ops.builder.launch(
    "Det",
    { kind: "rows", count: rows },
    given,
    2_000 + 60 * size ** 3 + 200 * size * size,
  );
  return [c.ops.reshape(made as Value, shape)];
}

function three(values: Shape, fill: number): Shape {
  if (values.length > 3) reject("ONNX_UNSUPPORTED", `windows over ${values.length} dimensions`);
  return [...Array.from({ length: 3 - values.length }, () => fill), ...values];
}

function columnsToImage(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const [sizes, kernel] = [c.known(1) ?? [], c.known(2) ?? []];
  const rank = sizes.length;
  const list = (name: string, otherwise: number): readonly number[] => c.ints(name) ?? sizes.map(() => otherwise);
  const [strides, dilations] = [list("strides", 1), list("dilations", 1)];
  const pads = c.ints("pads") ?? Array.from({ length: 2 * rank }, () => 0);
  const blocks = sizes.map((size, d) => {
    const span = ((kernel[d] as number) - 1) * (dilations[d] as number) + 1;
    return Math.floor((size + (pads[d] as number) + (pads[d + rank] as number) - span) / (strides[d] as number)) + 1;
  });
  const [images = 1, wide = 1] = x.shape;
  const channels = wide / countOf(kernel);
  const numbers = i32s([
    ...[channels, channels, 1, 0],
    ...[...three(sizes, 1), ...three(blocks, 1), ...three(kernel, 1)],
    ...[...three(strides, 1), ...three(dilations, 1), ...three(pads.slice(0, rank), 0)],
  ]);
  const shape = [images, channels, ...sizes];
  if (x.type !== "f32") return c.unsupported(`Col2Im of ${x.type}`);
  const fuel = 800 + 150 * countOf(kernel);
  return [c.ops.each("col2im", "f32", shape, (out) => [numbers, u32(countOf(blocks)), x, out], fuel)];
}

/** Puts each value back to where pooling found it, in an image of zeros. */
function maxUnpool(c: NodeContext): readonly Value[] {
  const [x, indices] = [c.input(0), c.input(1)];
  const kernel = c.ints("kernel_shape") ?? [];
  const rank = kernel.length;
  const strides = c.ints("strides") ?? kernel.map(() => 1);
  const pads = c.ints("pads") ?? Array.from({ length: 2 * rank }, () => 0);
  const sizes = x.shape
    .slice(2)
    .map(
      (size, d) =>
        (size - 1) * (strides[d] as number) + (kernel[d] as number) - (pads[d] as number) - (pads[d + rank] as number),
    );
  const shape = [...x.shape.slice(0, 2), ...sizes];
  const count = countOf(x.shape);
  const zeros = c.ops.expand(c.ops.constant(x.type, [1], [0]), [countOf(shape)]);
  const numbers = [u32(count), u32(1), u32(1), i32s([countOf(shape), 1, 1, 1, 1, 1]), u32(9)];
  const given = [...numbers, c.ops.cast(indices, "i64"), x, zeros];
  const entry = `scatter_nd_${x.type === "f64" ? 8 : x.type === "f16" ? 2 : 4}`;
  const flat = c.ops.each(entry, x.type, [countOf(shape)], (out) => [...given, out], 900 + 600 * count);
  const made = c.ops.reshape(flat, shape);
  const wanted = c.known(2);
  if (wanted === undefined) return [made];
  const after = wanted.map((size, d) => size - (shape[d] as number));
  return [
    padded(
      c,
      made,
      wanted.map(() => 0),
      after,
      0,
      c.ops.scalar(x.type, 0),
    ),
  ];
}

export const VARIOUS: Readonly<Record<string, Lowering>> = {
  HannWindow: cosineWindow(0.5, 0.5, 0),
  HammingWindow: cosineWindow(25 / 46, 21 / 46, 0),
  BlackmanWindow: cosineWindow(0.42, 0.5, 0.08),
  Det: determinant,
  Col2Im: columnsToImage,
  MaxUnpool: maxUnpool,
  OptionalHasElement: (c) => [c.ops.scalar("bool", c.maybe(0) === undefined ? 0 : 1)],
  OptionalGetElement: (c) => [c.input(0)],
};
