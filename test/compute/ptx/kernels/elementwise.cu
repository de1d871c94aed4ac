// One thread for each element: guards, vectors, every way in which floats are compared and converted.
extern "C" __global__ void saxpy(int n, float a, const float* __restrict__ x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __fmaf_rn(a, x[i], y[i]);
}

extern "C" __global__ void mixed(int n, const float* __restrict__ x, float* y, double* z, unsigned char* flags) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  y[i] = __fadd_rn(__fmul_rn(v, 1.5f), __fdiv_rn(1.0f, v));
  z[i] = __fma_rn(__dsqrt_rn((double)v), 3.0, __ddiv_rn((double)v, 7.0));
  flags[i] = (unsigned char)((v < 0.0f) | (v > 1.0f) << 1 | (v == v) << 2 | (v != 0.5f) << 3);
}

extern "C" __global__ void vectors(const float4* __restrict__ x, float4* y, unsigned long long seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = x[i];
  v.x = fminf(v.x, v.y);
  v.z = fmaxf(v.z, v.w);
  v.w = fabsf(v.w);
  v.y = -v.y;
  v.x = __fadd_rn(v.x, (float)(seed % 7));
  y[i] = v;
}

extern "C" __global__ void conversions(int n, const float* __restrict__ x, int* whole, long long* wide, short* narrow) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  whole[i] = __float2int_rn(v) ^ __float2int_rz(v) ^ __float2int_ru(v) ^ (int)__float2uint_rd(v);
  wide[i] = __float2ll_rz(v) + (long long)__float2ull_rn(v);
  narrow[i] = (short)(v > -30000.0f && v < 30000.0f ? (short)v : 0);
}
