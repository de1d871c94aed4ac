// What ordinary kernels bring with them: structures by value, local arrays, halves, 128-bit integers, bytes, pointers that
// run, switches, warp barriers, blocks in three dimensions.
#include <cuda_fp16.h>

struct Settings {
  int scale;
  float offset;
  double limit;
  char shift[3];
};

extern "C" __global__ void structure(Settings s, const int* __restrict__ x, int* y) {
  int i = threadIdx.x;
  y[i] = x[i] * s.scale + (int)s.offset + (int)s.limit + s.shift[i % 3];
}

extern "C" __global__ void choose(const int* __restrict__ x, int* y) {
  int v = x[threadIdx.x] & 7, r;
  switch (v) {
    case 0: r = v * 3; break;
    case 1: r = v ^ 77; break;
    case 2: r = v / 5; break;
    case 3: r = v + 9; break;
    case 4: r = __popc(v); break;
    case 5: r = v << 2; break;
    default: r = -1;
  }
  y[threadIdx.x] = r;
}

extern "C" __global__ void localarray(const int* __restrict__ x, int* y, int n) {
  int a[16];
  for (int i = 0; i < 16; i++) a[i] = x[i] * threadIdx.x;
  int s = 0;
  for (int i = 0; i < n; i++) s += a[(i * 7 + x[i]) & 15];
  y[threadIdx.x] = s;
}

extern "C" __global__ void halves(const __half* __restrict__ x, __half* y) {
  int i = threadIdx.x;
  y[i] = __float2half_rn(__fmul_rn(__half2float(x[i]), 2.5f));
}

extern "C" __global__ void square(const unsigned long long* __restrict__ x, unsigned long long* y) {
  int i = threadIdx.x;
  unsigned __int128 v = ((unsigned __int128)x[2 * i] << 64) | x[2 * i + 1];
  v = v * v + 12345;
  y[2 * i] = (unsigned long long)v;
  y[2 * i + 1] = (unsigned long long)(v >> 64);
}

extern "C" __global__ void bitonic(const int* __restrict__ x, int* y) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 64 + t];
  __syncthreads();
  for (int k = 2; k <= 64; k <<= 1) {
    for (int j = k >> 1; j > 0; j >>= 1) {
      int o = t ^ j;
      if (o > t) {
        int a = s[t], b = s[o];
        if (((t & k) == 0) == (a > b)) s[t] = b, s[o] = a;
      }
      __syncthreads();
    }
  }
  y[blockIdx.x * 64 + t] = s[t];
}

extern "C" __global__ void quotients(const long long* __restrict__ x, long long* y) {
  int i = threadIdx.x;
  y[i] = x[i] / (x[i + 1] | 1) + x[i] % 7 + (long long)(int)x[i] / 3;
}

extern "C" __global__ void convolution(const float* __restrict__ in, const float* __restrict__ w, float* out, int height,
                                       int width, int channels) {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
  if (x >= width || y >= height) return;
  float s = 0.0f;
  for (int c = 0; c < channels; c++)
    for (int ky = -1; ky <= 1; ky++)
      for (int kx = -1; kx <= 1; kx++) {
        int yy = y + ky, xx = x + kx;
        if (yy >= 0 && yy < height && xx >= 0 && xx < width)
          s = __fmaf_rn(in[(c * height + yy) * width + xx], w[((z * channels + c) * 3 + ky + 1) * 3 + kx + 1], s);
      }
  out[(z * height + y) * width + x] = s;
}

extern "C" __global__ void walk(const float* __restrict__ a, float* b, int n) {
  const float* p = a + threadIdx.x;
  const float* end = a + n;
  float s = 0.0f;
  while (p < end) {
    s = __fadd_rn(s, *p);
    p += blockDim.x;
  }
  b[threadIdx.x] = s;
}

extern "C" __global__ void pixels(const uchar4* __restrict__ x, uchar4* y) {
  uchar4 v = x[threadIdx.x];
  v.x = min(255, v.x * 2);
  v.y = v.y >> 1;
  v.z ^= v.w;
  y[threadIdx.x] = v;
}

extern "C" __global__ void shorts(const short* __restrict__ x, short* y) {
  int i = threadIdx.x;
  y[i] = (short)(x[i] * 3 + x[i + 1] / (short)((x[i] & 7) + 1));
}

extern "C" __global__ void neighbours(const int* __restrict__ x, int* y) {
  __shared__ volatile int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncwarp();
  y[threadIdx.x] = s[threadIdx.x ^ 1];
}
