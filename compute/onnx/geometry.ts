/** Positions in tensors as kernels take them: at most six dimensions, outermost first. */
import { assert } from "../../base/errors.ts";
import { reject } from "./errors.ts";
import type { Shape } from "./tensor.ts";

export const KERNEL_RANK = 6;

/** A scalar argument. */
export function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

export function i32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, value, true);
  return bytes;
}

export function f32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value, true);
  return bytes;
}

export function i32s(values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(4 * values.length);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => {
    view.setInt32(4 * i, value, true);
  });
  return bytes;
}

/** `values` at the end of six, `fill` before them. */
function widened(values: readonly number[], fill: number): readonly number[] {
  assert(values.length <= KERNEL_RANK, "the dimensions fit");
  return [...Array.from({ length: KERNEL_RANK - values.length }, () => fill), ...values];
}

export function space(sizes: Shape): Uint8Array {
  return i32s(widened(sizes, 1));
}

export function steps(strides: readonly number[], base = 0): Uint8Array {
  return i32s([...widened(strides, 0), base]);
}

/** Zeros before, so that positions in dimensions that are not there stay inside. */
export function corner(low: Shape): Uint8Array {
  return i32s(widened(low, 0));
}

export interface Walk {
  readonly sizes: Shape;
  /** One list for each operand. */
  readonly strides: readonly (readonly number[])[];
}

/** The same walk with fewer dimensions: those of size 1 go, and neighbours that every operand passes in one go join. */
export function coalesced({ sizes, strides }: Walk): Walk {
  const kept: number[] = [];
  const steps: number[][] = strides.map(() => []);
  sizes.forEach((size, d) => {
    if (size === 1) return;
    const last = kept.length - 1;
    const joins = last >= 0 && strides.every((own, i) => steps[i]?.[last] === (own[d] as number) * size);
    if (joins) kept[last] = (kept[last] as number) * size;
    else kept.push(size);
    strides.forEach((own, i) => {
      const list = steps[i] as number[];
      if (joins) list[last] = own[d] as number;
      else list.push(own[d] as number);
    });
  });
  if (kept.length > KERNEL_RANK) {
    reject("ONNX_UNSUPPORTED", `a walk through [${sizes.join(", ")}] has more than ${KERNEL_RANK} dimensions`);
  }
  return { sizes: kept, strides: steps };
}

/** The shape of two that are repeated to fit each other. */
export function broadcast(a: Shape, b: Shape): Shape {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, d) => {
    const x = a[d - rank + a.length] ?? 1;
    const y = b[d - rank + b.length] ?? 1;
    if (x !== y && x !== 1 && y !== 1) {
      reject("ONNX_SHAPE", `[${a.join(", ")}] and [${b.join(", ")}] do not fit each other`);
    }
    return x === 1 ? y : x;
  });
}

/** Strides of a tensor that is repeated to `shape`. */
export function repeatedStrides(from: Shape, strides: readonly number[], shape: Shape): readonly number[] {
  const skip = shape.length - from.length;
  return shape.map((size, d) => {
    const own = d < skip ? 1 : (from[d - skip] as number);
    if (own !== size && own !== 1) {
      reject("ONNX_SHAPE", `[${from.join(", ")}] cannot be repeated to [${shape.join(", ")}]`);
    }
    return own === 1 ? 0 : (strides[d - skip] as number);
  });
}

/** A dimension counted from the front. */
export function axisOf(axis: number, rank: number): number {
  const found = axis < 0 ? axis + rank : axis;
  if (!Number.isInteger(found) || found < 0 || found >= Math.max(rank, 1)) {
    reject("ONNX_SHAPE", `there is no dimension ${axis} among ${rank}`);
  }
  return found;
}
