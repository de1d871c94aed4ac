/** One step of training (ai.onnx.preview.training): weights, gradients and what an optimiser remembers of them. */
import type { Value } from "../builder.ts";
import type { Lowering, NodeContext } from "../node-context.ts";

/** One tensor of weights with its gradient and what is remembered, and the rate and count of steps that all share. */
interface Step {
  readonly rate: Value;
  /** How many steps came before, as a number of the type of the rate. */
  readonly count: Value;
  readonly weights: Value;
  /** With what the norm of the weights adds. */
  readonly gradient: Value;
  readonly memory: readonly Value[];
}

/** The new weights, then the new memory. */
type Rule = (c: NodeContext, step: Step) => readonly Value[];

/** Inputs and outputs are lists one behind the other: all weights, all gradients, all of each memory. */
function optimiser(memories: number, rule: Rule): Lowering {
  return (c) => {
    const [rate, given] = [c.input(0), c.inputs.slice(2)];
    const tensors = given.length / (2 + memories);
    if (!Number.isInteger(tensors)) return c.unsupported(`${given.length} tensors`);
    const count = c.ops.cast(c.input(1), rate.type);
    const norm = c.float("norm_coefficient", 0);
    const made = Array.from({ length: tensors }, (_, i) => {
      const at = (list: number): Value => c.input(2 + list * tensors + i);
      const gradient = c.ops.add(c.ops.by("Mul", at(0), norm), at(1));
      const memory = Array.from({ length: memories }, (_, list) => at(2 + list));
      return rule(c, { rate, count, weights: at(0), gradient, memory });
    });
    return Array.from({ length: 1 + memories }, (_, list) => made.map((values) => values[list])).flat();
  };
}

function adagrad(c: NodeContext, { rate, count, weights, gradient, memory: [squares] }: Step): readonly Value[] {
  const slowed = c.ops.div(rate, c.ops.by("Add", c.ops.by("Mul", count, c.float("decay_factor", 0)), 1));
  const sum = c.ops.add(squares as Value, c.ops.mul(gradient, gradient));
  const divisor = c.ops.by("Add", c.ops.unary("Sqrt", sum), c.float("epsilon", 1e-6));
  return [c.ops.sub(weights, c.ops.div(c.ops.mul(slowed, gradient), divisor)), sum];
}

/** `share` of what was, the rest of what is new. */
function blended(c: NodeContext, before: Value, now: Value, share: number): Value {
  return c.ops.add(c.ops.by("Mul", before, share), c.ops.by("Mul", now, 1 - share));
}

/** From the second step on the rate makes up for memories that began with zero. */
function adam(c: NodeContext, { rate, count, weights, gradient, memory: [mean, squares] }: Step): readonly Value[] {
  const [alpha, beta] = [c.float("alpha", 0.9), c.float("beta", 0.999)];
  const direction = blended(c, mean as Value, gradient, alpha);
  const size = blended(c, squares as Value, c.ops.mul(gradient, gradient), beta);
  const rest = (share: number): Value =>
    c.ops.sub(c.ops.scalar(rate.type, 1), c.ops.binary("Pow", c.ops.scalar(rate.type, share), count));
  const corrected = c.ops.div(c.ops.mul(rate, c.ops.unary("Sqrt", rest(beta))), rest(alpha));
  const own = c.ops.where(c.ops.by("Greater", count, 0), corrected, rate);
  const divisor = c.ops.by("Add", c.ops.unary("Sqrt", size), c.float("epsilon", 1e-6));
  const moved = c.ops.sub(weights, c.ops.mul(own, c.ops.div(direction, divisor)));
  const kept = 1 - c.float("norm_coefficient_post", 0);
  return [kept === 1 ? moved : c.ops.by("Mul", moved, kept), direction, size];
}

/** The first gradient counts in full. */
function momentum(c: NodeContext, { rate, count, weights, gradient, memory: [before] }: Step): readonly Value[] {
  const mode = c.text("mode", "standard");
  if (mode !== "standard" && mode !== "nesterov") return c.unsupported(`the mode ${mode}`);
  const alpha = c.float("alpha", 0);
  const numbers = [c.float("beta", 1), 1].map((value) => c.ops.scalar(rate.type, value)) as [Value, Value];
  const share = c.ops.where(c.ops.by("Greater", count, 0), ...numbers);
  const now = c.ops.add(c.ops.by("Mul", before as Value, alpha), c.ops.mul(share, gradient));
  const direction = mode === "standard" ? now : c.ops.add(gradient, c.ops.by("Mul", now, alpha));
  return [c.ops.sub(weights, c.ops.mul(rate, direction)), now];
}

export const OPTIMISERS: Readonly<Record<string, Lowering>> = {
  Adagrad: optimiser(1, adagrad),
  Adam: optimiser(2, adam),
  Momentum: optimiser(1, momentum),
};
