// n-body with IEEE operations only, and a stencil with barriers between steps.
extern "C" __global__ void nbody(int n, float step, const float4* __restrict__ position, float4* velocity) {
  __shared__ float4 tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 own = position[i < n ? i : 0];
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int start = 0; start < n; start += 64) {
    if (start + threadIdx.x < n) tile[threadIdx.x] = position[start + threadIdx.x];
    __syncthreads();
    int count = min(64, n - start);
    for (int j = 0; j < count; j++) {
      float dx = __fsub_rn(tile[j].x, own.x), dy = __fsub_rn(tile[j].y, own.y), dz = __fsub_rn(tile[j].z, own.z);
      float square = __fmaf_rn(dx, dx, __fmaf_rn(dy, dy, __fmaf_rn(dz, dz, 0.01f)));
      float scale = __fdiv_rn(tile[j].w, __fmul_rn(square, __fsqrt_rn(square)));
      ax = __fmaf_rn(dx, scale, ax);
      ay = __fmaf_rn(dy, scale, ay);
      az = __fmaf_rn(dz, scale, az);
    }
    __syncthreads();
  }
  if (i < n) {
    float4 v = velocity[i];
    v.x = __fmaf_rn(step, ax, v.x);
    v.y = __fmaf_rn(step, ay, v.y);
    v.z = __fmaf_rn(step, az, v.z);
    velocity[i] = v;
  }
}

extern "C" __global__ void heat(int steps, const double* __restrict__ from, double* to) {
  __shared__ double cells[2][128];
  int t = threadIdx.x;
  cells[0][t] = from[blockIdx.x * 128 + t];
  __syncthreads();
  int now = 0;
  for (int s = 0; s < steps; s++) {
    double left = cells[now][t == 0 ? 127 : t - 1], right = cells[now][t == 127 ? 0 : t + 1], own = cells[now][t];
    cells[1 - now][t] = __fma_rn(0.1, __dadd_rn(__dadd_rn(left, right), __dmul_rn(-2.0, own)), own);
    now = 1 - now;
    __syncthreads();
  }
  to[blockIdx.x * 128 + t] = cells[now][t];
}
