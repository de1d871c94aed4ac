// How a convolution sees its image: laid out as a matrix whose rows are (channel, ky, kx) and whose columns are the pixels of
// the result, brought into order a panel at a time, so that the product of compute/native/cpu/matrix-product.h does the rest.
#pragma once

#include "matrix-product.h"

namespace {

// A copy of a part of the image with the padding around it: then no pixel has to be asked whether it is there, and where the pixels
// of a step along k lie depends on that step alone.
struct PaddedImage {
  float* data = nullptr;
  size_t floats = 0;

  bool reserve(size_t wanted) {
    if (floats >= wanted) return true;
    free(data);
    data = static_cast<float*>(aligned_alloc(64, (sizeof(float) * wanted + 63) / 64 * 64));
    floats = data == nullptr ? 0 : wanted;
    return data != nullptr;
  }

  ~PaddedImage() { free(data); }
};

struct Shape {
  int channels, height, width, outHeight, outWidth, kernelHeight, kernelWidth, strideY, strideX, padY, padX, dilationY,
      dilationX;

  // What the windows of so many rows, and of a whole row, reach, at most beyond what is there.
  int64_t reachY(int rows) const { return int64_t(rows - 1) * strideY + int64_t(kernelHeight - 1) * dilationY + 1; }
  int64_t reachX() const { return int64_t(outWidth - 1) * strideX + int64_t(kernelWidth - 1) * dilationX + 1; }
};

// Where the windows of a run of pixels lie, and the image laid out as a matrix, as far as a strip of pixels needs it.
struct Image {
  const float* data;
  int64_t plane, pitch;
  // The row of the result that `data` begins with.
  int top;
  Shape shape;

  void pack(int pixel, int columns, int start, int depth, float* to) const {
    int64_t at[TILE_COLUMNS];
    int y = pixel / shape.outWidth, x = pixel % shape.outWidth;
    for (int j = 0; j < TILE_COLUMNS; j++) {
      at[j] = int64_t(y - top) * shape.strideY * pitch + int64_t(x) * shape.strideX;
      if (j + 1 < columns && ++x == shape.outWidth) x = 0, y++;
    }
    int area = shape.kernelHeight * shape.kernelWidth;
    Window window{data + start / area * plane, plane, pitch, shape, start % area / shape.kernelWidth,
                  start % shape.kernelWidth};
    int run = 1;
    while (run < columns && at[run] == at[0] + run) run++;
    if (run == TILE_COLUMNS) return pack_run(window, at[0], depth, to);
#ifdef __AVX2__
    Runs runs(at, columns);
    if (runs.count <= Runs::MOST) return pack_runs(window, runs, depth, to);
#endif
    for (int p = 0; p < depth; p++, to += TILE_COLUMNS) {
      const float* from = window.next();
#pragma GCC unroll 32
      for (int j = 0; j < TILE_COLUMNS; j++) to[j] = from[at[j]];
    }
  }

 private:
  // The places of a window one after the other: along a row, then the rows, then the channels.
  struct Window {
    const float* channel;
    int64_t plane, pitch;
    const Shape& shape;
    int ky, kx;

    OGPU_MEMBER const float* next() {
      const float* from = channel + int64_t(ky) * shape.dilationY * pitch + int64_t(kx) * shape.dilationX;
      if (++kx == shape.kernelWidth) {
        kx = 0;
        if (++ky == shape.kernelHeight) ky = 0, channel += plane;
      }
      return from;
    }
  };

  static void pack_run(Window window, int64_t at, int depth, float* to) {
    for (int p = 0; p < depth; p++, to += TILE_COLUMNS) memcpy(to, window.next() + at, sizeof(float) * TILE_COLUMNS);
  }

#ifdef __AVX2__
  // Pixels side by side, as a row of the result has them: each a part of one register. Lanes that belong to none are not
  // read, so nothing beyond the image is.
  struct Runs {
    static constexpr int MOST = 8;
    int64_t from[MOST];
    LaneMask lanes[MOST] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}};
    // More than MOST: they do not fit.
    int count = 0;
    // Of the first register; the others are of the second.
    int left = 0;

    Runs(const int64_t* at, int columns) {
      for (int j = 0; j < columns && count <= MOST; count++) {
        int base = j < LANES ? 0 : LANES, end = base + LANES < columns ? base + LANES : columns, first = j;
        for (j++; j < end && at[j] == at[j - 1] + 1; j++) {}
        if (count == MOST) continue;
        from[count] = at[first] - (first - base);
        lanes[count] = LaneMask(first - base, j - base);
        if (base == 0) left = count + 1;
      }
    }
  };

  static void pack_runs(Window window, const Runs& runs, int depth, float* to) {
    for (int p = 0; p < depth; p++, to += TILE_COLUMNS) {
      const float* from = window.next();
      FloatLanes::Lanes halves[2] = {FloatLanes::zero(), FloatLanes::zero()};
      for (int i = 0; i < runs.left; i++) halves[0] = LaneMask::join(halves[0], runs.lanes[i].load(from + runs.from[i]));
      for (int i = runs.left; i < runs.count; i++) {
        halves[1] = LaneMask::join(halves[1], runs.lanes[i].load(from + runs.from[i]));
      }
      FloatLanes::store(to, halves[0]);
      FloatLanes::store(to + LANES, halves[1]);
    }
  }
#endif
};

// What the windows of rows `top` to `bottom` of the result see: the image itself where nothing is padded, else a copy. False
// when there is no memory for it.
inline bool see(Image& seen, PaddedImage& copy, const float* image, int top, int bottom) {
  const Shape& shape = seen.shape;
  int64_t wide = shape.reachX(), start = int64_t(top) * shape.strideY;
  if (shape.padY == 0 && shape.padX == 0 && shape.reachY(shape.outHeight) <= shape.height && wide <= shape.width) {
    seen.plane = int64_t(shape.height) * shape.width;
    seen.pitch = shape.width;
    seen.top = 0;
    seen.data = image;
    return true;
  }
  int64_t high = shape.reachY(bottom - top);
  seen.plane = high * wide;
  seen.pitch = wide;
  seen.top = top;
  if (!copy.reserve(static_cast<size_t>(shape.channels) * static_cast<size_t>(high * wide))) return false;
  int64_t before = shape.padX < wide ? shape.padX : wide;
  int64_t there = shape.width < wide - before ? shape.width : wide - before;
  for (int channel = 0; channel < shape.channels; channel++) {
    for (int64_t y = 0; y < high; y++) {
      float* row = copy.data + channel * seen.plane + y * wide;
      int64_t from = start + y - shape.padY;
      if (from < 0 || from >= shape.height) {
        memset(row, 0, sizeof(float) * wide);
        continue;
      }
      memset(row, 0, sizeof(float) * before);
      memcpy(row + before, image + (int64_t(channel) * shape.height + from) * shape.width, sizeof(float) * there);
      memset(row + before + there, 0, sizeof(float) * (wide - before - there));
    }
  }
  seen.data = copy.data;
  return true;
}

}  // namespace
