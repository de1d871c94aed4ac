// The matrix product of compute/kernels/gemm.cu and conv.cu, tuned: each element of c is the same chain of fused
// multiply-adds, k ascending from +0, so the bits are the kernel's. Sums are never split or padded along k. Byte matrices
// go the same way, with pairs of integers for floats.
//
// Included by one file per instruction set; everything is local to it.
#pragma once

#include <stdlib.h>

#include "lanes.h"

namespace {

// As many sums as there are registers, less those for two runs of b and a value of a.
constexpr int TILE_ROWS = LANES == 16 ? 12 : 6;
constexpr int TILE_COLUMNS = 2 * LANES;
// Panels: a row panel of `a` stays in the second-level cache, a column strip of `b` in the first. The deeper they are, the
// less often c goes back and forth: 384 instead of 256 steps is 5 % (measured).
constexpr int PANEL_DEPTH = 384;
constexpr int PANEL_ROWS = 144;
// Steps that are written out, and how far ahead of them a is fetched.
constexpr int STRIDE = IN_REGISTERS ? 8 : 1;
constexpr int AHEAD = 64;
constexpr int UNROLLED = IN_REGISTERS ? 16 : 1;

struct Scratch {
  void* a = nullptr;
  void* b = nullptr;
  size_t b_bytes = 0;

  bool reserve(size_t columns) {
    size_t wanted = columns * PANEL_DEPTH * sizeof(float);
    if (a == nullptr) a = aligned_alloc(64, sizeof(float) * PANEL_ROWS * PANEL_DEPTH);
    if (b_bytes < wanted) {
      free(b);
      b = aligned_alloc(64, wanted);
      b_bytes = b == nullptr ? 0 : wanted;
    }
    return a != nullptr && b != nullptr;
  }

  ~Scratch() {
    free(a);
    free(b);
  }
};

// What of a product a panel is.
struct Part {
  int depth;
  // From +0 instead of what c holds; the result is final.
  bool first, last;
};

// One step along k.
template <class V, int ROWS>
OGPU_INLINE void add_step(const typename V::Element* a, const typename V::Element* b, typename V::Lanes (&sums)[ROWS][2]) {
  typename V::Lanes left = V::load(b), right = V::load(b + LANES);
#pragma GCC unroll UNROLLED
  for (int i = 0; i < ROWS; i++) {
    typename V::Lanes value = V::repeat(a[i]);
    sums[i][0] = V::add_product(sums[i][0], value, left);
    sums[i][1] = V::add_product(sums[i][1], value, right);
  }
}

// The first ROWS rows of one tile of c. `next` is the tile that follows: it comes from far away, and waiting for it where it is
// needed would take a tenth of the time (measured).
template <class V, int ROWS>
inline void tile_product(Part part, const typename V::Element* a, const typename V::Element* b, typename V::Element* c,
                         size_t pitch, const typename V::Element* next) {
  typename V::Lanes sums[ROWS][2];
#pragma GCC unroll UNROLLED
  for (int i = 0; i < ROWS; i++) {
    __builtin_prefetch(next + i * pitch);
    __builtin_prefetch(next + i * pitch + TILE_COLUMNS - 1);
    sums[i][0] = part.first ? V::zero() : V::load(c + i * pitch);
    sums[i][1] = part.first ? V::zero() : V::load(c + i * pitch + LANES);
  }
  int k = 0;
  for (; k + STRIDE <= part.depth; k += STRIDE, a += STRIDE * TILE_ROWS, b += STRIDE * TILE_COLUMNS) {
#pragma GCC unroll UNROLLED
    for (int i = 0; i < STRIDE * TILE_ROWS; i += 16) __builtin_prefetch(a + AHEAD * TILE_ROWS + i);
#pragma GCC unroll UNROLLED
    for (int i = 0; i < STRIDE; i++) add_step<V, ROWS>(a + i * TILE_ROWS, b + i * TILE_COLUMNS, sums);
  }
  for (; k < part.depth; k++, a += TILE_ROWS, b += TILE_COLUMNS) add_step<V, ROWS>(a, b, sums);
#pragma GCC unroll UNROLLED
  for (int i = 0; i < ROWS; i++) {
    V::store(c + i * pitch, part.last ? V::fix(sums[i][0]) : sums[i][0]);
    V::store(c + i * pitch + LANES, part.last ? V::fix(sums[i][1]) : sums[i][1]);
  }
}

// A tile that the matrix cuts off is computed aside, a third of its rows at least.
template <class V>
inline void edge_product(Part part, const typename V::Element* a, const typename V::Element* b, typename V::Element* c,
                         size_t pitch, int rows, int columns) {
  using Element = typename V::Element;
  constexpr int THIRD = TILE_ROWS / 3;
  alignas(64) Element aside[TILE_ROWS * TILE_COLUMNS] = {};
  if (!part.first) {
    for (int i = 0; i < rows; i++) memcpy(aside + i * TILE_COLUMNS, c + i * pitch, sizeof(Element) * columns);
  }
  if (rows <= THIRD) tile_product<V, THIRD>(part, a, b, aside, TILE_COLUMNS, c);
  else if (rows <= 2 * THIRD) tile_product<V, 2 * THIRD>(part, a, b, aside, TILE_COLUMNS, c);
  else tile_product<V, TILE_ROWS>(part, a, b, aside, TILE_COLUMNS, c);
  for (int i = 0; i < rows; i++) memcpy(c + i * pitch, aside + i * TILE_COLUMNS, sizeof(Element) * columns);
}

// A panel of a by a strip of b.
template <class V>
inline void strip_product(Part part, const typename V::Element* a, const typename V::Element* b, typename V::Element* c,
                          size_t pitch, int rows, int columns) {
  for (int i = 0; i < rows; i += TILE_ROWS) {
    const typename V::Element* from = a + static_cast<size_t>(i) * part.depth;
    typename V::Element* to = c + static_cast<size_t>(i) * pitch;
    int high = rows - i < TILE_ROWS ? rows - i : TILE_ROWS;
    if (high < TILE_ROWS || columns < TILE_COLUMNS) {
      edge_product<V>(part, from, b, to, pitch, high, columns < TILE_COLUMNS ? columns : TILE_COLUMNS);
      continue;
    }
    bool more = i + TILE_ROWS < rows;
    tile_product<V, TILE_ROWS>(part, from, b, to, pitch, more ? to + TILE_ROWS * pitch : c + TILE_COLUMNS);
  }
}

// c[rows x columns] at `c`. `pack_a(first row, rows, first k, depth, to)` and `pack_b(first column, columns, first k, depth,
// to)` bring a panel of TILE_ROWS (TILE_COLUMNS) into order, k outside; beyond the edge they may leave anything.
template <class V, class PackA, class PackB>
inline bool product_range(Scratch& scratch, int rows, int columns, int depth, typename V::Element* c, size_t pitch,
                          PackA pack_a, PackB pack_b) {
  using Element = typename V::Element;
  int strips = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
  // A strip of b that no other rows need is brought into order in one place, which stays in the first-level cache.
  bool again = rows > PANEL_ROWS;
  if (!scratch.reserve(static_cast<size_t>(again ? strips : 1) * TILE_COLUMNS)) return false;
  Element* a = static_cast<Element*>(scratch.a);
  for (int k = 0; k < depth; k += PANEL_DEPTH) {
    int steps = depth - k < PANEL_DEPTH ? depth - k : PANEL_DEPTH;
    Part part{steps, k == 0, k + steps == depth};
    for (int top = 0; top < rows; top += PANEL_ROWS) {
      int height = rows - top < PANEL_ROWS ? rows - top : PANEL_ROWS;
      for (int i = 0; i < height; i += TILE_ROWS) {
        int left = height - i;
        pack_a(top + i, left < TILE_ROWS ? left : TILE_ROWS, k, steps, a + static_cast<size_t>(i) * steps);
      }
      for (int s = 0; s < strips; s++) {
        Element* b = static_cast<Element*>(scratch.b) + (again ? static_cast<size_t>(s) * TILE_COLUMNS * steps : 0);
        int wide = columns - s * TILE_COLUMNS;
        if (top == 0) pack_b(s * TILE_COLUMNS, wide < TILE_COLUMNS ? wide : TILE_COLUMNS, k, steps, b);
        strip_product<V>(part, a, b, c + static_cast<size_t>(top) * pitch + s * TILE_COLUMNS, pitch, height, wide);
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
    // Reads along all rows at once, so that what is written lies in a row.
    const float* from[TILE_ROWS];
    for (int i = 0; i < TILE_ROWS; i++) from[i] = a.data + (first + i) * a.row + k;
    for (int p = 0; p < depth; p++) {
#pragma GCC unroll 16
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
