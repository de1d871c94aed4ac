// Pi from random points: which of them fall within a quarter of a circle. Numbers come from Philox4x32-10 (Salmon, Moraes, Dror
// and Shaw, 2011), a function of a counter and a key, so that every thread has its own without any state, and a tile can be
// computed alone. All arithmetic is in integers. Compiled with `nvcc -ptx -arch=compute_75 -fmad=false`.
#include <stdint.h>

#define THREADS 128

__device__ __forceinline__ uint4 philox(uint4 c, uint32_t k0, uint32_t k1) {
#pragma unroll
  for (int round = 0; round < 10; round++) {
    uint32_t high0 = __umulhi(0xd2511f53u, c.x), low0 = 0xd2511f53u * c.x;
    uint32_t high1 = __umulhi(0xcd9e8d57u, c.z), low1 = 0xcd9e8d57u * c.z;
    c = make_uint4(high1 ^ c.y ^ k0, low1, high0 ^ c.w ^ k1, low0);
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  return c;
}

// Whether the point (x, y) / 2^31 lies within the circle of radius 1.
__device__ __forceinline__ uint32_t inside(uint32_t x, uint32_t y) {
  uint64_t a = x >> 1, b = y >> 1;
  return a * a + b * b < (1ull << 62) ? 1 : 0;
}

// Each thread draws `draws` times two points; hits[block] is how many of the block's points are inside.
extern "C" __global__ void monte_carlo(uint32_t key0, uint32_t key1, int draws, uint64_t* hits) {
  __shared__ uint32_t lanes[THREADS / 32];
  uint64_t first = ((uint64_t)blockIdx.x * THREADS + threadIdx.x) * (uint64_t)draws;
  uint32_t count = 0;
  for (int i = 0; i < draws; i++) {
    uint64_t at = first + i;
    uint4 r = philox(make_uint4((uint32_t)at, (uint32_t)(at >> 32), 0, 0), key0, key1);
    count += inside(r.x, r.y) + inside(r.z, r.w);
  }
  for (int apart = 16; apart > 0; apart /= 2) count += __shfl_down_sync(0xffffffffu, count, apart);
  if (threadIdx.x % 32 == 0) lanes[threadIdx.x / 32] = count;
  __syncthreads();
  if (threadIdx.x == 0) {
    uint64_t sum = 0;
    for (int i = 0; i < THREADS / 32; i++) sum += lanes[i];
    hits[blockIdx.x] = sum;
  }
}
