// c = (a - zero of a) * (b - zero of b) of bytes, signed or not, as 32-bit integers that wrap. A block makes 64 x 64
// elements of c. The CPU has its own form of it, compute/native/cpu/byte-product.h.
#include "block.h"

#define SIDE 64
#define DEPTH 16
#define EACH 4

extern "C" __global__ void __launch_bounds__(256)
    gemm_int8(int m, int n, int k, int aSigned, int bSigned, int aZero, int bZero, const unsigned char* __restrict__ a,
              const unsigned char* __restrict__ b, int* __restrict__ c) {
  __shared__ __align__(16) int left[DEPTH][SIDE];
  __shared__ __align__(16) int right[DEPTH][SIDE];
  int thread = threadIdx.x;
  int tx = thread % 16, ty = thread / 16;
  int top = blockIdx.y * SIDE, first = blockIdx.x * SIDE;
  a += (long long)blockIdx.z * m * k;
  b += (long long)blockIdx.z * k * n;
  int sums[EACH][EACH];
  for (int i = 0; i < EACH; i++)
    for (int j = 0; j < EACH; j++) sums[i][j] = 0;
  for (int start = 0; start < k; start += DEPTH) {
    for (int at = thread; at < DEPTH * SIDE; at += 256) {
      int i = at / DEPTH, p = at % DEPTH;
      int value = top + i < m && start + p < k ? a[(long long)(top + i) * k + start + p] : 0;
      left[p][i] = start + p < k ? (aSigned ? (signed char)value : value) - aZero : 0;
      int j = at % SIDE;
      p = at / SIDE;
      value = first + j < n && start + p < k ? b[(long long)(start + p) * n + first + j] : 0;
      right[p][j] = start + p < k ? (bSigned ? (signed char)value : value) - bZero : 0;
    }
    __syncthreads();
#pragma unroll
    for (int p = 0; p < DEPTH; p++) {
      int4 x = *(const int4*)&left[p][ty * EACH];
      int4 y = *(const int4*)&right[p][tx * EACH];
      int xs[EACH] = {x.x, x.y, x.z, x.w}, ys[EACH] = {y.x, y.y, y.z, y.w};
#pragma unroll
      for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++) sums[i][j] += xs[i] * ys[j];
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
