/** Operators that look at an image where other values say: sampling on a grid does the looking. */
import type { Value } from "../builder.ts";
import type { Attribute, ModelNode } from "../model.ts";
import { type Lowering, NodeContext } from "../node-context.ts";
import { checkTable } from "../tensor.ts";
import { SAMPLING } from "./sampling.ts";
import { padded } from "./shapes.ts";

/**
 * With zeros up to sizes that are powers of two. Places are given to GridSample as parts of the size, and come back
 * from these to the bit: a place on a pixel takes nothing of its neighbours.
 */
function evened(c: NodeContext, x: Value): Value {
  const after = x.shape.map((size, d) => (d < 2 ? 0 : 2 ** (32 - Math.clz32(Math.max(size, 1) - 1)) - size));
  const before = x.shape.map(() => 0);
  return after.every((more) => more === 0) ? x : padded(c, x, before, after, 0, c.ops.scalar(x.type, 0));
}

/** Bilinear samples of image [n, c, h, w] at grid [n, i, j, (x, y)], in pixels; "zeros" is what lies outside. */
function sampled(c: NodeContext, image: Value, columns: Value, rows: Value, padding: "zeros" | "border"): Value {
  const x = padding === "zeros" ? evened(c, image) : image;
  const [, , height = 1, width = 1] = x.shape;
  // GridSample without aligned corners has pixel p at (2p + 1) / size - 1.
  const scaled = (at: Value, size: number): Value =>
    c.ops.by("Sub", c.ops.by("Div", c.ops.by("Add", c.ops.by("Mul", at, 2), 1), size), 1);
  const both = [scaled(columns, width), scaled(rows, height)];
  const grid = c.ops.concat(
    both.map((at) => c.ops.reshape(at, [...at.shape, 1])),
    columns.shape.length,
  );
  const attributes = new Map<string, Attribute>([
    ["mode", { kind: "string", value: "linear" }],
    ["padding_mode", { kind: "string", value: padding }],
    ["align_corners", { kind: "int", value: 0 }],
  ]);
  const node: ModelNode = { ...c.node, operator: "GridSample", inputs: ["x", "grid"], outputs: ["y"], attributes };
  const [made] = (SAMPLING["GridSample"] as Lowering)(new NodeContext(c.ops, node, c.opset, [x, grid]));
  return made as Value;
}

/** Each point of each window is moved by an offset of its own, and may be weighed by a mask. */
function deformConv(c: NodeContext): readonly Value[] {
  const [x, weights, offsets, bias, mask] = [c.input(0), c.input(1), c.input(2), c.maybe(3), c.maybe(4)];
  if (x.type !== "f32" || x.shape.length !== 4)
    return c.unsupported(`DeformConv of ${x.type} in ${x.shape.length - 2} D`);
  const [images = 1, channels = 1] = x.shape;
  const [filters = 1, perGroup = 1, kernelRows = 1, kernelColumns = 1] = weights.shape;
  const [, , rows = 1, columns = 1] = offsets.shape;
  const [groups, fields] = [c.int("group", 1), c.int("offset_group", 1)];
  const [strides, dilations, pads] = [c.ints("strides") ?? [1, 1], c.ints("dilations") ?? [1, 1], c.ints("pads") ?? []];
  const points = kernelRows * kernelColumns;
  const shape = [images * fields, points, rows, columns];
  const places = (axis: 0 | 1): Value => {
    const size = checkTable(points * rows * columns);
    const values = Array.from({ length: size }, (_, i) => {
      const [column, row, point] = [i % columns, Math.floor(i / columns) % rows, Math.floor(i / (columns * rows))];
      const [at, inKernel] = axis === 0 ? [row, Math.floor(point / kernelColumns)] : [column, point % kernelColumns];
      return at * (strides[axis] ?? 1) + inKernel * (dilations[axis] ?? 1) - (pads[axis] ?? 0);
    });
    const moved = c.ops.take(c.ops.reshape(offsets, [images * fields, points, 2, rows, columns]), 2, axis);
    const all = c.ops.add(moved, c.ops.constant("f32", [1, points, rows, columns], values));
    return c.ops.reshape(all, [images * fields, points * rows, columns]);
  };
  const parts = c.ops.reshape(x, [images * fields, channels / fields, ...x.shape.slice(2)]);
  let found = c.ops.reshape(sampled(c, parts, places(1), places(0), "zeros"), [
    ...[images * fields, channels / fields, points, rows, columns],
  ]);
  if (mask !== undefined) found = c.ops.mul(found, c.ops.reshape(mask, [images * fields, 1, ...shape.slice(1)]));
  const flat = c.ops.reshape(found, [images, groups, perGroup * points, rows * columns]);
  const matrix = c.ops.reshape(weights, [1, groups, filters / groups, perGroup * points]);
  const made = c.ops.reshape(c.ops.matmul(matrix, flat), [images, filters, rows, columns]);
  return [bias === undefined ? made : c.ops.add(made, c.ops.reshape(bias, [1, filters, 1, 1]))];
}

/** Where the samples of all regions lie, [regions, samples down, samples across], in pixels. */
interface Places {
  readonly rows: Value;
  readonly columns: Value;
}

/** Evenly within each cell of each region. */
function regionPlaces(
  c: NodeContext,
  regions: Value,
  [height, width]: readonly [number, number],
  ratio: number,
): Places {
  const half =
    c.text("coordinate_transformation_mode", c.opset >= 16 ? "half_pixel" : "output_half_pixel") === "half_pixel";
  const corners = c.ops.by("Sub", c.ops.by("Mul", regions, c.float("spatial_scale", 1)), half ? 0.5 : 0);
  const corner = (at: number): Value => c.ops.slice(corners, 1, at, 1);
  const along = (first: number, last: number, size: number): Value => {
    const whole = c.ops.sub(corner(last), corner(first));
    const length = half ? whole : c.ops.by("Max", whole, 1);
    const samples = checkTable(size * ratio);
    const steps = Array.from({ length: samples }, (_, i) => (i + 0.5) / ratio);
    const moved = c.ops.mul(c.ops.by("Div", length, size), c.ops.constant("f32", [1, samples], steps));
    return c.ops.add(corner(first), moved);
  };
  const [count = 0] = regions.shape;
  const [high, wide] = [height * ratio, width * ratio];
  return {
    rows: c.ops.expand(c.ops.reshape(along(1, 3, height), [count, high, 1]), [count, high, wide]),
    columns: c.ops.expand(c.ops.reshape(along(0, 2, width), [count, 1, wide]), [count, high, wide]),
  };
}

/** Regions of images, each resampled to the same size. */
function roiAlign(c: NodeContext): readonly Value[] {
  const [x, regions, owners] = [c.input(0), c.input(1), c.input(2)];
  if (x.type !== "f32") return c.unsupported(`RoiAlign of ${x.type}`);
  const ratio = c.int("sampling_ratio", 0);
  if (ratio === 0) return c.unsupported("RoiAlign whose samples depend on the regions");
  const [height, width] = [c.int("output_height", 1), c.int("output_width", 1)];
  const [count = 0] = regions.shape;
  const [, channels = 1, rows = 1, columns = 1] = x.shape;
  const at = regionPlaces(c, regions, [height, width], ratio);
  const images = c.ops.gather(x, owners, 0);
  const mean = c.text("mode", "avg") === "avg";
  const found = mean ? sampled(c, images, at.columns, at.rows, "border") : heaviestCorner(c, images, at);
  const inside = c.ops.mul(within(c, at.rows, rows), within(c, at.columns, columns));
  const kept = c.ops.mul(found, c.ops.reshape(inside, [count, 1, height * ratio, width * ratio]));
  const cells = c.ops.reshape(kept, [count, channels, height, ratio, width, ratio]);
  const folded = c.ops.reduce(mean ? "Sum" : "Max", cells, [3, 5], false);
  return [c.ops.reshape(mean ? c.ops.by("Div", folded, ratio * ratio) : folded, [count, channels, height, width])];
}

/** The largest of the four neighbours of each place, each times its weight, as ONNX's reference has it: not their sum. */
function heaviestCorner(c: NodeContext, x: Value, places: Places): Value {
  const [, , height = 1, width = 1] = x.shape;
  const sides = (at: Value, size: number): readonly { readonly at: Value; readonly weight: Value }[] => {
    const place = c.ops.by("Min", c.ops.by("Max", at, 0), size - 1);
    const low = c.ops.unary("Floor", place);
    const rest = c.ops.sub(place, low);
    const high = c.ops.by("Min", c.ops.by("Add", low, 1), size - 1);
    return [
      { at: low, weight: c.ops.sub(c.ops.scalar("f32", 1), rest) },
      { at: high, weight: rest },
    ];
  };
  const across = sides(places.columns, width);
  const corners = sides(places.rows, height).flatMap((row) =>
    across.map((column) => {
      const weight = c.ops.mul(row.weight, column.weight);
      const [count = 1, high = 1, wide = 1] = weight.shape;
      return c.ops.mul(sampled(c, x, column.at, row.at, "zeros"), c.ops.reshape(weight, [count, 1, high, wide]));
    }),
  );
  return corners.reduce((most, corner) => c.ops.binary("Max", most, corner));
}

/** 1 where a position is at most one pixel outside, which counts as the edge; 0 beyond. */
function within(c: NodeContext, at: Value, size: number): Value {
  const low = c.ops.cast(c.ops.binary("Less", at, c.ops.scalar("f32", -1)), "f32");
  const high = c.ops.cast(c.ops.binary("Greater", at, c.ops.scalar("f32", size)), "f32");
  return c.ops.mul(c.ops.sub(c.ops.scalar("f32", 1), low), c.ops.sub(c.ops.scalar("f32", 1), high));
}

export const WARPED: Readonly<Record<string, Lowering>> = { DeformConv: deformConv, RoiAlign: roiAlign };
