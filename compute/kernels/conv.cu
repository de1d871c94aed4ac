// Convolution in two dimensions, with groups, steps, dilation and padding by zeros: the product of the weights with the
// image laid out as a matrix, whose rows are (channel, ky, kx) and whose columns are the pixels of the result. Each
// element is one chain of fused multiply-adds over those rows, ascending from +0, padding included. A block makes 64
// channels of 64 pixels. The CPU has its own form of it, compute/native/cpu/matrix-product.h.
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
    conv(int groups, int channels, int height, int width, int outputs, int outHeight, int outWidth, int kernelHeight,
         int kernelWidth, int strideY, int strideX, int padY, int padX, int dilationY, int dilationX,
         const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y) {
  __shared__ __align__(16) float left[DEPTH][SIDE];
  __shared__ __align__(16) float right[DEPTH][SIDE];
  int thread = threadIdx.x;
  int tx = thread % 16, ty = thread / 16;
  int top = blockIdx.y * SIDE, first = blockIdx.x * SIDE;
  int area = kernelHeight * kernelWidth, k = channels * area, pixels = outHeight * outWidth;
  int group = blockIdx.z % groups;
  w += (long long)group * outputs * k;
  x += (long long)blockIdx.z * channels * height * width;
  float sums[EACH][EACH];
  for (int i = 0; i < EACH; i++)
    for (int j = 0; j < EACH; j++) sums[i][j] = 0.0f;
  // The pixel whose column this thread brings.
  int pixel = first + thread % SIDE;
  int baseY = pixel / outWidth * strideY - padY, baseX = pixel % outWidth * strideX - padX;
  for (int start = 0; start < k; start += DEPTH) {
    int depth = min(DEPTH, k - start);
    for (int at = thread; at < DEPTH * SIDE; at += 256) {
      int i = at / DEPTH, p = at % DEPTH;
      left[p][i] = top + i < outputs && p < depth ? w[(long long)(top + i) * k + start + p] : 0.0f;
      p = at / SIDE;
      int row = start + p;
      int inY = baseY + row % area / kernelWidth * dilationY, inX = baseX + row % kernelWidth * dilationX;
      bool there = pixel < pixels && p < depth && inY >= 0 && inY < height && inX >= 0 && inX < width;
      right[p][at % SIDE] = there ? x[((long long)(row / area) * height + inY) * width + inX] : 0.0f;
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
  y += (long long)blockIdx.z * outputs * pixels;
  for (int i = 0; i < EACH; i++) {
    int row = top + ty * EACH + i;
    for (int j = 0; j < EACH; j++) {
      int column = first + tx * EACH + j;
      if (row < outputs && column < pixels) y[(long long)row * pixels + column] = sums[i][j];
    }
  }
}
