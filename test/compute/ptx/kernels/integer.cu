// Integer work: a SHA-256 search, 64-bit mixing, bit tricks, a histogram by atomics, tables in constant memory.
__constant__ unsigned K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
    0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
    0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
    0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2};

__device__ __forceinline__ unsigned rotate(unsigned x, int n) { return (x >> n) | (x << (32 - n)); }

// The first word of SHA-256 of a 16-byte message whose last word is the thread's number.
extern "C" __global__ void sha256(const unsigned* __restrict__ message, unsigned* out) {
  unsigned nonce = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned w[16];
  for (int i = 0; i < 3; i++) w[i] = message[i];
  w[3] = nonce;
  w[4] = 0x80000000u;
  for (int i = 5; i < 15; i++) w[i] = 0;
  w[15] = 128;
  unsigned a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
  unsigned e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
#pragma unroll
  for (int i = 0; i < 64; i++) {
    if (i >= 16) {
      unsigned x = w[(i + 1) & 15], y = w[(i + 14) & 15];
      w[i & 15] += (rotate(x, 7) ^ rotate(x, 18) ^ (x >> 3)) + w[(i + 9) & 15] +
                   (rotate(y, 17) ^ rotate(y, 19) ^ (y >> 10));
    }
    unsigned t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i & 15];
    unsigned t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  out[nonce] = a + 0x6a09e667;
}

extern "C" __global__ void mix(int rounds, const unsigned long long* __restrict__ x, unsigned long long* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long v = x[i];
  for (int r = 0; r < rounds; r++) {
    v ^= v >> 33;
    v *= 0xff51afd7ed558ccdull;
    v ^= __umul64hi(v, 0xc4ceb9fe1a85ec53ull);
    v += __brevll(v) / ((v & 0xff) + 3);
  }
  y[i] = v;
}

extern "C" __global__ void bits(const unsigned* __restrict__ x, int* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = x[2 * i], b = x[2 * i + 1];
  int r = __popc(a) + __clz(b) + __ffs(a ^ b) + (int)__brev(a) + (int)__byte_perm(a, b, b & 0xffff);
  r += (int)__funnelshift_l(a, b, b) ^ (int)__funnelshift_rc(a, b, a & 63);
  r += __dp4a((int)a, (int)b, r) + (int)__dp4a(a, b, (unsigned)r) + (int)__sad((int)a, (int)b, (unsigned)r);
  r ^= (int)a / ((int)(b & 15) - 7 == 0 ? 3 : (int)(b & 15) - 7) + (int)(a % ((b & 31) + 1));
  y[i] = r + __mulhi((int)a, (int)b) + (int)__umulhi(a, b) + (short)a * (short)b;
}

extern "C" __global__ void histogram(int n, const unsigned char* __restrict__ x, unsigned* counts) {
  __shared__ unsigned local[64];
  if (threadIdx.x < 64) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[x[i] & 63], 1);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}
