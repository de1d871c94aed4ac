// The two shapes that most kernels have: each element alone, and each row by one warp. On the CPU both are plain loops
// whose innermost runs over neighbours, so that the compiler makes vector code of it.
#pragma once

#include "block.h"

// A block of 256 threads does this many elements, each thread every 256th.
#define OGPU_RUN 1024
// Rows of a block, one warp each.
#define OGPU_ROWS 8

namespace ogpu {

#ifdef __CUDACC__

template <class Body>
__device__ __forceinline__ void each_element(int n, unsigned block, Body body) {
  for (int j = 0; j < OGPU_RUN; j += 256) {
    long long i = (long long)block * OGPU_RUN + j + threadIdx.x;
    if (i < n) body((int)i);
  }
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
