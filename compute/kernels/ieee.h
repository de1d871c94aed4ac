// Arithmetic with one answer on every machine, for kernels that are verified bit by bit: IEEE operations that no compiler
// fuses, and functions made of them alone. One source for nvcc and for a C++ compiler; docs/spec/numerics.md is the rule.
// Compile with `nvcc -fmad=false` or `c++ -ffp-contract=off`.
#pragma once

#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define OGPU_INLINE __device__ __forceinline__
#define OGPU_MEMBER __device__ __forceinline__
#else
#define OGPU_INLINE static inline __attribute__((always_inline))
#define OGPU_MEMBER inline __attribute__((always_inline))
#endif

namespace ogpu {

#ifdef __CUDACC__
OGPU_INLINE uint32_t bits_of(float value) { return __float_as_uint(value); }
OGPU_INLINE float float_of(uint32_t bits) { return __uint_as_float(bits); }
// The rewriter fixes NaNs in PTX.
OGPU_INLINE float fix(float value) { return value; }
OGPU_INLINE float raw_fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
OGPU_INLINE float add(float a, float b) { return __fadd_rn(a, b); }
OGPU_INLINE float sub(float a, float b) { return __fsub_rn(a, b); }
OGPU_INLINE float mul(float a, float b) { return __fmul_rn(a, b); }
OGPU_INLINE float div(float a, float b) { return __fdiv_rn(a, b); }
OGPU_INLINE float root(float a) { return __fsqrt_rn(a); }
OGPU_INLINE float smaller(float a, float b) { return fminf(a, b); }
OGPU_INLINE float larger(float a, float b) { return fmaxf(a, b); }
#else
OGPU_INLINE uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}

OGPU_INLINE float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

// The one NaN.
OGPU_INLINE float fix(float value) { return value != value ? float_of(0x7fffffffu) : value; }

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
OGPU_INLINE float raw_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
// Without the instruction: the product is exact in double, the sum is rounded to odd, and rounding that to float is
// rounding once, because double has more than two bits beyond a float.
OGPU_INLINE float raw_fma(float a, float b, float c) {
  double product = (double)a * (double)b;
  double wide = (double)c;
  double sum = product + wide;
  double part = sum - product;
  double error = (product - (sum - part)) + (wide - part);
  uint64_t bits;
  memcpy(&bits, &sum, 8);
  bool inexact = error < 0.0 || error > 0.0;  // A NaN is neither: nothing to mend at infinities.
  bool outwards = (error > 0.0) == (sum > 0.0);
  if (inexact && (bits & 1) == 0) bits += outwards ? 1 : -1;
  memcpy(&sum, &bits, 8);
  return (float)sum;
}
#endif
OGPU_INLINE float add(float a, float b) { return fix(a + b); }
OGPU_INLINE float sub(float a, float b) { return fix(a - b); }
OGPU_INLINE float mul(float a, float b) { return fix(a * b); }
OGPU_INLINE float div(float a, float b) { return fix(a / b); }
OGPU_INLINE float root(float a) { return fix(__builtin_sqrtf(a)); }

// A NaN loses; -0 is less than +0.
OGPU_INLINE float smaller(float a, float b) {
  float both = float_of(bits_of(a) | bits_of(b));
  float least = a == b ? both : (a < b ? a : b);
  least = a != a ? b : least;
  least = b != b ? a : least;
  return fix(least);
}

OGPU_INLINE float larger(float a, float b) {
  float both = float_of(bits_of(a) & bits_of(b));
  float most = a == b ? both : (a > b ? a : b);
  most = a != a ? b : most;
  most = b != b ? a : most;
  return fix(most);
}
#endif

OGPU_INLINE float fma(float a, float b, float c) { return fix(raw_fma(a, b, c)); }

OGPU_INLINE bool is_nan(float value) { return value != value; }

// For chains whose NaNs are fixed at their end, or that have none: the fixing costs a CPU more than the arithmetic.
#ifdef __CUDACC__
OGPU_INLINE float raw_add(float a, float b) { return __fadd_rn(a, b); }
OGPU_INLINE float raw_sub(float a, float b) { return __fsub_rn(a, b); }
OGPU_INLINE float raw_mul(float a, float b) { return __fmul_rn(a, b); }
OGPU_INLINE float raw_div(float a, float b) { return __fdiv_rn(a, b); }
OGPU_INLINE float raw_smaller(float a, float b) { return fminf(a, b); }
OGPU_INLINE float raw_larger(float a, float b) { return fmaxf(a, b); }
OGPU_INLINE float raw_magnitude(float a) { return fabsf(a); }
#else
OGPU_INLINE float raw_add(float a, float b) { return a + b; }
OGPU_INLINE float raw_sub(float a, float b) { return a - b; }
OGPU_INLINE float raw_mul(float a, float b) { return a * b; }
OGPU_INLINE float raw_div(float a, float b) { return a / b; }
// Not of two zeros; a NaN on the left loses.
OGPU_INLINE float raw_smaller(float a, float b) { return a < b ? a : b; }
OGPU_INLINE float raw_larger(float a, float b) { return a > b ? a : b; }
OGPU_INLINE float raw_magnitude(float a) { return float_of(bits_of(a) & 0x7fffffffu); }
#endif

// Of a NaN the NaN, as `neg` and `abs` of PTX.
OGPU_INLINE float negative(float value) {
#ifdef __CUDACC__
  return -value;
#else
  return fix(float_of(bits_of(value) ^ 0x80000000u));
#endif
}

OGPU_INLINE float magnitude(float value) {
#ifdef __CUDACC__
  return fabsf(value);
#else
  return fix(float_of(bits_of(value) & 0x7fffffffu));
#endif
}

}  // namespace ogpu
