/**
 * Fourier transforms, as products with a table of cosines and sines. They are computed in doubles and rounded once:
 * what cancels out, as in the spectrum of a pure tone, is then far below what the elements themselves can say.
 */
import type { Value } from "../builder.ts";
import { isFloating } from "../element-types.ts";
import { reject } from "../errors.ts";
import { axisOf } from "../geometry.ts";
import type { Lowering, NodeContext } from "../node-context.ts";
import { inverse } from "../ops.ts";
import { checkTable } from "../tensor.ts";

interface Transform {
  /** The period of the waves: how long the signal is, or is cut or filled up to. */
  readonly length: number;
  readonly inverse: boolean;
  /** Only half of the spectrum, the other being its mirror: in the result, or of the inverse in what is given. */
  readonly onesided: boolean;
}

/** The unit circle after `step` of `steps`, to the bit where it crosses an axis. */
function turn(step: number, steps: number): readonly [cosine: number, sine: number] {
  const quarter = (4 * (step % steps)) / steps;
  if (Number.isInteger(quarter)) return [[1, 0, -1, 0][quarter] as number, [0, 1, 0, -1][quarter] as number];
  const angle = (2 * Math.PI * (step % steps)) / steps;
  return [Math.cos(angle), Math.sin(angle)];
}

/** From `size` elements of `parts` numbers to `made` elements of `results`: the table that a row is multiplied by. */
interface Table {
  readonly made: number;
  readonly results: 1 | 2;
  readonly values: readonly number[];
}

function tableOf({ length, inverse: back, onesided }: Transform, size: number, parts: number): Table {
  const results = back && onesided ? 1 : 2;
  const made = onesided && !back ? Math.floor(length / 2) + 1 : length;
  const used = back && onesided ? Math.min(size, Math.floor(length / 2) + 1) : Math.min(size, length);
  checkTable(size * parts * made * results);
  const values: number[] = [];
  for (let from = 0; from < size; from++) {
    const alone = from === 0 || 2 * from === length;
    const weight = from >= used ? 0 : (back && onesided && !alone ? 2 : 1) / (back ? length : 1);
    const waves = Array.from({ length: made }, (_, to) => {
      const [cosine, sine] = turn(from * to, length);
      return [cosine * weight, (back ? sine : -sine) * weight] as const;
    });
    // Of a real part, then of an imaginary one, which is a quarter of a turn ahead.
    for (const [x, y] of waves) values.push(...[x, y].slice(0, results));
    if (parts === 2) for (const [x, y] of waves) values.push(...[-y, x].slice(0, results));
  }
  return { made, results, values };
}

/** Along an axis of a tensor whose last dimension holds a real number, or a real and an imaginary part. */
function transformed(c: NodeContext, x: Value, axis: number, transform: Transform): Value {
  const rank = x.shape.length;
  const [size, parts] = [x.shape[axis] as number, x.shape[rank - 1] as number];
  if (!isFloating(x.type)) return c.unsupported(`spectra of ${x.type}`);
  if (axis === rank - 1 || parts > 2 || transform.length < 1) return reject("ONNX_SHAPE", "no signal to transform");
  const { made, results, values } = tableOf(transform, size, parts);
  const outer = x.shape.map((_, d) => d).filter((d) => d !== axis && d !== rank - 1);
  const order = [...outer, axis, rank - 1];
  const sizes = outer.map((d) => x.shape[d] as number);
  const rows = c.ops.reshape(c.ops.cast(c.ops.transpose(x, order), "f64"), [...sizes, size * parts]);
  const product = c.ops.matmul(rows, c.ops.constant("f64", [size * parts, made * results], values));
  return c.ops.transpose(c.ops.reshape(c.ops.cast(product, x.type), [...sizes, made, results]), inverse(order));
}

/** The axis is an attribute in older versions, an input since. */
function fourier(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const given = c.opset < 20 ? c.int("axis", 1) : (c.known(2)?.[0] ?? -2);
  const axis = axisOf(given, x.shape.length);
  const [back, onesided] = [c.int("inverse", 0) === 1, c.int("onesided", 0) === 1];
  const size = x.shape[axis] as number;
  const length = c.known(1)?.[0] ?? (back && onesided ? 2 * (size - 1) : size);
  return [transformed(c, x, axis, { length, inverse: back, onesided })];
}

/** Spectra of overlapping frames of a signal, each weighed by a window. */
function shortTimeFourier(c: NodeContext): readonly Value[] {
  const [signal, window] = [c.input(0), c.maybe(2)];
  const [batch = 1, size = 0, parts = 1] = signal.shape;
  const [step = 0] = c.known(1) ?? [];
  const length = c.known(3)?.[0] ?? window?.shape[0] ?? size;
  if (step < 1 || length < 1 || length > size) return reject("ONNX_SHAPE", `frames of ${length}, ${step} apart`);
  const frames = Math.floor((size - length) / step) + 1;
  const strides = [size * parts, step * parts, parts, 1];
  const cut = c.ops.view(signal, [batch, frames, length, parts], strides);
  const weighed = window === undefined ? cut : c.ops.mul(cut, c.ops.reshape(window, [length, 1]));
  return [transformed(c, weighed, 2, { length, inverse: false, onesided: c.int("onesided", 1) === 1 })];
}

export const SPECTRA: Readonly<Record<string, Lowering>> = { DFT: fourier, STFT: shortTimeFourier };
