// A register full of neighbours, by instruction set: floats that are multiplied and added with one rounding, and 32-bit
// integers, each a pair of 16-bit ones that is multiplied by another pair.
//
// Included by one file per instruction set; everything is local to it.
#pragma once

#include "../../kernels/ieee.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace {

#if defined(__AVX512VNNI__)

constexpr int LANES = 16;
constexpr bool IN_REGISTERS = true;

struct FloatLanes {
  using Element = float;
  using Lanes = __m512;
  static Lanes zero() { return _mm512_setzero_ps(); }
  static Lanes load(const float* from) { return _mm512_loadu_ps(from); }
  static void store(float* to, Lanes value) { _mm512_storeu_ps(to, value); }
  static Lanes repeat(float value) { return _mm512_set1_ps(value); }
  static Lanes add_product(Lanes sum, Lanes a, Lanes b) { return _mm512_fmadd_ps(a, b, sum); }
  static Lanes fix(Lanes value) {
    __m512 nan = _mm512_castsi512_ps(_mm512_set1_epi32(0x7fffffff));
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q), value, nan);
  }
};

struct PairLanes {
  using Element = int32_t;
  using Lanes = __m512i;
  static Lanes zero() { return _mm512_setzero_si512(); }
  static Lanes load(const int32_t* from) { return _mm512_loadu_si512(from); }
  static void store(int32_t* to, Lanes value) { _mm512_storeu_si512(to, value); }
  static Lanes repeat(int32_t value) { return _mm512_set1_epi32(value); }
  static Lanes add_product(Lanes sum, Lanes a, Lanes b) { return _mm512_dpwssd_epi32(sum, a, b); }
  static Lanes fix(Lanes value) { return value; }
};

// Lanes `first` up to `end`; the others are not read, and zero.
struct LaneMask {
  __mmask16 bits;
  LaneMask(int first, int end) : bits(static_cast<__mmask16>((1u << end) - (1u << first))) {}
  __m512 load(const float* from) const { return _mm512_maskz_loadu_ps(bits, from); }
  static __m512 join(__m512 a, __m512 b) { return _mm512_or_ps(a, b); }
};

#elif defined(__AVX2__)

constexpr int LANES = 8;
constexpr bool IN_REGISTERS = true;

struct FloatLanes {
  using Element = float;
  using Lanes = __m256;
  static Lanes zero() { return _mm256_setzero_ps(); }
  static Lanes load(const float* from) { return _mm256_loadu_ps(from); }
  static void store(float* to, Lanes value) { _mm256_storeu_ps(to, value); }
  static Lanes repeat(float value) { return _mm256_set1_ps(value); }
  static Lanes add_product(Lanes sum, Lanes a, Lanes b) { return _mm256_fmadd_ps(a, b, sum); }
  static Lanes fix(Lanes value) {
    __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    return _mm256_blendv_ps(value, nan, _mm256_cmp_ps(value, value, _CMP_UNORD_Q));
  }
};

struct PairLanes {
  using Element = int32_t;
  using Lanes = __m256i;
  static Lanes zero() { return _mm256_setzero_si256(); }
  static Lanes load(const int32_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
  static void store(int32_t* to, Lanes value) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value); }
  static Lanes repeat(int32_t value) { return _mm256_set1_epi32(value); }
  static Lanes add_product(Lanes sum, Lanes a, Lanes b) { return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b)); }
  static Lanes fix(Lanes value) { return value; }
};

struct LaneMask {
  __m256i bits;
  LaneMask(int first, int end) {
    __m256i number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i before = _mm256_cmpgt_epi32(_mm256_set1_epi32(first), number);
    bits = _mm256_andnot_si256(before, _mm256_cmpgt_epi32(_mm256_set1_epi32(end), number));
  }
  __m256 load(const float* from) const { return _mm256_maskload_ps(from, bits); }
  static __m256 join(__m256 a, __m256 b) { return _mm256_or_ps(a, b); }
};

#else

constexpr int LANES = 8;
constexpr bool IN_REGISTERS = false;

// Any processor: loops that its compiler may make vector code of.
template <class Number, Number (*ADD_PRODUCT)(Number, Number, Number), Number (*FIX)(Number)>
struct PlainLanes {
  using Element = Number;
  struct Lanes {
    Number at[LANES];
  };
  static Lanes zero() { return Lanes{}; }
  static Lanes load(const Number* from) {
    Lanes lanes;
    memcpy(lanes.at, from, sizeof lanes.at);
    return lanes;
  }
  static void store(Number* to, const Lanes& value) { memcpy(to, value.at, sizeof value.at); }
  static Lanes repeat(Number value) {
    Lanes lanes;
    for (Number& lane : lanes.at) lane = value;
    return lanes;
  }
  static Lanes add_product(Lanes sum, const Lanes& a, const Lanes& b) {
    for (int i = 0; i < LANES; i++) sum.at[i] = ADD_PRODUCT(sum.at[i], a.at[i], b.at[i]);
    return sum;
  }
  static Lanes fix(Lanes value) {
    for (Number& lane : value.at) lane = FIX(lane);
    return value;
  }
};

inline float add_float(float sum, float a, float b) { return ogpu::raw_fma(a, b, sum); }
inline float fix_float(float value) { return ogpu::fix(value); }
inline int32_t add_pair(int32_t sum, int32_t a, int32_t b) {
  int32_t low = static_cast<int16_t>(a) * static_cast<int16_t>(b), high = (a >> 16) * (b >> 16);
  return static_cast<int32_t>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(low) + static_cast<uint32_t>(high));
}
inline int32_t keep(int32_t value) { return value; }

using FloatLanes = PlainLanes<float, add_float, fix_float>;
using PairLanes = PlainLanes<int32_t, add_pair, keep>;

#endif

}  // namespace
