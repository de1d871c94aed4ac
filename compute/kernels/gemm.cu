// c = a * b for a batch of matrices, each element one chain of fused multiply-adds, k ascending from +0. A block makes 64 x
// 64 elements of c. Steps between rows, columns and matrices let a and b be transposed or repeated. The CPU has its own
// form of it, compute/native/cpu/matrix-product.h.
#include "block.h"

#define SIDE 64
#define DEPTH 16
#define EACH 4

__device__ __forceinline__ void multiply(float (&sums)[EACH][EACH], const float* left, const float* right) {
  float4 x = *reinterpret_cast<const float4*>(left);
  float4 y = *reinterpret_cast<const float4*>(right);
  float xs[EACH] = {x.x, x.y, x.z, x.w}, ys[EACH] = {y.x, y.y, y.z, y.w};
#pragma unroll
  for (int i = 0; i < EACH; i++)
#pragma unroll
    for (int j = 0; j < EACH; j++) sums[i][j] = __fmaf_rn(xs[i], ys[j], sums[i][j]);
}

extern "C" __global__ void __launch_bounds__(256)
    gemm(int m, int n, int k, int aBatch, int aRow, int aColumn, int bBatch, int bRow, int bColumn,
         const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) {
  __shared__ __align__(16) float left[DEPTH][SIDE];
  __shared__ __align__(16) float right[DEPTH][SIDE];
  int thread = threadIdx.x;
  int tx = thread % 16, ty = thread / 16;
  int top = blockIdx.y * SIDE, first = blockIdx.x * SIDE;
  a += (long long)blockIdx.z * aBatch;
  b += (long long)blockIdx.z * bBatch;
  float sums[EACH][EACH];
  for (int i = 0; i < EACH; i++)
    for (int j = 0; j < EACH; j++) sums[i][j] = 0.0f;
  for (int start = 0; start < k; start += DEPTH) {
    int depth = min(DEPTH, k - start);
    for (int at = thread; at < DEPTH * SIDE; at += 256) {
      // Neighbouring threads read neighbouring elements: of a along k, of b along n.
      int i = at / DEPTH, p = at % DEPTH;
      bool there = top + i < m && p < depth;
      left[p][i] = there ? a[(long long)(top + i) * aRow + (long long)(start + p) * aColumn] : 0.0f;
      int j = at % SIDE;
      p = at / SIDE;
      there = first + j < n && p < depth;
      right[p][j] = there ? b[(long long)(start + p) * bRow + (long long)(first + j) * bColumn] : 0.0f;
    }
    __syncthreads();
    // Never beyond depth: adding a product of zeros would turn -0 into +0.
    if (depth == DEPTH) {
#pragma unroll
      for (int p = 0; p < DEPTH; p++) multiply(sums, left[p] + ty * EACH, right[p] + tx * EACH);
    } else {
#pragma unroll 1
      for (int p = 0; p < depth; p++) multiply(sums, left[p] + ty * EACH, right[p] + tx * EACH);
    }
    __syncthreads();
  }
  c += (long long)blockIdx.z * m * n;
  for (int i = 0; i < EACH; i++) {
    int row = top + ty * EACH + i;
    for (int j = 0; j < EACH; j++) {
      int column = first + tx * EACH + j;
      if (row < m && column < n) c[(long long)row * n + column] = sums[i][j];
    }
  }
}
