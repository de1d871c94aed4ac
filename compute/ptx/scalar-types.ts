/** The scalar types of PTX that kernels may use (PTX ISA, "Fundamental types"). */
export type ScalarType =
  | "pred"
  | "b8"
  | "b16"
  | "b32"
  | "b64"
  | "u8"
  | "u16"
  | "u32"
  | "u64"
  | "s8"
  | "s16"
  | "s32"
  | "s64"
  | "f16"
  | "f32"
  | "f64";

const BYTES: Readonly<Record<ScalarType, number>> = {
  pred: 1,
  b8: 1,
  b16: 2,
  b32: 4,
  b64: 8,
  u8: 1,
  u16: 2,
  u32: 4,
  u64: 8,
  s8: 1,
  s16: 2,
  s32: 4,
  s64: 8,
  f16: 2,
  f32: 4,
  f64: 8,
};

export function isScalarType(name: string): name is ScalarType {
  return Object.hasOwn(BYTES, name);
}

/** Bytes in memory. */
export function sizeOf(type: ScalarType): number {
  return BYTES[type];
}

/** Bits of a value; a predicate has one. */
export function bitsOf(type: ScalarType): number {
  return type === "pred" ? 1 : 8 * BYTES[type];
}

export function isFloat(type: ScalarType): boolean {
  return type === "f16" || type === "f32" || type === "f64";
}

export function isSigned(type: ScalarType): boolean {
  return type === "s8" || type === "s16" || type === "s32" || type === "s64";
}

/** Whether the WebAssembly value that holds it is i64. */
export function isWide(type: ScalarType): boolean {
  return BYTES[type] === 8;
}

/** log2 of the size in memory. */
export function alignmentOf(bytes: number): number {
  return 31 - Math.clz32(bytes);
}
