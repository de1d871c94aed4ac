// Elementary functions made of IEEE operations alone, the same bits everywhere. Errors over all floats: exp and log below 1
// ulp, tanh and erf below 1.5. Branches are selections, so that loops over them become vector code; a NaN that arises on the
// way is replaced by the one NaN at the end.
#pragma once

#include "ieee.h"

namespace ogpu {

OGPU_INLINE float infinity() { return float_of(0x7f800000u); }

// 2^n for n from -126 to 127.
OGPU_INLINE float power_of_two(int n) { return float_of(static_cast<uint32_t>(n + 127) << 23); }

OGPU_INLINE float exp(float x) {
  // Beyond these ends the result is 0 or infinity anyway. The NaN loses here and is put back at the end.
  float limited = raw_smaller(raw_larger(x, -104.0f), 89.0f);
  // Adding 1.5 * 2^23 leaves the nearest whole number in the low bits.
  const float shift = 12582912.0f;
  float moved = raw_fma(limited, 0x1.715476p+0f, shift);
  int n = static_cast<int>(bits_of(moved) - bits_of(shift));
  float whole = raw_sub(moved, shift);
  // The first step is exact; what the second rounds off is kept.
  float exact = raw_fma(whole, -0x1.62e4p-1f, limited);
  float r = raw_fma(whole, -0x1.7f7d1cp-20f, exact);
  float rest = raw_fma(whole, -0x1.7f7d1cp-20f, raw_sub(exact, r));
  float q = 0x1.a1bd5cp-13f;
  q = raw_fma(q, r, 0x1.6d9e3ep-10f);
  q = raw_fma(q, r, 0x1.11107ap-7f);
  q = raw_fma(q, r, 0x1.555478p-5f);
  q = raw_fma(q, r, 0x1.555556p-3f);
  q = raw_fma(q, r, 0.5f);
  float y = raw_add(1.0f, raw_add(r, raw_fma(raw_mul(r, r), q, rest)));
  // In two steps, because 2^n itself may be no float; only the second can round.
  int half = n >> 1;
  float result = raw_mul(raw_mul(y, power_of_two(half)), power_of_two(n - half));
  return is_nan(x) ? float_of(0x7fffffffu) : result;
}

OGPU_INLINE float log(float x) {
  bool tiny = x < 0x1p-126f;
  uint32_t bits = bits_of(tiny ? raw_mul(x, 0x1p+23f) : x);
  // The mantissa from the root of 1/2 up to the root of 2.
  int exponent = static_cast<int>(bits - 0x3f3504f3u) >> 23;
  float m = float_of(bits - (static_cast<uint32_t>(exponent) << 23));
  float n = static_cast<float>(exponent - (tiny ? 23 : 0));
  float f = raw_sub(m, 1.0f);
  float s = raw_div(f, raw_add(2.0f, f));
  float z = raw_mul(s, s);
  float r = 0x1.c71c72p-3f;
  r = raw_fma(r, z, 0x1.24924ap-2f);
  r = raw_fma(r, z, 0x1.99999ap-2f);
  r = raw_fma(r, z, 0x1.555556p-1f);
  r = raw_mul(r, z);
  // log(1 + f) = f - (f^2 / 2 - s * (f^2 / 2 + r)).
  float square = raw_mul(raw_mul(0.5f, f), f);
  float rest = raw_fma(n, 0x1.7f7d1cp-20f, raw_mul(s, raw_add(square, r)));
  float result = raw_fma(n, 0x1.62e4p-1f, raw_sub(f, raw_sub(square, rest)));
  result = x == 0.0f ? -infinity() : result;
  result = x == infinity() ? x : result;
  return x < 0.0f || is_nan(x) ? float_of(0x7fffffffu) : result;
}

OGPU_INLINE float tanh(float x) {
  float size = raw_magnitude(x);
  float z = raw_mul(x, x);
  float p = 0x1.163b6cp-9f;
  p = raw_fma(p, z, -0x1.0b43cep-7f);
  p = raw_fma(p, z, 0x1.636962p-6f);
  p = raw_fma(p, z, -0x1.b9eba8p-5f);
  p = raw_fma(p, z, 0x1.111058p-3f);
  p = raw_fma(p, z, -0x1.555554p-2f);
  float near = raw_fma(raw_mul(p, z), x, x);
  float far = raw_sub(1.0f, raw_div(2.0f, raw_add(exp(raw_add(size, size)), 1.0f)));
  far = x < 0.0f ? -far : far;
  float result = size < 0.625f ? near : far;
  return is_nan(x) ? float_of(0x7fffffffu) : result;
}

OGPU_INLINE float erf(float x) {
  float size = raw_magnitude(x);
  float z = raw_mul(x, x);
  float p = 0x1.6cd98p-14f;
  p = raw_fma(p, z, -0x1.aec7dap-11f);
  p = raw_fma(p, z, 0x1.554292p-8f);
  p = raw_fma(p, z, -0x1.b81a7p-6f);
  p = raw_fma(p, z, 0x1.ce2e8ep-4f);
  p = raw_fma(p, z, -0x1.812744p-2f);
  p = raw_fma(p, z, 0x1.06eba8p-3f);
  float near = raw_fma(p, x, x);
  // 1 - erf(x) = exp(-x * q(x)), up to where the result is 1.
  float limited = raw_smaller(size, 3.95f);
  float q = -0x1.4f16d4p-19f;
  q = raw_fma(q, limited, 0x1.4b248cp-15f);
  q = raw_fma(q, limited, -0x1.05dbd8p-12f);
  q = raw_fma(q, limited, 0x1.472b9ep-11f);
  q = raw_fma(q, limited, 0x1.9c3d56p-10f);
  q = raw_fma(q, limited, -0x1.57714ep-6f);
  q = raw_fma(q, limited, 0x1.a9bfa8p-4f);
  q = raw_fma(q, limited, 0x1.45bb5p-1f);
  q = raw_fma(q, limited, 0x1.20e1dep+0f);
  float far = raw_sub(1.0f, exp(raw_mul(q, -limited)));
  far = x < 0.0f ? -far : far;
  float result = size < 0.875f ? near : far;
  return is_nan(x) ? float_of(0x7fffffffu) : result;
}

OGPU_INLINE float sigmoid(float x) { return div(1.0f, add(1.0f, exp(negative(x)))); }

}  // namespace ogpu
