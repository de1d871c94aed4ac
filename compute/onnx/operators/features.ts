/** Operators on tables of features (ai.onnx.ml) that come to a launch or two. */
import type { Value } from "../builder.ts";
import { reject } from "../errors.ts";
import type { Lowering, NodeContext } from "../node-context.ts";
import { countOf } from "../tensor.ts";

/** Columns by their numbers; a single row stays a row. */
function extracted(c: NodeContext): readonly Value[] {
  const [x, columns] = [c.input(0), c.input(1)];
  if (x.shape.length === 0) return reject("ONNX_SHAPE", "a number has no columns");
  const list = c.ops.reshape(columns, [countOf(columns.shape)]);
  const rows = x.shape.length === 1 ? c.ops.reshape(x, [1, ...x.shape]) : x;
  return [c.ops.gather(rows, list, rows.shape.length - 1)];
}

function binarised(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  return [c.ops.cast(c.ops.by("Greater", x, c.float("threshold", 0)), x.type)];
}

export const FEATURES: Readonly<Record<string, Lowering>> = {
  ArrayFeatureExtractor: extracted,
  Binarizer: binarised,
};
