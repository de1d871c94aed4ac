/** Types of tensor elements, and their numbers in ONNX (TensorProto.DataType) and in our kernels. */
export type ElementType = "f32" | "f64" | "f16" | "i8" | "u8" | "i16" | "u16" | "i32" | "u32" | "i64" | "u64" | "bool";

/** In the order of the enumeration in compute/kernels/onnx/tensor.h. */
export const ELEMENT_TYPES: readonly ElementType[] = [
  ...(["f32", "f64", "f16", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "bool"] as const),
];

const BYTES: Readonly<Record<ElementType, 1 | 2 | 4 | 8>> = {
  f32: 4,
  f64: 8,
  f16: 2,
  i8: 1,
  u8: 1,
  i16: 2,
  u16: 2,
  i32: 4,
  u32: 4,
  i64: 8,
  u64: 8,
  bool: 1,
};

/** TensorProto.DataType. */
const ONNX_NUMBERS: Readonly<Record<number, ElementType>> = {
  1: "f32",
  2: "u8",
  3: "i8",
  4: "u16",
  5: "i16",
  6: "i32",
  7: "i64",
  9: "bool",
  10: "f16",
  11: "f64",
  12: "u32",
  13: "u64",
};

export function bytesOf(type: ElementType): 1 | 2 | 4 | 8 {
  return BYTES[type];
}

export function elementTypeOf(onnx: number): ElementType | undefined {
  return ONNX_NUMBERS[onnx];
}

export function kernelNumber(type: ElementType): number {
  return ELEMENT_TYPES.indexOf(type);
}

export function isFloating(type: ElementType): boolean {
  return type === "f32" || type === "f64" || type === "f16";
}

/** The least and the greatest of an integer type of up to 32 bits. */
export function rangeOf(type: ElementType): readonly [number, number] {
  const bits = 8 * BYTES[type];
  return type.startsWith("u") ? [0, 2 ** bits - 1] : [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1];
}
