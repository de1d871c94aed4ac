// The matrix product of compute/kernels/gemm.cu and conv.cu, tuned: each element of c is the same chain of fused
// multiply-adds, k ascending from +0, so the bits are the kernel's. Sums are never split or padded along k.
//
// Included by one file per instruction set; everything is local to it.
#pragma once

#include <stdlib.h>

#include "../../kernels/ieee.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace {

constexpr int TILE_ROWS = 6;
constexpr int TILE_COLUMNS = 16;
// Panels: a row panel of `a` stays in the second-level cache, a column strip of `b` in the first.
constexpr int PANEL_DEPTH = 256;
constexpr int PANEL_ROWS = 36 * TILE_ROWS;

struct Scratch {
  float* a = nullptr;
  float* b = nullptr;
  size_t b_floats = 0;

  bool reserve(size_t columns) {
    size_t wanted = columns * PANEL_DEPTH;
    if (a == nullptr) a = static_cast<float*>(aligned_alloc(64, sizeof(float) * PANEL_ROWS * PANEL_DEPTH));
    if (b_floats < wanted) {
      free(b);
      b = static_cast<float*>(aligned_alloc(64, sizeof(float) * wanted));
      b_floats = b == nullptr ? 0 : wanted;
    }
    return a != nullptr && b != nullptr;
  }

  ~Scratch() {
    free(a);
    free(b);
  }
};

#ifdef __AVX2__
inline __m256 fix_lanes(__m256 value) {
  __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
  return _mm256_blendv_ps(value, nan, _mm256_cmp_ps(value, value, _CMP_UNORD_Q));
}

// One tile of c, `depth` steps along k. `first`: from +0 instead of what c holds; `last`: the result is final.
inline void tile_product(int depth, const float* a, const float* b, float* c, size_t pitch, bool first, bool last) {
  __m256 sums[TILE_ROWS][2];
  // It is wanted at the end, and is on its way meanwhile.
  for (int i = 0; i < TILE_ROWS; i++) _mm_prefetch(reinterpret_cast<const char*>(c + i * pitch), _MM_HINT_T0);
  for (int i = 0; i < TILE_ROWS; i++) {
    sums[i][0] = first ? _mm256_setzero_ps() : _mm256_loadu_ps(c + i * pitch);
    sums[i][1] = first ? _mm256_setzero_ps() : _mm256_loadu_ps(c + i * pitch + 8);
  }
#pragma GCC unroll 8
  for (int k = 0; k < depth; k++) {
    __m256 left = _mm256_load_ps(b + k * TILE_COLUMNS);
    __m256 right = _mm256_load_ps(b + k * TILE_COLUMNS + 8);
#pragma GCC unroll 6
    for (int i = 0; i < TILE_ROWS; i++) {
      __m256 value = _mm256_broadcast_ss(a + k * TILE_ROWS + i);
      sums[i][0] = _mm256_fmadd_ps(value, left, sums[i][0]);
      sums[i][1] = _mm256_fmadd_ps(value, right, sums[i][1]);
    }
  }
  for (int i = 0; i < TILE_ROWS; i++) {
    _mm256_storeu_ps(c + i * pitch, last ? fix_lanes(sums[i][0]) : sums[i][0]);
    _mm256_storeu_ps(c + i * pitch + 8, last ? fix_lanes(sums[i][1]) : sums[i][1]);
  }
}
#else
inline void tile_product(int depth, const float* a, const float* b, float* c, size_t pitch, bool first, bool last) {
  for (int i = 0; i < TILE_ROWS; i++) {
    float sums[TILE_COLUMNS];
    for (int j = 0; j < TILE_COLUMNS; j++) sums[j] = first ? 0.0f : c[i * pitch + j];
    for (int k = 0; k < depth; k++) {
      float value = a[k * TILE_ROWS + i];
      for (int j = 0; j < TILE_COLUMNS; j++) sums[j] = ogpu::raw_fma(value, b[k * TILE_COLUMNS + j], sums[j]);
    }
    for (int j = 0; j < TILE_COLUMNS; j++) c[i * pitch + j] = last ? ogpu::fix(sums[j]) : sums[j];
  }
}
#endif

// A tile that the matrix cuts off is computed aside.
inline void edge_product(int depth, const float* a, const float* b, float* c, size_t pitch, int rows, int columns,
                         bool first, bool last) {
  alignas(32) float aside[TILE_ROWS * TILE_COLUMNS] = {};
  if (!first) {
    for (int i = 0; i < rows; i++) memcpy(aside + i * TILE_COLUMNS, c + i * pitch, sizeof(float) * columns);
  }
  tile_product(depth, a, b, aside, TILE_COLUMNS, first, last);
  for (int i = 0; i < rows; i++) memcpy(c + i * pitch, aside + i * TILE_COLUMNS, sizeof(float) * columns);
}

// c[rows x columns] at `c`. `pack_a(first row, rows, first k, depth, to)` and `pack_b(first column, columns, first k, depth,
// to)` bring a panel of TILE_ROWS (TILE_COLUMNS) into order, k outside; beyond the edge they may leave anything.
template <class PackA, class PackB>
inline bool product_range(Scratch& scratch, int rows, int columns, int depth, float* c, size_t pitch, PackA pack_a,
                          PackB pack_b) {
  int strips = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
  if (!scratch.reserve(static_cast<size_t>(strips) * TILE_COLUMNS)) return false;
  for (int k = 0; k < depth; k += PANEL_DEPTH) {
    int steps = depth - k < PANEL_DEPTH ? depth - k : PANEL_DEPTH;
    bool first = k == 0;
    bool last = k + steps == depth;
    for (int s = 0; s < strips; s++) {
      int left = columns - s * TILE_COLUMNS;
      pack_b(s * TILE_COLUMNS, left < TILE_COLUMNS ? left : TILE_COLUMNS, k, steps,
             scratch.b + static_cast<size_t>(s) * TILE_COLUMNS * steps);
    }
    for (int top = 0; top < rows; top += PANEL_ROWS) {
      int height = rows - top < PANEL_ROWS ? rows - top : PANEL_ROWS;
      for (int i = 0; i < height; i += TILE_ROWS) {
        int left = height - i;
        pack_a(top + i, left < TILE_ROWS ? left : TILE_ROWS, k, steps, scratch.a + static_cast<size_t>(i) * steps);
      }
      for (int s = 0; s < strips; s++) {
        const float* b = scratch.b + static_cast<size_t>(s) * TILE_COLUMNS * steps;
        int wide = columns - s * TILE_COLUMNS;
        for (int i = 0; i < height; i += TILE_ROWS) {
          const float* a = scratch.a + static_cast<size_t>(i) * steps;
          float* to = c + static_cast<size_t>(top + i) * pitch + s * TILE_COLUMNS;
          if (height - i >= TILE_ROWS && wide >= TILE_COLUMNS) tile_product(steps, a, b, to, pitch, first, last);
          else {
            edge_product(steps, a, b, to, pitch, height - i < TILE_ROWS ? height - i : TILE_ROWS,
                         wide < TILE_COLUMNS ? wide : TILE_COLUMNS, first, last);
          }
        }
      }
    }
  }
  return true;
}

// A matrix by its steps between rows and between columns.
struct Strided {
  const float* data;
  int64_t row;
  int64_t column;
};

inline void pack_rows(const Strided& a, int first, int rows, int k, int depth, float* to) {
  if (rows == TILE_ROWS && a.column == 1) {
    // Reads along six rows at once, so that what is written lies in a row.
    const float* from[TILE_ROWS];
    for (int i = 0; i < TILE_ROWS; i++) from[i] = a.data + (first + i) * a.row + k;
    for (int p = 0; p < depth; p++) {
#pragma GCC unroll 6
      for (int i = 0; i < TILE_ROWS; i++) to[p * TILE_ROWS + i] = from[i][p];
    }
    return;
  }
  for (int i = 0; i < rows; i++) {
    const float* from = a.data + (first + i) * a.row + k * a.column;
    for (int p = 0; p < depth; p++) to[p * TILE_ROWS + i] = from[p * a.column];
  }
  for (int i = rows; i < TILE_ROWS; i++) {
    for (int p = 0; p < depth; p++) to[p * TILE_ROWS + i] = 0.0f;
  }
}

inline void pack_columns(const Strided& b, int first, int columns, int k, int depth, float* to) {
  const float* from = b.data + k * b.row + first * b.column;
  if (b.column == 1 && columns == TILE_COLUMNS) {
    for (int p = 0; p < depth; p++) memcpy(to + p * TILE_COLUMNS, from + p * b.row, sizeof(float) * TILE_COLUMNS);
    return;
  }
  for (int j = 0; j < TILE_COLUMNS; j++) {
    for (int p = 0; p < depth; p++) to[p * TILE_COLUMNS + j] = j < columns ? from[p * b.row + j * b.column] : 0.0f;
  }
}

}  // namespace
