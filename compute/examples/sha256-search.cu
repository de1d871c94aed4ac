// A search for the number that makes the SHA-256 of 32 bytes and that number smallest, as proof of work does. Every block
// keeps its best. Compiled with `nvcc -ptx -arch=compute_75 -fmad=false`.
#include <stdint.h>

#define THREADS 128

__constant__ uint32_t ROUNDS[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ __forceinline__ uint32_t turn(uint32_t x, int by) { return __funnelshift_r(x, x, by); }

// The first eight bytes of the hash of one padded block.
__device__ uint64_t head_of(uint32_t w[16]) {
  uint32_t a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
  uint32_t e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
#pragma unroll
  for (int i = 0; i < 64; i++) {
    if (i >= 16) {
      uint32_t x = w[(i + 1) & 15], y = w[(i + 14) & 15];
      w[i & 15] += (turn(x, 7) ^ turn(x, 18) ^ (x >> 3)) + w[(i + 9) & 15] + (turn(y, 17) ^ turn(y, 19) ^ (y >> 10));
    }
    uint32_t t = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i] + w[i & 15];
    uint32_t u = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t, d = c, c = b, b = a, a = t + u;
  }
  return ((uint64_t)(a + 0x6a09e667u) << 32) | (b + 0xbb67ae85u);
}

// Each thread tries `tries` numbers; best[2 * block] is the smallest head, best[2 * block + 1] the number that makes it.
extern "C" __global__ void sha256_search(uint64_t first, int tries, const uint32_t* seed, uint64_t* best) {
  __shared__ uint64_t heads[THREADS];
  __shared__ uint64_t numbers[THREADS];
  uint64_t start = first + ((uint64_t)blockIdx.x * THREADS + threadIdx.x) * (uint64_t)tries;
  uint64_t head = ~0ull, number = start;
  for (int i = 0; i < tries; i++) {
    uint64_t at = start + i;
    uint32_t w[16];
    for (int k = 0; k < 8; k++) w[k] = __byte_perm(seed[k], 0, 0x0123);
    // The number goes in with its least byte first.
    w[8] = __byte_perm((uint32_t)at, 0, 0x0123);
    w[9] = __byte_perm((uint32_t)(at >> 32), 0, 0x0123);
    w[10] = 0x80000000u;
    for (int k = 11; k < 15; k++) w[k] = 0;
    w[15] = 8 * 40;
    uint64_t made = head_of(w);
    if (made < head) head = made, number = at;
  }
  heads[threadIdx.x] = head;
  numbers[threadIdx.x] = number;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    // Of equal ones the lower number stays.
    if (threadIdx.x < half && heads[threadIdx.x + half] < heads[threadIdx.x]) {
      heads[threadIdx.x] = heads[threadIdx.x + half];
      numbers[threadIdx.x] = numbers[threadIdx.x + half];
    }
  }
  if (threadIdx.x == 0) {
    best[2 * blockIdx.x] = heads[0];
    best[2 * blockIdx.x + 1] = numbers[0];
  }
}
