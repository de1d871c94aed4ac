/** Operators with a state that goes from step to step; they are unrolled, one set of launches for each step. */
import type { Value } from "../builder.ts";
import { MAX_UNROLLED } from "../limits.ts";
import type { Lowering, NodeContext } from "../node-context.ts";

/** One direction: its weights, and the state that it starts from. */
interface Direction {
  readonly index: number;
  readonly reverse: boolean;
}

function directionsOf(c: NodeContext): readonly Direction[] {
  const text = c.text("direction", "forward");
  if (text === "bidirectional") {
    return [
      { index: 0, reverse: false },
      { index: 1, reverse: true },
    ];
  }
  return [{ index: 0, reverse: text === "reverse" }];
}

interface Weights {
  readonly input: Value;
  readonly hidden: Value;
  readonly inputBias: Value | undefined;
  readonly hiddenBias: Value | undefined;
}

/** Of one direction, turned so that they multiply from the right; biases are halves of one list. */
function weightsOf(c: NodeContext, { index }: Direction, gates: number, size: number): Weights {
  const own = (value: Value): Value => c.ops.take(value, 0, index);
  const bias = c.maybe(3);
  const half = (start: number): Value | undefined =>
    bias === undefined ? undefined : c.ops.slice(own(bias), 0, start * gates * size, gates * size);
  return {
    input: c.ops.transpose(own(c.input(1)), [1, 0]),
    hidden: c.ops.transpose(own(c.input(2)), [1, 0]),
    inputBias: half(0),
    hiddenBias: half(1),
  };
}

function plus(c: NodeContext, x: Value, y: Value | undefined): Value {
  return y === undefined ? x : c.ops.add(x, y);
}

/** What a cell makes of a step's input and the states before. */
type Cell = (x: Value, states: readonly Value[]) => readonly Value[];

interface Unrolled {
  readonly outputs: readonly Value[];
  readonly states: readonly Value[];
}

function unroll(steps: readonly Value[], reverse: boolean, start: readonly Value[], cell: Cell): Unrolled {
  let states = start;
  const ordered = reverse ? steps.toReversed() : steps;
  const outputs = ordered.map((x) => {
    states = cell(x, states);
    return states[0] as Value;
  });
  return { outputs: reverse ? outputs.toReversed() : outputs, states };
}

/** The whole operator: directions side by side, states at the end, batch first if the layout says so. */
function recurrent(
  c: NodeContext,
  stateInputs: readonly number[],
  makeCell: (direction: Direction, size: number) => Cell,
): readonly Value[] {
  const batchFirst = c.int("layout", 0) === 1;
  const size = c.int("hidden_size", c.input(2).shape[2] as number);
  const x = batchFirst ? c.ops.transpose(c.input(0), [1, 0, 2]) : c.input(0);
  const [length = 1, batch = 1] = x.shape;
  if (length > MAX_UNROLLED) return c.unsupported(`${length} steps`);
  refuseOptions(c, length);
  const steps = Array.from({ length }, (_, t) => c.ops.take(x, 0, t));
  const startOf = (input: number, index: number): Value => {
    const given = c.maybe(input);
    if (given === undefined) return c.ops.expand(c.ops.scalar(x.type, 0), [batch, size]);
    return batchFirst ? c.ops.take(given, 1, index) : c.ops.take(given, 0, index);
  };
  const runs = directionsOf(c).map((direction) => {
    const start = stateInputs.map((input) => startOf(input, direction.index));
    return unroll(steps, direction.reverse, start, makeCell(direction, size));
  });
  // [time, direction, batch, size] from one [batch, size] for each time and direction.
  const shaped = (value: Value): Value => c.ops.reshape(value, [1, 1, batch, size]);
  const all = c.ops.concat(
    steps.map((_, t) =>
      c.ops.concat(
        runs.map(({ outputs }) => shaped(outputs[t] as Value)),
        1,
      ),
    ),
    0,
  );
  const last = stateInputs.map((_, state) =>
    c.ops.concat(
      runs.map(({ states }) => c.ops.reshape(states[state] as Value, [1, batch, size])),
      0,
    ),
  );
  return [
    batchFirst ? c.ops.transpose(all, [2, 0, 1, 3]) : all,
    ...last.map((value) => (batchFirst ? c.ops.transpose(value, [1, 0, 2]) : value)),
  ];
}

/** What changes the cell or the steps, and is not built. */
function refuseOptions(c: NodeContext, length: number): void {
  for (const name of ["activations", "activation_alpha", "activation_beta", "clip"]) {
    if (c.has(name)) c.unsupported(`its ${name}`);
  }
  if (c.maybe(4) !== undefined && (c.known(4) ?? []).some((own) => own !== length)) {
    c.unsupported("sequences of different lengths");
  }
}

function rnn(c: NodeContext): readonly Value[] {
  return recurrent(c, [5], (direction, size) => {
    const { input, hidden, inputBias, hiddenBias } = weightsOf(c, direction, 1, size);
    return (x, [h]) => {
      const sum = c.ops.add(c.ops.matmul(x, input), c.ops.matmul(h as Value, hidden));
      return [c.ops.unary("Tanh", plus(c, plus(c, sum, inputBias), hiddenBias))];
    };
  });
}

function gru(c: NodeContext): readonly Value[] {
  const late = c.int("linear_before_reset", 0) === 1;
  return recurrent(c, [5], (direction, size) => {
    const { input, hidden, inputBias, hiddenBias } = weightsOf(c, direction, 3, size);
    const gate = (value: Value, at: number): Value => c.ops.slice(value, value.shape.length - 1, at * size, size);
    const bias = (value: Value | undefined, at: number): Value | undefined =>
      value === undefined ? undefined : gate(value, at);
    return (x, [h]) => {
      const before = h as Value;
      const fromInput = plus(c, c.ops.matmul(x, input), inputBias);
      const part = (at: number, state: Value): Value =>
        plus(c, c.ops.matmul(state, gate(hidden, at)), bias(hiddenBias, at));
      const update = c.ops.unary("Sigmoid", c.ops.add(gate(fromInput, 0), part(0, before)));
      const reset = c.ops.unary("Sigmoid", c.ops.add(gate(fromInput, 1), part(1, before)));
      const kept = late ? c.ops.mul(reset, part(2, before)) : part(2, c.ops.mul(reset, before));
      const fresh = c.ops.unary("Tanh", c.ops.add(gate(fromInput, 2), kept));
      const rest = c.ops.sub(c.ops.scalar(update.type, 1), update);
      return [c.ops.add(c.ops.mul(rest, fresh), c.ops.mul(update, before))];
    };
  });
}

/** Gates in the order input, output, forget, cell; peepholes look at the cell's state. */
function lstm(c: NodeContext): readonly Value[] {
  if (c.int("input_forget", 0) === 1) return c.unsupported("coupled gates");
  return recurrent(c, [5, 6], (direction, size) => {
    const { input, hidden, inputBias, hiddenBias } = weightsOf(c, direction, 4, size);
    const holes = c.maybe(7);
    const peep = (sum: Value, at: number, state: Value): Value =>
      holes === undefined
        ? sum
        : c.ops.add(sum, c.ops.mul(c.ops.slice(c.ops.take(holes, 0, direction.index), 0, at * size, size), state));
    return (x, [h, s]) => {
      const [before, state] = [h as Value, s as Value];
      const sum = plus(
        c,
        plus(c, c.ops.add(c.ops.matmul(x, input), c.ops.matmul(before, hidden)), inputBias),
        hiddenBias,
      );
      const gate = (at: number): Value => c.ops.slice(sum, 1, at * size, size);
      const take = c.ops.unary("Sigmoid", peep(gate(0), 0, state));
      const forget = c.ops.unary("Sigmoid", peep(gate(2), 2, state));
      const next = c.ops.add(c.ops.mul(forget, state), c.ops.mul(take, c.ops.unary("Tanh", gate(3))));
      const show = c.ops.unary("Sigmoid", peep(gate(1), 1, next));
      return [c.ops.mul(show, c.ops.unary("Tanh", next)), next];
    };
  });
}

/** What one step of linear attention adds to the state: the key, and decay and strength where the rule has them. */
interface LinearStep {
  readonly key: Value;
  readonly value: Value;
  readonly decay: Value | undefined;
  readonly beta: Value | undefined;
}

/**
 * A matrix of state for each head, updated by the outer product of key and value: as it is, after decay, or by what the
 * state does not yet say of the value (the delta rule).
 */
function updated(c: NodeContext, rule: string, before: Value, { key, value, decay, beta }: LinearStep): Value {
  const [batch = 1, heads = 1, size = 1] = key.shape;
  const column = (x: Value): Value => c.ops.reshape(x, [...x.shape, 1]);
  const decays = decay !== undefined && rule.startsWith("gated");
  const state = decays ? c.ops.mul(before, c.ops.unary("Exp", column(decay))) : before;
  let row = c.ops.reshape(value, [batch, heads, 1, value.shape[2] as number]);
  if (rule.endsWith("delta")) {
    row = c.ops.sub(row, c.ops.matmul(c.ops.reshape(key, [batch, heads, 1, size]), state));
    if (beta !== undefined) row = c.ops.mul(row, column(beta));
  }
  return c.ops.add(state, c.ops.matmul(column(key), row));
}

/** Halves are read, and made of the results; in between is single precision, because the state goes through every step. */
function linearAttention(c: NodeContext): readonly Value[] {
  const rule = c.text("update_rule", "gated_delta");
  const [queryHeads, keyHeads] = [c.int("q_num_heads", 1), c.int("kv_num_heads", 1)];
  const wide = (x: Value): Value => (x.type === "f16" ? c.ops.cast(x, "f32") : x);
  const split = (x: Value, heads: number): Value => {
    const [batch = 1, length = 1, width = 1] = x.shape;
    return c.ops.transpose(c.ops.reshape(wide(x), [batch, length, heads, width / heads]), [1, 0, 2, 3]);
  };
  const gates = (index: number): Value | undefined => {
    const given = c.maybe(index);
    return given === undefined ? undefined : split(given, Math.min(keyHeads, given.shape[2] as number));
  };
  const [query, key, value] = [split(c.input(0), queryHeads), split(c.input(1), keyHeads), split(c.input(2), keyHeads)];
  const [decays, betas] = [gates(4), gates(5)];
  const [length = 1, batch = 1, , keySize = 1] = key.shape;
  const valueSize = value.shape[3] as number;
  if (length > MAX_UNROLLED) return c.unsupported(`${length} steps`);
  const scale = c.float("scale", 0) === 0 ? 1 / Math.sqrt(keySize) : c.float("scale", 1);
  const past = c.maybe(3);
  const none = [batch, keyHeads, keySize, valueSize];
  let state = past === undefined ? c.ops.expand(c.ops.scalar(key.type, 0), none) : wide(past);
  const outputs = Array.from({ length }, (_, t) => {
    const at = (x: Value): Value => c.ops.take(x, 0, t);
    const [decay, beta] = [decays, betas].map((gate) => (gate === undefined ? undefined : at(gate)));
    state = updated(c, rule, state, { key: at(key), value: at(value), decay, beta });
    const asked = c.ops.reshape(c.ops.by("Mul", at(query), scale), [batch, keyHeads, queryHeads / keyHeads, keySize]);
    return c.ops.reshape(c.ops.matmul(asked, state), [batch, 1, queryHeads * valueSize]);
  });
  const { type } = c.input(0);
  return [c.ops.cast(c.ops.concat(outputs, 1), type), c.ops.cast(state, past?.type ?? type)];
}

export const RECURRENT: Readonly<Record<string, Lowering>> = {
  RNN: rnn,
  GRU: gru,
  LSTM: lstm,
  LinearAttention: linearAttention,
};
