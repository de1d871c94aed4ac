// The two shapes that most kernels have: each element alone, and each row by one warp. On the CPU both are plain loops
// whose innermost runs over neighbours, so that the compiler makes vector code of it.
#pragma once

#include "block.h"

// A block of 256 threads does this many elements, each thread every 256th.
#define OGPU_RUN 1024
// Rows of a block, one warp each.
#define OGPU_ROWS 8

namespace ogpu {

// A tensor that is repeated: element i of the result takes its element i / each % count.
struct Repeated {
  uint32_t each, count;

  OGPU_MEMBER uint32_t at(int i) const { return (uint32_t)i / each % count; }
};

#ifdef __CUDACC__

template <class Body>
__device__ __forceinline__ void each_element(int n, unsigned block, Body body) {
  for (int j = 0; j < OGPU_RUN; j += 256) {
    long long i = (long long)block * OGPU_RUN + j + threadIdx.x;
    if (i < n) body((int)i);
  }
}

template <class Body>
__device__ __forceinline__ void each_pair(int n, unsigned block, Repeated x, Repeated y, Body body) {
  each_element(n, block, [&](int i) { body(i, x.at(i), y.at(i)); });
}

template <class Body>
__device__ __forceinline__ void each_row(int rows, unsigned block, Body body) {
  long long row = (long long)block * OGPU_ROWS + threadIdx.x / 32;
  if (row < rows) body(row);
}

template <class Body>
__device__ __forceinline__ void each_column(int columns, Body body) {
  for (int column = threadIdx.x % 32; column < columns; column += 32) body(column);
}

template <class Body>
__device__ __forceinline__ void one_lane(Body body) {
  if (threadIdx.x % 32 == 0) body();
}

// Lane l takes columns l, l + 32, ..., then lanes are joined in pairs 16, 8, 4, 2 and 1 apart. That order is part of
// the result.
template <class Step, class Join>
__device__ __forceinline__ float fold_columns(int columns, float start, Step step, Join join) {
  float value = start;
  for (int column = threadIdx.x % 32; column < columns; column += 32) value = step(value, column);
#pragma unroll
  for (int apart = 16; apart > 0; apart >>= 1) value = join(value, __shfl_xor_sync(0xffffffffu, value, apart));
  return value;
}

#else

template <class Body>
OGPU_INLINE void each_element(int n, uint32_t block, Body body) {
  int64_t first = static_cast<int64_t>(block) * OGPU_RUN;
  int64_t end = first + OGPU_RUN < n ? first + OGPU_RUN : n;
  for (int64_t i = first; i < end; i++) body(static_cast<int>(i));
}

// How far from element i on the other one is either the same or the next.
OGPU_INLINE int64_t run_of(const Repeated& repeated, int64_t i) {
  if (repeated.count == 1) return INT64_MAX;
  if (repeated.each == 1) return repeated.count - i % repeated.count;
  return repeated.each - i % repeated.each;
}

// Indices of 64 bits: cut to 32 in every step they would hide that neighbours follow each other.
template <int X, int Y, class Body>
OGPU_INLINE void pair_run(int64_t from, int64_t length, int64_t x, int64_t y, Body body) {
  for (int64_t j = 0; j < length; j++) body(from + j, x + X * j, y + Y * j);
}

// As runs in which both go on by one or stand still, without a division for each element.
template <class Body>
OGPU_INLINE void each_pair(int n, uint32_t block, Repeated x, Repeated y, Body body) {
  int64_t first = static_cast<int64_t>(block) * OGPU_RUN;
  int64_t end = first + OGPU_RUN < n ? first + OGPU_RUN : n;
  bool moves_x = x.each == 1 && x.count > 1, moves_y = y.each == 1 && y.count > 1;
  for (int64_t i = first; i < end;) {
    int64_t length = end - i, by_x = run_of(x, i), by_y = run_of(y, i);
    if (by_x < length) length = by_x;
    if (by_y < length) length = by_y;
    uint32_t at_x = x.at(static_cast<int>(i)), at_y = y.at(static_cast<int>(i));
    if (moves_x && moves_y) pair_run<1, 1>(i, length, at_x, at_y, body);
    else if (moves_x) pair_run<1, 0>(i, length, at_x, at_y, body);
    else if (moves_y) pair_run<0, 1>(i, length, at_x, at_y, body);
    else pair_run<0, 0>(i, length, at_x, at_y, body);
    i += length;
  }
}

template <class Body>
OGPU_INLINE void each_row(int rows, uint32_t block, Body body) {
  int64_t first = static_cast<int64_t>(block) * OGPU_ROWS;
  for (int64_t row = first; row < first + OGPU_ROWS && row < rows; row++) body(row);
}

template <class Body>
OGPU_INLINE void each_column(int columns, Body body) {
  for (int column = 0; column < columns; column++) body(column);
}

template <class Body>
OGPU_INLINE void one_lane(Body body) {
  body();
}

template <class Step, class Join>
OGPU_INLINE float fold_columns(int columns, float start, Step step, Join join) {
  float lanes[32];
  for (int lane = 0; lane < 32; lane++) lanes[lane] = start;
  int column = 0;
  for (; column + 32 <= columns; column += 32) {
    for (int lane = 0; lane < 32; lane++) lanes[lane] = step(lanes[lane], column + lane);
  }
  for (int lane = 0; column + lane < columns; lane++) lanes[lane] = step(lanes[lane], column + lane);
  for (int apart = 16; apart > 0; apart >>= 1) {
    for (int lane = 0; lane < apart; lane++) lanes[lane] = join(lanes[lane], lanes[lane + apart]);
  }
  return lanes[0];
}

#endif

}  // namespace ogpu
