/** Operators that look at an image where other values say: sampling on a grid does the looking. */
import type { Value } from "../builder.ts";
import type { Attribute, ModelNode } from "../model.ts";
import { type Lowering, NodeContext } from "../node-context.ts";
import { checkTable } from "../tensor.ts";
import { SAMPLING } from "./sampling.ts";

/** Bilinear samples of x [n, c, h, w] at grid [n, i, j, (x, y)], in pixels. */
function sampled(c: NodeContext, x: Value, columns: Value, rows: Value, padding: "zeros" | "border"): Value {
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

/** Regions of images, each resampled to the same size. */
function roiAlign(c: NodeContext): readonly Value[] {
  const [x, regions, owners] = [c.input(0), c.input(1), c.input(2)];
  if (x.type !== "f32") return c.unsupported(`RoiAlign of ${x.type}`);
  if (c.text("mode", "avg") !== "avg") return c.unsupported("RoiAlign by the largest");
  const ratio = c.int("sampling_ratio", 0);
  if (ratio === 0) return c.unsupported("RoiAlign whose samples depend on the regions");
  const half =
    c.text("coordinate_transformation_mode", c.opset >= 16 ? "half_pixel" : "output_half_pixel") === "half_pixel";
  const scale = c.float("spatial_scale", 1);
  const [height, width] = [c.int("output_height", 1), c.int("output_width", 1)];
  const [count = 0] = regions.shape;
  const [, channels = 1, rows = 1, columns = 1] = x.shape;
  const [high, wide] = [height * ratio, width * ratio];
  const corners = c.ops.by("Sub", c.ops.by("Mul", regions, scale), half ? 0.5 : 0);
  const corner = (at: number): Value => c.ops.slice(corners, 1, at, 1);
  const along = (first: number, last: number, size: number, samples: number): Value => {
    const whole = c.ops.sub(corner(last), corner(first));
    const length = half ? whole : c.ops.by("Max", whole, 1);
    const steps = Array.from({ length: checkTable(samples) }, (_, i) => (i + 0.5) / ratio);
    const moved = c.ops.mul(c.ops.by("Div", length, size), c.ops.constant("f32", [1, samples], steps));
    return c.ops.add(corner(first), moved);
  };
  const [down, across] = [along(1, 3, height, high), along(0, 2, width, wide)];
  const grid = [count, high, wide];
  const at = {
    rows: c.ops.expand(c.ops.reshape(down, [count, high, 1]), grid),
    columns: c.ops.expand(c.ops.reshape(across, [count, 1, wide]), grid),
  };
  const found = sampled(c, c.ops.gather(x, owners, 0), at.columns, at.rows, "border");
  const inside = c.ops.mul(within(c, at.rows, rows), within(c, at.columns, columns));
  const kept = c.ops.mul(found, c.ops.reshape(inside, [count, 1, high, wide]));
  const cells = c.ops.reshape(kept, [count, channels, height, ratio, width, ratio]);
  const sum = c.ops.reduce("Sum", cells, [3, 5], false);
  return [c.ops.reshape(c.ops.by("Div", sum, ratio * ratio), [count, channels, height, width])];
}

/** 1 where a position is at most one pixel outside, which counts as the edge; 0 beyond. */
function within(c: NodeContext, at: Value, size: number): Value {
  const low = c.ops.cast(c.ops.binary("Less", at, c.ops.scalar("f32", -1)), "f32");
  const high = c.ops.cast(c.ops.binary("Greater", at, c.ops.scalar("f32", size)), "f32");
  return c.ops.mul(c.ops.sub(c.ops.scalar("f32", 1), low), c.ops.sub(c.ops.scalar("f32", 1), high));
}

export const WARPED: Readonly<Record<string, Lowering>> = { DeformConv: deformConv, RoiAlign: roiAlign };
