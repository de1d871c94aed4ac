// The product of byte matrices of compute/kernels/gemm-int8.cu, tuned: integers that wrap, so any order is the same.
#pragma once

#include "matrix-product.h"

namespace {

// Two steps along k lie side by side, as the instruction that multiplies and adds pairs wants them.
struct BytePanels {
  int16_t* b = nullptr;
  size_t shorts = 0;

  bool reserve(size_t wanted) {
    if (shorts >= wanted) return true;
    free(b);
    b = static_cast<int16_t*>(aligned_alloc(64, (sizeof(int16_t) * wanted + 63) / 64 * 64));
    shorts = b == nullptr ? 0 : wanted;
    return b != nullptr;
  }

  ~BytePanels() { free(b); }
};

struct Bytes {
  const uint8_t* data;
  bool is_signed;
  int zero;

  int16_t at(size_t i) const {
    int value = is_signed ? static_cast<int8_t>(data[i]) : data[i];
    return static_cast<int16_t>(value - zero);
  }
};

// 16 columns of one row; `row` holds pairs along k.
inline void row_product(int pairs, const int32_t* row, const int16_t* b, int32_t* sums) {
#ifdef __AVX2__
  __m256i left = _mm256_setzero_si256(), right = _mm256_setzero_si256();
  for (int p = 0; p < pairs; p++) {
    __m256i value = _mm256_set1_epi32(row[p]);
    const __m256i* from = reinterpret_cast<const __m256i*>(b + p * 32);
    left = _mm256_add_epi32(left, _mm256_madd_epi16(value, _mm256_load_si256(from)));
    right = _mm256_add_epi32(right, _mm256_madd_epi16(value, _mm256_load_si256(from + 1)));
  }
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums), left);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + 8), right);
#else
  uint32_t all[16] = {};
  for (int p = 0; p < pairs; p++) {
    int16_t low = static_cast<int16_t>(row[p] & 0xffff), high = static_cast<int16_t>(row[p] >> 16);
    for (int j = 0; j < 16; j++) all[j] += static_cast<uint32_t>(low * b[p * 32 + 2 * j] + high * b[p * 32 + 2 * j + 1]);
  }
  memcpy(sums, all, sizeof all);
#endif
}

#ifdef __AVX2__
// Four rows at once: the values of b are loaded once for all of them.
inline void four_rows(int pairs, const int32_t* rows, size_t pitch, const int16_t* b, int32_t* sums) {
  __m256i all[4][2];
  for (int i = 0; i < 4; i++) all[i][0] = all[i][1] = _mm256_setzero_si256();
  for (int p = 0; p < pairs; p++) {
    const __m256i* from = reinterpret_cast<const __m256i*>(b + p * 32);
    __m256i left = _mm256_load_si256(from), right = _mm256_load_si256(from + 1);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
      __m256i value = _mm256_set1_epi32(rows[i * pitch + p]);
      all[i][0] = _mm256_add_epi32(all[i][0], _mm256_madd_epi16(value, left));
      all[i][1] = _mm256_add_epi32(all[i][1], _mm256_madd_epi16(value, right));
    }
  }
  for (int i = 0; i < 4; i++) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + i * 16), all[i][0]);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + i * 16 + 8), all[i][1]);
  }
}
#endif

inline void store_columns(int32_t* to, const int32_t* sums, int columns) {
  memcpy(to, sums, sizeof(int32_t) * (columns < 16 ? columns : 16));
}

// Rows `first` to `end` of c.
inline bool byte_product(BytePanels& panels, int first, int end, int n, int k, const Bytes& a, const Bytes& b, int32_t* c) {
  int pairs = (k + 1) / 2, rows = end - first;
  size_t strip = static_cast<size_t>(pairs) * 32;
  size_t left = (static_cast<size_t>(rows) * pairs * 2 + 31) / 32 * 32;
  if (!panels.reserve(strip + left)) return false;
  int32_t* packed = reinterpret_cast<int32_t*>(panels.b + strip);
  for (int i = 0; i < rows; i++) {
    size_t from = static_cast<size_t>(first + i) * k;
    for (int p = 0; p < pairs; p++) {
      uint16_t low = static_cast<uint16_t>(a.at(from + 2 * p));
      uint16_t high = 2 * p + 1 < k ? static_cast<uint16_t>(a.at(from + 2 * p + 1)) : 0;
      packed[static_cast<size_t>(i) * pairs + p] = static_cast<int32_t>(low | static_cast<uint32_t>(high) << 16);
    }
  }
  for (int column = 0; column < n; column += 16) {
    for (int p = 0; p < pairs; p++) {
      for (int j = 0; j < 16; j++) {
        bool there = column + j < n;
        size_t from = static_cast<size_t>(2 * p) * n + column + j;
        panels.b[p * 32 + 2 * j] = there ? b.at(from) : 0;
        panels.b[p * 32 + 2 * j + 1] = there && 2 * p + 1 < k ? b.at(from + n) : 0;
      }
    }
    int32_t sums[64];
    int i = 0;
    int32_t* to = c + static_cast<size_t>(first) * n + column;
#ifdef __AVX2__
    for (; i + 4 <= rows; i += 4) {
      four_rows(pairs, packed + static_cast<size_t>(i) * pairs, pairs, panels.b, sums);
      for (int r = 0; r < 4; r++) store_columns(to + static_cast<size_t>(i + r) * n, sums + r * 16, n - column);
    }
#endif
    for (; i < rows; i++) {
      row_product(pairs, packed + static_cast<size_t>(i) * pairs, panels.b, sums);
      store_columns(to + static_cast<size_t>(i) * n, sums, n - column);
    }
  }
  return true;
}

}  // namespace
