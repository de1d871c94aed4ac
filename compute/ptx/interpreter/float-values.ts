/** Floats as the interpreter sees them: bits in, bits out. Nothing here is shared with the compiler. */
import type { ScalarType } from "../scalar-types.ts";

const view = new DataView(new ArrayBuffer(8));

export const NAN_BITS: Readonly<Record<"f16" | "f32" | "f64", bigint>> = {
  f16: 0x7fffn,
  f32: 0x7fffffffn,
  f64: 0x7fffffffffffffffn,
};

export function numberOf(bits: bigint, type: ScalarType): number {
  if (type === "f16") return numberOfHalf(Number(bits));
  if (type === "f32") {
    view.setUint32(0, Number(bits));
    return view.getFloat32(0);
  }
  view.setBigUint64(0, bits);
  return view.getFloat64(0);
}

/** The nearest value of the type, with the one pattern for NaN. */
export function bitsOfNumber(value: number, type: ScalarType): bigint {
  if (Number.isNaN(value)) return NAN_BITS[type as "f32"];
  if (type === "f16") return bitsOfHalf(value);
  if (type === "f32") {
    view.setFloat32(0, value);
    return BigInt(view.getUint32(0));
  }
  view.setFloat64(0, value);
  return view.getBigUint64(0);
}

function numberOfHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 0x3ff;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** `value` is a float or a double; its distance to a half is exact in double arithmetic. */
function bitsOfHalf(value: number): bigint {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000n : 0n;
  const magnitude = Math.abs(value);
  if (magnitude === Number.POSITIVE_INFINITY) return sign | 0x7c00n;
  const exponent = magnitude < 2 ** -14 ? -14 : Math.floor(Math.log2(magnitude));
  const units = roundToEven(magnitude / 2 ** (exponent - 10));
  const bits = BigInt(units) + (magnitude < 2 ** -14 ? 0n : BigInt(exponent + 14) << 10n);
  return sign | (bits > 0x7c00n ? 0x7c00n : bits);
}

export function roundToEven(value: number): number {
  const low = Math.floor(value);
  const rest = value - low;
  if (rest < 0.5) return low;
  if (rest > 0.5) return low + 1;
  return low % 2 === 0 ? low : low + 1;
}

/** The float nearest to a whole number, ties to even, without rounding twice. */
export function floatOfInteger(value: bigint): number {
  const near = Math.fround(Number(value));
  if (!Number.isFinite(near)) return near;
  view.setFloat32(0, near);
  const bits = view.getUint32(0);
  const candidates = [bits - 1, bits, bits + 1]
    .filter((at) => at >= 0)
    .map((at) => {
      view.setUint32(0, at);
      return { value: view.getFloat32(0), even: at % 2 === 0 };
    });
  const usable = candidates.filter(
    (candidate) => Number.isFinite(candidate.value) && Number.isInteger(candidate.value),
  );
  const distance = (candidate: number): bigint => {
    const gap = BigInt(candidate) - value;
    return gap < 0n ? -gap : gap;
  };
  let best = usable[0] ?? { value: near, even: true };
  for (const candidate of usable) {
    const [a, b] = [distance(candidate.value), distance(best.value)];
    if (a < b || (a === b && candidate.even)) best = candidate;
  }
  return best.value;
}
