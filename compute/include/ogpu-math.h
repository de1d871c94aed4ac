// Functions for authors of kernels that are verified bit by bit. Include this instead of calling the CUDA library, whose
// functions use approximations of the hardware; compile with `nvcc -ptx -arch=compute_75 -fmad=false`.
//
// exp, log, tanh, erf and sigmoid work in single precision and become vector code on a CPU. What is here works in double
// precision and rounds once at the end, so that results are nearly always the nearest float. Errors over all floats are
// in docs/spec/math.md. Only IEEE operations and integers are used, so every engine gives the same bits.
#pragma once

#include "../kernels/ieee-math.h"

namespace ogpu {

#ifdef __CUDACC__
OGPU_INLINE uint64_t bits_of(double value) { return (uint64_t)__double_as_longlong(value); }
OGPU_INLINE double double_of(uint64_t bits) { return __longlong_as_double((long long)bits); }
OGPU_INLINE double root(double value) { return __dsqrt_rn(value); }
#else
OGPU_INLINE uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  return bits;
}

OGPU_INLINE double double_of(uint64_t bits) {
  double value;
  memcpy(&value, &bits, 8);
  return value;
}

OGPU_INLINE double root(double value) { return __builtin_sqrt(value); }
#endif

OGPU_INLINE float not_a_number() { return float_of(0x7fffffffu); }

// The nearest float; a NaN becomes the one NaN.
OGPU_INLINE float nearest(double value) { return fix((float)value); }

OGPU_INLINE double with_sign_of(double size, double sign) {
  return double_of((bits_of(size) & 0x7fffffffffffffffull) | (bits_of(sign) & 0x8000000000000000ull));
}

OGPU_INLINE double size_of(double value) { return double_of(bits_of(value) & 0x7fffffffffffffffull); }

// The nearest whole number, for numbers below 2^51; its low bits are those of `bits`.
OGPU_INLINE double whole(double value, int& bits) {
  double moved = value + 0x1.8p+52;
  bits = (int)(uint32_t)bits_of(moved);
  return moved - 0x1.8p+52;
}

// exp(x) for |x| below 700, from the sum of r^k / k! with |r| up to ln(2) / 2.
OGPU_INLINE double wide_exp(double x) {
  int n;
  double w = whole(x * 0x1.71547652b82fep+0, n);
  double r = (x - w * 0x1.62e42feep-1) - w * 0x1.a39ef35793c76p-33;
  double p = 0x1.6124613a86d09p-33;
  p = p * r + 0x1.1eed8eff8d898p-29;
  p = p * r + 0x1.ae64567f544e4p-26;
  p = p * r + 0x1.27e4fb7789f5cp-22;
  p = p * r + 0x1.71de3a556c734p-19;
  p = p * r + 0x1.a01a01a01a01ap-16;
  p = p * r + 0x1.a01a01a01a01ap-13;
  p = p * r + 0x1.6c16c16c16c17p-10;
  p = p * r + 0x1.1111111111111p-7;
  p = p * r + 0x1.5555555555555p-5;
  p = p * r + 0x1.5555555555555p-3;
  p = p * r + 0x1p-1;
  return (1.0 + r * (1.0 + r * p)) * double_of((uint64_t)(n + 1023) << 52);
}

// exp(x) - 1, which near 0 must not be taken as a difference.
OGPU_INLINE double wide_expm1(double x) {
  if (size_of(x) >= 0.35) return wide_exp(x) - 1.0;
  double r = x;
  double p = 0x1.6124613a86d09p-33;
  p = p * r + 0x1.1eed8eff8d898p-29;
  p = p * r + 0x1.ae64567f544e4p-26;
  p = p * r + 0x1.27e4fb7789f5cp-22;
  p = p * r + 0x1.71de3a556c734p-19;
  p = p * r + 0x1.a01a01a01a01ap-16;
  p = p * r + 0x1.a01a01a01a01ap-13;
  p = p * r + 0x1.6c16c16c16c17p-10;
  p = p * r + 0x1.1111111111111p-7;
  p = p * r + 0x1.5555555555555p-5;
  p = p * r + 0x1.5555555555555p-3;
  p = p * r + 0x1p-1;
  return r + r * r * p;
}

// log((2 + f) / 2 + f / 2) by the odd series of s = f / (2 + f), for f from -0.3 to 0.42.
OGPU_INLINE double log_series(double f) {
  double s = f / (2.0 + f);
  double z = s * s;
  double p = 0x1.8618618618618p-4;
  p = p * z + 0x1.af286bca1af28p-4;
  p = p * z + 0x1.e1e1e1e1e1e1ep-4;
  p = p * z + 0x1.1111111111111p-3;
  p = p * z + 0x1.3b13b13b13b14p-3;
  p = p * z + 0x1.745d1745d1746p-3;
  p = p * z + 0x1.c71c71c71c71cp-3;
  p = p * z + 0x1.2492492492492p-2;
  p = p * z + 0x1.999999999999ap-2;
  p = p * z + 0x1.5555555555555p-1;
  return s * (2.0 + z * p);
}

// log(x) for normal x above 0.
OGPU_INLINE double wide_log(double x) {
  uint64_t bits = bits_of(x);
  // The mantissa from the root of 1/2 up to the root of 2.
  int n = (int)((int64_t)(bits - 0x3fe6a09e667f3bcdull) >> 52);
  double m = double_of(bits - ((uint64_t)(int64_t)n << 52));
  double w = (double)n;
  return w * 0x1.62e42feep-1 + (log_series(m - 1.0) + w * 0x1.a39ef35793c76p-33);
}

// log(1 + y) for y above -1.
OGPU_INLINE double wide_log1p(double y) { return size_of(y) < 0.29 ? log_series(y) : wide_log(1.0 + y); }

// atan(x) for x from 0 to infinity: turned by a quarter and an eighth of a circle until the series converges.
OGPU_INLINE double wide_atan(double x) {
  bool steep = x > 1.0;
  double a = steep ? 1.0 / x : x;
  bool turned = a > 0x1.a827999fcef32p-2;
  double t = turned ? (a - 1.0) / (a + 1.0) : a;
  double z = t * t;
  double p = -0x1.7d05f417d05f4p-6;
  p = p * z + 0x1.8f9c18f9c18fap-6;
  p = p * z + -0x1.a41a41a41a41ap-6;
  p = p * z + 0x1.bacf914c1badp-6;
  p = p * z + -0x1.d41d41d41d41dp-6;
  p = p * z + 0x1.f07c1f07c1f08p-6;
  p = p * z + -0x1.0842108421084p-5;
  p = p * z + 0x1.1a7b9611a7b96p-5;
  p = p * z + -0x1.2f684bda12f68p-5;
  p = p * z + 0x1.47ae147ae147bp-5;
  p = p * z + -0x1.642c8590b2164p-5;
  p = p * z + 0x1.8618618618618p-5;
  p = p * z + -0x1.af286bca1af28p-5;
  p = p * z + 0x1.e1e1e1e1e1e1ep-5;
  p = p * z + -0x1.1111111111111p-4;
  p = p * z + 0x1.3b13b13b13b14p-4;
  p = p * z + -0x1.745d1745d1746p-4;
  p = p * z + 0x1.c71c71c71c71cp-4;
  p = p * z + -0x1.2492492492492p-3;
  p = p * z + 0x1.999999999999ap-3;
  p = p * z + -0x1.5555555555555p-2;
  double angle = t + t * z * p;
  angle = turned ? 0x1.921fb54442d18p-1 + angle : angle;
  return steep ? 0x1.921fb54442d18p+0 - angle : angle;
}

OGPU_INLINE double sin_series(double r) {
  double z = r * r;
  double p = 0x1.952c77030ad4ap-49;
  p = p * z + -0x1.ae7f3e733b81fp-41;
  p = p * z + 0x1.6124613a86d09p-33;
  p = p * z + -0x1.ae64567f544e4p-26;
  p = p * z + 0x1.71de3a556c734p-19;
  p = p * z + -0x1.a01a01a01a01ap-13;
  p = p * z + 0x1.1111111111111p-7;
  p = p * z + -0x1.5555555555555p-3;
  return r + r * z * p;
}

OGPU_INLINE double cos_series(double r) {
  double z = r * r;
  double p = 0x1.ae7f3e733b81fp-45;
  p = p * z + -0x1.93974a8c07c9dp-37;
  p = p * z + 0x1.1eed8eff8d898p-29;
  p = p * z + -0x1.27e4fb7789f5cp-22;
  p = p * z + 0x1.a01a01a01a01ap-16;
  p = p * z + -0x1.6c16c16c16c17p-10;
  p = p * z + 0x1.5555555555555p-5;
  p = p * z + -0x1p-1;
  return 1.0 + z * p;
}

// 32 bits of 2 / pi from bit `at` on, counted from the first after the point.
OGPU_INLINE uint32_t two_over_pi(int at) {
  const uint32_t words[8] = {0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u,
                             0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u};
  int word = at >> 5, shift = at & 31;
  uint32_t high = 0, low = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) {
    high = i == word ? words[i] : high;
    low = i == word + 1 ? words[i] : low;
  }
  return shift == 0 ? high : (high << shift) | (low >> (32 - shift));
}

// x less the nearest multiple of pi / 2, and how many of them there were, modulo 4.
OGPU_INLINE double reduced(float x, int& quarter) {
  double size = size_of((double)x);
  double r;
  if (size < 0x1p+25) {
    double w = whole(size * 0x1.45f306dc9c883p-1, quarter);
    // Each product is exact: 25 bits times 26.
    r = ((size - w * 0x1.921fb5p+0) - w * 0x1.110b46p-26) - w * 0x1.1a62633145c07p-54;
  } else {
    // The product with 2 / pi modulo 4, from the bits that matter: those above make multiples of 4.
    uint32_t bits = bits_of(x);
    int first = (int)((bits >> 23) & 255) - 152;
    uint64_t m = (bits & 0x7fffffu) | 0x800000u;
    uint64_t low = m * two_over_pi(first + 64);
    uint64_t middle = m * two_over_pi(first + 32) + (low >> 32);
    uint32_t top = (uint32_t)(m * two_over_pi(first)) + (uint32_t)(middle >> 32);
    uint64_t turns = ((uint64_t)top << 32) | (uint32_t)middle;
    quarter = (int)((turns + 0x2000000000000000ull) >> 62);
    r = (double)(int64_t)(turns - ((uint64_t)quarter << 62)) * 0x1.921fb54442d18p-62;
  }
  if (x < 0.0f) quarter = -quarter;
  return x < 0.0f ? -r : r;
}

OGPU_INLINE float sin(float x) {
  if (!(magnitude(x) < infinity())) return not_a_number();
  int quarter;
  double r = reduced(x, quarter);
  double value = (quarter & 1) ? cos_series(r) : sin_series(r);
  value = (quarter & 2) ? -value : value;
  return x == 0.0f ? x : nearest(value);
}

OGPU_INLINE float cos(float x) {
  if (!(magnitude(x) < infinity())) return not_a_number();
  int quarter;
  double r = reduced(x, quarter);
  double value = (quarter & 1) ? -sin_series(r) : cos_series(r);
  return nearest((quarter & 2) ? -value : value);
}

OGPU_INLINE float tan(float x) {
  if (!(magnitude(x) < infinity())) return not_a_number();
  int quarter;
  double r = reduced(x, quarter);
  double s = sin_series(r), c = cos_series(r);
  return x == 0.0f ? x : nearest((quarter & 1) ? -c / s : s / c);
}

OGPU_INLINE float atan(float x) {
  if (is_nan(x)) return not_a_number();
  return nearest(with_sign_of(wide_atan(size_of((double)x)), (double)x));
}

OGPU_INLINE float asin(float x) {
  if (!(magnitude(x) <= 1.0f)) return not_a_number();
  double a = size_of((double)x);
  return nearest(with_sign_of(wide_atan(a / root((1.0 - a) * (1.0 + a))), (double)x));
}

OGPU_INLINE float acos(float x) {
  if (!(magnitude(x) <= 1.0f)) return not_a_number();
  double a = size_of((double)x);
  double angle = wide_atan(root((1.0 - a) * (1.0 + a)) / a);
  return nearest(x < 0.0f ? 0x1.921fb54442d18p+1 - angle : angle);
}

OGPU_INLINE float sinh(float x) {
  if (is_nan(x)) return not_a_number();
  double a = size_of((double)x);
  if (a > 90.0) return x < 0.0f ? -infinity() : infinity();
  double e = wide_expm1(a);
  return nearest(with_sign_of(0.5 * (e + e / (e + 1.0)), (double)x));
}

OGPU_INLINE float cosh(float x) {
  if (is_nan(x)) return not_a_number();
  double a = size_of((double)x);
  if (a > 90.0) return infinity();
  double e = wide_exp(a);
  return nearest(0.5 * (e + 1.0 / e));
}

OGPU_INLINE float asinh(float x) {
  if (!(magnitude(x) < infinity())) return is_nan(x) ? not_a_number() : x;
  double a = size_of((double)x);
  return nearest(with_sign_of(wide_log1p(a + a * a / (1.0 + root(1.0 + a * a))), (double)x));
}

OGPU_INLINE float acosh(float x) {
  if (!(x >= 1.0f)) return not_a_number();
  if (x == infinity()) return x;
  double t = (double)x - 1.0;
  return nearest(wide_log1p(t + root(t * (t + 2.0))));
}

OGPU_INLINE float atanh(float x) {
  if (!(magnitude(x) <= 1.0f)) return not_a_number();
  double a = size_of((double)x);
  if (a == 1.0) return x < 0.0f ? -infinity() : infinity();
  return nearest(with_sign_of(0.5 * wide_log1p(2.0 * a / (1.0 - a)), (double)x));
}

OGPU_INLINE float expm1(float x) {
  if (is_nan(x)) return not_a_number();
  if (x > 90.0f) return infinity();
  if (x < -30.0f) return -1.0f;
  return x == 0.0f ? x : nearest(wide_expm1((double)x));
}

OGPU_INLINE float log1p(float x) {
  if (!(x >= -1.0f)) return not_a_number();
  if (x == -1.0f) return -infinity();
  if (x == infinity() || x == 0.0f) return x;
  return nearest(wide_log1p((double)x));
}

OGPU_INLINE float exp2(float x) {
  if (is_nan(x)) return not_a_number();
  if (x > 130.0f) return infinity();
  if (x < -160.0f) return 0.0f;
  return nearest(wide_exp((double)x * 0x1.62e42fefa39efp-1));
}

// log(x) * factor.
OGPU_INLINE float scaled_log(float x, double factor) {
  if (!(x >= 0.0f)) return not_a_number();
  if (x == 0.0f) return -infinity();
  return x == infinity() ? x : nearest(wide_log((double)x) * factor);
}

OGPU_INLINE float log2(float x) { return scaled_log(x, 0x1.71547652b82fep+0); }

OGPU_INLINE float log10(float x) { return scaled_log(x, 0x1.bcb7b1526e50ep-2); }

// One over the root, rounded once.
OGPU_INLINE float rsqrt(float x) { return nearest(1.0 / root((double)x)); }

// As in C: x^0 and 1^y are 1 whatever the other is, and negative x only has whole powers.
OGPU_INLINE float pow(float x, float y) {
  if (y == 0.0f || x == 1.0f) return 1.0f;
  if (is_nan(x) || is_nan(y)) return not_a_number();
  float size = magnitude(y);
  // From 2^24 on every float is even; below, the last bit before the point decides.
  bool is_whole = size >= 0x1p+24f || (float)(int)size == size;
  bool odd = size < 0x1p+24f && is_whole && ((int)size & 1) == 1;
  bool minus = odd && (bits_of(x) >> 31) == 1;
  float a = magnitude(x);
  if (size == infinity()) return a == 1.0f ? 1.0f : ((a > 1.0f) == (y > 0.0f) ? infinity() : 0.0f);
  if (a == 0.0f || a == infinity()) {
    float value = (a == 0.0f) == (y > 0.0f) ? 0.0f : infinity();
    return minus ? -value : value;
  }
  if (x < 0.0f && !is_whole) return not_a_number();
  double power = (double)y * wide_log((double)a);
  power = power > 200.0 ? 200.0 : (power < -200.0 ? -200.0 : power);
  double value = wide_exp(power);
  return nearest(minus ? -value : value);
}

// log(1 + exp(x)).
OGPU_INLINE float softplus(float x) {
  if (is_nan(x)) return not_a_number();
  if (x > 100.0f) return x;
  return x < -110.0f ? 0.0f : nearest(wide_log1p(wide_exp((double)x)));
}

}  // namespace ogpu
