// Pooling of images in two dimensions; padding is left out of the maximum and, if asked, of the mean's count. The CPU has
// its own form of it, compute/native/cpu/pooling.h.
#include "ieee-math.h"
#include "loops.h"

#define POOL(name, start, next, result)                                                                               \
  OGPU_KERNEL(name, 256, int n, int height, int width, int outHeight, int outWidth, int kernelHeight, int kernelWidth, \
              int strideY, int strideX, int padY, int padX, int countPadding, const float* __restrict__ x,            \
              float* __restrict__ y) {                                                                                \
    ogpu::each_element(n, blockIdx.x, [&](int i) {                                                                    \
      int column = i % outWidth, row = i / outWidth % outHeight;                                                      \
      const float* from = x + (long long)(i / outWidth / outHeight) * height * width;                                 \
      float sum = start;                                                                                              \
      int count = 0;                                                                                                  \
      for (int ky = 0; ky < kernelHeight; ky++) {                                                                     \
        for (int kx = 0; kx < kernelWidth; kx++) {                                                                    \
          int inY = row * strideY - padY + ky, inX = column * strideX - padX + kx;                                    \
          if (inY < 0 || inY >= height || inX < 0 || inX >= width) continue;                                          \
          float v = from[(long long)inY * width + inX];                                                               \
          sum = next;                                                                                                 \
          count++;                                                                                                    \
        }                                                                                                             \
      }                                                                                                               \
      if (countPadding) count = kernelHeight * kernelWidth;                                                           \
      y[i] = result;                                                                                                  \
    });                                                                                                               \
  }

POOL(max_pool, -ogpu::infinity(), ogpu::larger(sum, v), sum)
POOL(average_pool, 0.0f, ogpu::add(sum, v), ogpu::div(sum, (float)count))
