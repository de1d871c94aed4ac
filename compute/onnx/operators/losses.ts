/** Losses of classifiers. */
import type { Value } from "../builder.ts";
import type { Lowering, NodeContext } from "../node-context.ts";
import { gatherElements } from "./shapes.ts";

/** The negated log probability of the class that was right, weighted, and folded as the node says. */
function likelihood(c: NodeContext, logs: Value, target: Value, weights: Value | undefined): Value {
  const classes = c.ops.cast(target, "i64");
  const ignored = c.has("ignore_index") ? c.ops.by("Equal", classes, c.int("ignore_index", -1)) : undefined;
  const safe = ignored === undefined ? classes : c.ops.where(ignored, c.ops.scalar("i64", 0), classes);
  const wide = c.ops.reshape(safe, [safe.shape[0] as number, 1, ...safe.shape.slice(1)]);
  const picked = c.ops.reshape(gatherElements(c, logs, wide, 1), target.shape);
  const loss = c.ops.unary("Neg", picked);
  const one = c.ops.scalar(loss.type, 1);
  let weight = weights === undefined ? undefined : c.ops.gather(weights, safe, 0);
  if (ignored !== undefined) weight = c.ops.where(ignored, c.ops.scalar(loss.type, 0), weight ?? one);
  const weighted = weight === undefined ? loss : c.ops.mul(loss, weight);
  const axes = target.shape.map((_, d) => d);
  const reduction = c.text("reduction", "mean");
  if (reduction === "none") return weighted;
  if (reduction === "sum") return c.ops.reduce("Sum", weighted, axes, false);
  if (reduction !== "mean") return c.unsupported(`the reduction ${reduction}`);
  if (weight === undefined) return c.ops.reduce("Mean", weighted, axes, false);
  const total = c.ops.reduce("Sum", weighted, axes, false);
  return c.ops.div(total, c.ops.reduce("Sum", c.ops.expand(weight, target.shape), axes, false));
}

function crossEntropy(c: NodeContext): readonly Value[] {
  const logs = c.ops.logSoftmax(c.input(0), 1);
  return [likelihood(c, logs, c.input(1), c.maybe(2)), logs];
}

export const LOSSES: Readonly<Record<string, Lowering>> = {
  NegativeLogLikelihoodLoss: (c) => [likelihood(c, c.input(0), c.input(1), c.maybe(2))],
  SoftmaxCrossEntropyLoss: crossEntropy,
};
