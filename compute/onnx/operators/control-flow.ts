/**
 * Branches and loops. A program has neither: a branch is chosen while lowering where its condition is known, or both are
 * computed and one is taken; loops are written out, so how often they run must be known.
 */
import type { Value } from "../builder.ts";
import { reject } from "../errors.ts";
import { axisOf } from "../geometry.ts";
import { MAX_UNROLLED } from "../limits.ts";
import type { Lowering, NodeContext } from "../node-context.ts";

function branch(c: NodeContext): readonly Value[] {
  const condition = c.input(0);
  const [known] = c.ops.builder.knownNumbers(condition) ?? [];
  const [whenTrue, whenFalse] = [c.graph("then_branch"), c.graph("else_branch")];
  if (known !== undefined) return c.run(known === 0 ? whenFalse : whenTrue, []);
  const [yes, no] = [c.run(whenTrue, []), c.run(whenFalse, [])];
  return yes.map((value, i) => {
    const other = no[i];
    if (other?.type !== value.type || other.shape.join() !== value.shape.join()) {
      return reject("ONNX_DYNAMIC", "the branches differ in shape, and which one is taken is not known before the run");
    }
    return c.ops.where(c.ops.reshape(condition, []), value, other);
  });
}

/** One after the other along a new dimension. */
function stacked(c: NodeContext, values: readonly Value[], axis: number): Value {
  const [first] = values;
  if (first === undefined) return reject("ONNX_DYNAMIC", "a loop that never runs gives rows of no known shape");
  const at = axisOf(axis, first.shape.length + 1);
  const raised = values.map((value) =>
    c.ops.reshape(value, [...value.shape.slice(0, at), 1, ...value.shape.slice(at)]),
  );
  return c.ops.concat(raised, at);
}

function checkCount(count: number): void {
  if (count > MAX_UNROLLED) reject("ONNX_LIMIT", `a loop of ${count} rounds is more than ${MAX_UNROLLED}`);
}

function loop(c: NodeContext): readonly Value[] {
  const body = c.graph("body");
  const [most = Number.POSITIVE_INFINITY] = c.known(0) ?? [];
  let going: Value = c.maybe(1) ?? c.ops.scalar("bool", 1);
  let carried = c.inputs.slice(2).map((_, i) => c.input(i + 2));
  const rows: Value[][] = Array.from({ length: body.outputs.length - 1 - carried.length }, () => []);
  for (let round = 0; round < most; round++) {
    const [goesOn] =
      c.ops.builder.knownNumbers(going) ??
      reject("ONNX_DYNAMIC", "how often the loop runs is not known before the run");
    if (goesOn === 0) break;
    checkCount(round + 1);
    const [next, ...made] = c.run(body, [c.ops.scalar("i64", round), going, ...carried]);
    going = next ?? going;
    carried = made.slice(0, carried.length);
    made.slice(carried.length).forEach((value, i) => void rows[i]?.push(value));
  }
  return [...carried, ...rows.map((values) => stacked(c, values, 0))];
}

function scan(c: NodeContext): readonly Value[] {
  if (c.opset < 9) return c.unsupported("Scan before version 9");
  const body = c.graph("body");
  const count = c.int("num_scan_inputs", 1);
  const states = c.inputs.length - count;
  if (states < 0 || count < 1) return reject("ONNX_FORMAT", `${count} of ${c.inputs.length} inputs are gone through`);
  const inputs = Array.from({ length: count }, (_, i) => {
    const value = c.input(states + i);
    const axis = axisOf(c.ints("scan_input_axes")?.[i] ?? 0, value.shape.length);
    return { value, axis, back: c.ints("scan_input_directions")?.[i] === 1 };
  });
  const [length = 0, ...others] = inputs.map(({ value, axis }) => value.shape[axis] as number);
  if (others.some((other) => other !== length)) return reject("ONNX_SHAPE", "what is gone through differs in length");
  checkCount(length);
  let carried = Array.from({ length: states }, (_, i) => c.input(i));
  const rows: Value[][] = Array.from({ length: body.outputs.length - states }, () => []);
  for (let round = 0; round < length; round++) {
    const parts = inputs.map(({ value, axis, back }) => c.ops.take(value, axis, back ? length - 1 - round : round));
    const made = c.run(body, [...carried, ...parts]);
    carried = made.slice(0, states);
    made.slice(states).forEach((value, i) => void rows[i]?.push(value));
  }
  const joined = rows.map((values, i) => {
    const ordered = c.ints("scan_output_directions")?.[i] === 1 ? values.toReversed() : values;
    return stacked(c, ordered, c.ints("scan_output_axes")?.[i] ?? 0);
  });
  return [...carried, ...joined];
}

export const CONTROL_FLOW: Readonly<Record<string, Lowering>> = { If: branch, Loop: loop, Scan: scan };
