// Pooling of compute/kernels/pool.cu, tuned: the same values in the same order for each element, but a whole run of a row
// for one place of the window at a time, so that the compiler makes vector code of it.
#pragma once

#include "../../kernels/ieee.h"

namespace {

struct PoolShape {
  int height, width, outHeight, outWidth, kernelHeight, kernelWidth, strideY, strideX, padY, padX, countPadding;

  // The first output column whose window has this place at or after column `edge` of the image.
  int first_column(int kx, int edge) const {
    int64_t gap = static_cast<int64_t>(edge) + padX - kx;
    return gap <= 0 ? 0 : static_cast<int>((gap + strideX - 1) / strideX);
  }
};

constexpr int POOL_RUN = 256;

// Columns `left` to `left + count` of one output row. `JOIN` takes what there is and the next value.
template <class Join>
inline void pool_run(const PoolShape& shape, const float* image, int row, int left, int count, float start, float* sums,
                     int* counts, Join join) {
  for (int j = 0; j < count; j++) sums[j] = start, counts[j] = 0;
  for (int ky = 0; ky < shape.kernelHeight; ky++) {
    int64_t y = static_cast<int64_t>(row) * shape.strideY - shape.padY + ky;
    if (y < 0 || y >= shape.height) continue;
    for (int kx = 0; kx < shape.kernelWidth; kx++) {
      int low = shape.first_column(kx, 0) - left, high = shape.first_column(kx, shape.width) - left;
      if (low < 0) low = 0;
      if (high > count) high = count;
      const float* from = image + y * shape.width + static_cast<int64_t>(left) * shape.strideX - shape.padX + kx;
      if (shape.strideX == 1) {
        for (int j = low; j < high; j++) sums[j] = join(sums[j], from[j]);
      } else {
        for (int j = low; j < high; j++) sums[j] = join(sums[j], from[static_cast<int64_t>(j) * shape.strideX]);
      }
      for (int j = low; j < high; j++) counts[j]++;
    }
  }
}

// Elements `first` to `end` of the result.
template <class Join, class Finish>
inline void pool_range(const PoolShape& shape, int64_t first, int64_t end, const float* x, float* y, float start,
                       Join join, Finish finish) {
  float sums[POOL_RUN];
  int counts[POOL_RUN];
  for (int64_t i = first; i < end;) {
    int column = static_cast<int>(i % shape.outWidth), row = static_cast<int>(i / shape.outWidth % shape.outHeight);
    const float* image = x + i / shape.outWidth / shape.outHeight * shape.height * shape.width;
    int64_t length = shape.outWidth - column;
    if (length > end - i) length = end - i;
    if (length > POOL_RUN) length = POOL_RUN;
    int count = static_cast<int>(length);
    pool_run(shape, image, row, column, count, start, sums, counts, join);
    for (int j = 0; j < count; j++) {
      y[i + j] = finish(sums[j], shape.countPadding ? shape.kernelHeight * shape.kernelWidth : counts[j]);
    }
    i += length;
  }
}

}  // namespace
