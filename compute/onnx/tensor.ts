/** A tensor with its contents: little-endian elements, the last dimension next to each other. */
import { bytesOf, type ElementType } from "./element-types.ts";
import { reject } from "./errors.ts";
import { MAX_ELEMENTS, MAX_RANK, MAX_TABLE } from "./limits.ts";

export type Shape = readonly number[];

export interface Tensor {
  readonly type: ElementType;
  readonly shape: Shape;
  readonly bytes: Uint8Array;
}

export function countOf(shape: Shape): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Throws ONNX_LIMIT for shapes that nobody could hold, and ONNX_SHAPE for sizes that are none. */
export function checkShape(shape: Shape): Shape {
  if (shape.some((size) => !Number.isSafeInteger(size) || size < 0)) {
    reject("ONNX_SHAPE", `[${shape.join(", ")}] is no shape`);
  }
  if (shape.length > MAX_RANK || countOf(shape) > MAX_ELEMENTS) {
    reject("ONNX_LIMIT", `a tensor of shape [${shape.join(", ")}] is too large`);
  }
  return shape;
}

/** Before a table of that many elements is made: a few bytes of a model must not become gigabytes. */
export function checkTable(count: number): number {
  if (!(count <= MAX_TABLE)) reject("ONNX_LIMIT", `a table of ${count} elements is more than ${MAX_TABLE}`);
  return count;
}

/** How far apart neighbours along each dimension lie, in elements. */
export function stridesOf(shape: Shape): readonly number[] {
  const strides = shape.map(() => 1);
  for (let d = shape.length - 2; d >= 0; d--) strides[d] = (strides[d + 1] as number) * (shape[d + 1] as number);
  return strides;
}

/** The elements as numbers; 64-bit integers beyond 2^53 lose their last digits. */
export function numbersOf({ type, shape, bytes }: Tensor): readonly number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = bytesOf(type);
  return Array.from({ length: countOf(shape) }, (_, i) => readNumber(view, type, i * size));
}

function readNumber(view: DataView, type: ElementType, at: number): number {
  switch (type) {
    case "f32":
      return view.getFloat32(at, true);
    case "f64":
      return view.getFloat64(at, true);
    case "i8":
      return view.getInt8(at);
    case "u8":
    case "bool":
      return view.getUint8(at);
    case "i16":
      return view.getInt16(at, true);
    case "u16":
      return view.getUint16(at, true);
    case "i32":
      return view.getInt32(at, true);
    case "u32":
      return view.getUint32(at, true);
    case "i64":
      return Number(view.getBigInt64(at, true));
    case "u64":
      return Number(view.getBigUint64(at, true));
    default:
      return reject("ONNX_UNSUPPORTED", "halves are not read while lowering");
  }
}

/** Of any type but halves, which only kernels make. */
export function tensorOf(type: ElementType, shape: Shape, values: readonly number[]): Tensor {
  const size = bytesOf(type);
  const bytes = new Uint8Array(values.length * size);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => {
    writeNumber(view, type, i * size, value);
  });
  return { type, shape, bytes };
}

function writeNumber(view: DataView, type: ElementType, at: number, value: number): void {
  if (type === "f32") view.setFloat32(at, value, true);
  else if (type === "f64") view.setFloat64(at, value, true);
  else if (type === "f16") reject("ONNX_UNSUPPORTED", "halves are not made while lowering");
  else if (bytesOf(type) === 8) view.setBigInt64(at, BigInt.asIntN(64, BigInt(value)), true);
  else if (bytesOf(type) === 4) view.setInt32(at, value | 0, true);
  else if (bytesOf(type) === 2) view.setInt16(at, value, true);
  else view.setInt8(at, value);
}
