/**
 * Fused multiply-add by whole-number arithmetic: slow, and right for every input by construction. The fast paths fall back
 * to it where their error-free arithmetic could leave the range of doubles.
 */

interface Format {
  readonly fraction: bigint;
  readonly exponentBits: bigint;
  readonly nan: bigint;
}

const F32: Format = { fraction: 23n, exponentBits: 8n, nan: 0x7fffffffn };
const F64: Format = { fraction: 52n, exponentBits: 11n, nan: 0x7fffffffffffffffn };

/** value = (-1)^sign * significand * 2^exponent. */
interface Unpacked {
  readonly negative: boolean;
  readonly significand: bigint;
  readonly exponent: bigint;
  readonly special: "nan" | "infinite" | "finite";
}

function unpack(bits: bigint, { fraction, exponentBits }: Format): Unpacked {
  const most = (1n << exponentBits) - 1n;
  const bias = most >> 1n;
  const field = (bits >> fraction) & most;
  const low = bits & ((1n << fraction) - 1n);
  const negative = ((bits >> (fraction + exponentBits)) & 1n) === 1n;
  if (field === most) return { negative, significand: 0n, exponent: 0n, special: low === 0n ? "infinite" : "nan" };
  const significand = field === 0n ? low : low | (1n << fraction);
  const exponent = (field === 0n ? 1n : field) - bias - fraction;
  return { negative, significand, exponent, special: "finite" };
}

function bitLength(value: bigint): bigint {
  return value === 0n ? 0n : BigInt(value.toString(2).length);
}

/** The nearest value to magnitude * 2^exponent, ties to the even one, or the next one towards zero. */
function round(negative: boolean, magnitude: bigint, exponent: bigint, format: Format, towardsZero: boolean): bigint {
  const { fraction, exponentBits } = format;
  const sign = negative ? 1n << (fraction + exponentBits) : 0n;
  if (magnitude === 0n) return sign;
  const most = (1n << exponentBits) - 1n;
  const smallest = 1n - (most >> 1n) - fraction;
  const wanted = exponent + bitLength(magnitude) - fraction - 1n;
  const unit = wanted < smallest ? smallest : wanted;
  const shift = unit - exponent;
  let significand = shift <= 0n ? magnitude << -shift : magnitude >> shift;
  if (shift > 0n && !towardsZero) {
    const rest = magnitude & ((1n << shift) - 1n);
    const half = 1n << (shift - 1n);
    if (rest > half || (rest === half && (significand & 1n) === 1n)) significand++;
  }
  // A carry out of the significand moves on into the exponent by itself, and from the largest to infinity.
  const field = significand < 1n << fraction ? 0n : unit - smallest + 1n;
  const bits = field === 0n ? significand : (field << fraction) + (significand - (1n << fraction));
  const infinite = most << fraction;
  return sign | (bits < infinite ? bits : towardsZero ? infinite - 1n : infinite);
}

function fma(aBits: bigint, bBits: bigint, cBits: bigint, format: Format, towardsZero: boolean): bigint {
  const [a, b, c] = [unpack(aBits, format), unpack(bBits, format), unpack(cBits, format)];
  const negative = a.negative !== b.negative;
  const infinite = ((1n << format.exponentBits) - 1n) << format.fraction;
  const signed = (minus: boolean): bigint => infinite | (minus ? 1n << (format.fraction + format.exponentBits) : 0n);
  if (a.special === "nan" || b.special === "nan" || c.special === "nan") return format.nan;
  if (a.special === "infinite" || b.special === "infinite") {
    const zero = (x: Unpacked): boolean => x.special === "finite" && x.significand === 0n;
    if (zero(a) || zero(b) || (c.special === "infinite" && c.negative !== negative)) return format.nan;
    return signed(negative);
  }
  if (c.special === "infinite") return signed(c.negative);
  return finiteSum(negative, a.significand * b.significand, a.exponent + b.exponent, c, format, towardsZero);
}

function finiteSum(
  negative: boolean,
  product: bigint,
  exponent: bigint,
  c: Unpacked,
  format: Format,
  towardsZero: boolean,
): bigint {
  const low = exponent < c.exponent ? exponent : c.exponent;
  const first = (negative ? -product : product) << (exponent - low);
  const second = (c.negative ? -c.significand : c.significand) << (c.exponent - low);
  const sum = first + second;
  // An exact zero is positive, unless both parts are negative zeros.
  if (sum === 0n)
    return round(product === 0n && c.significand === 0n && negative && c.negative, 0n, 0n, format, towardsZero);
  return round(sum < 0n, sum < 0n ? -sum : sum, low, format, towardsZero);
}

export function exactFma32(a: bigint, b: bigint, c: bigint, towardsZero = false): bigint {
  return fma(a, b, c, F32, towardsZero);
}

export function exactFma64(a: bigint, b: bigint, c: bigint): bigint {
  return fma(a, b, c, F64, false);
}
