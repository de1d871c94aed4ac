/** The elements of a tensor for people: halves too, and 64-bit integers without loss. */
import { countOf, numbersOf, type Tensor } from "../tensor.ts";

export function readElements(tensor: Tensor): readonly (number | bigint)[] {
  const { type, shape, bytes } = tensor;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const each = <Element>(read: (i: number) => Element): readonly Element[] =>
    Array.from({ length: countOf(shape) }, (_, i) => read(i));
  if (type === "f16") return each((i) => halfOf(view.getUint16(2 * i, true)));
  if (type === "i64") return each((i) => view.getBigInt64(8 * i, true));
  if (type === "u64") return each((i) => view.getBigUint64(8 * i, true));
  return numbersOf(tensor);
}

/** IEEE 754 binary16. */
export function halfOf(bits: number): number {
  const sign = bits >= 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}
