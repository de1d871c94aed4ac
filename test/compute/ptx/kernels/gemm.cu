// C = A * B in fp32, each element one chain of fused multiply-adds in the order of k. The last tile of k is cut short,
// never padded: fma(0, 0, -0) is +0.
#define TILE 16
extern "C" __global__ void gemm(int m, int n, int k, const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c) {
  __shared__ float as[TILE][TILE];
  __shared__ float bs[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y;
  int column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int start = 0; start < k; start += TILE) {
    int at = start + threadIdx.x;
    int bt = start + threadIdx.y;
    as[threadIdx.y][threadIdx.x] = (row < m && at < k) ? a[row * k + at] : 0.0f;
    bs[threadIdx.y][threadIdx.x] = (column < n && bt < k) ? b[bt * n + column] : 0.0f;
    __syncthreads();
    int length = min(TILE, k - start);
    for (int i = 0; i < length; i++) sum = __fmaf_rn(as[threadIdx.y][i], bs[i][threadIdx.x], sum);
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
