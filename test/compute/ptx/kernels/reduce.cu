// Sums by warp shuffles and shared memory; a barrier inside of a loop that all threads leave together.
extern "C" __global__ void blocksum(const float* __restrict__ x, float* out, int n) {
  __shared__ float partial[32];
  float v = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v = __fadd_rn(v, x[blockIdx.x * n + i]);
  for (int offset = 16; offset > 0; offset >>= 1) v = __fadd_rn(v, __shfl_down_sync(0xffffffffu, v, offset));
  int lane = threadIdx.x & 31;
  int warp = threadIdx.x >> 5;
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < (blockDim.x >> 5) ? partial[lane] : 0.0f;
    for (int offset = 16; offset > 0; offset >>= 1) v = __fadd_rn(v, __shfl_xor_sync(0xffffffffu, v, offset));
    if (lane == 0) out[blockIdx.x] = v;
  }
}

extern "C" __global__ void scan(const int* __restrict__ x, int* out) {
  extern __shared__ int buffer[];
  int t = threadIdx.x;
  buffer[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int step = 1; step < blockDim.x; step <<= 1) {
    int add = t >= step ? buffer[t - step] : 0;
    __syncthreads();
    buffer[t] += add;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + t] = buffer[t];
}

extern "C" __global__ void votes(const int* __restrict__ x, unsigned* out) {
  int t = threadIdx.x;
  int v = x[blockIdx.x * blockDim.x + t];
  unsigned odd = __ballot_sync(0xffffffffu, v & 1);
  unsigned same = __match_any_sync(0xffffffffu, v & 3);
  int all = __all_sync(0xffffffffu, v > -1000);
  int any = __any_sync(0xffffffffu, v > 1000);
  int up = __shfl_up_sync(0xffffffffu, v, 3);
  int picked = __shfl_sync(0xffffffffu, v, (t * 7) & 31, 16);
  out[blockIdx.x * blockDim.x + t] = odd ^ same ^ (all << 3) ^ (any << 5) ^ up ^ picked;
}
