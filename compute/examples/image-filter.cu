// Filters an image of bytes, red, green, blue and alpha, with 5 by 5 weights; beyond the edge lies the edge. 16 by 16 pixels
// by one block, in integers. Compiled with `nvcc -ptx -arch=compute_75 -fmad=false`.
#include <stdint.h>

__device__ __forceinline__ int between(int value, int least, int most) {
  return value < least ? least : value > most ? most : value;
}

// colour = sum of weights * colours / divisor + offset, cut to 0..255; alpha stays.
extern "C" __global__ void filter_image(int width, int height, int divisor, int offset, const int* weights,
                                        const uchar4* from, uchar4* to) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= width || y >= height) return;
  int red = 0, green = 0, blue = 0;
  for (int dy = -2; dy <= 2; dy++) {
    for (int dx = -2; dx <= 2; dx++) {
      uchar4 near = from[between(y + dy, 0, height - 1) * width + between(x + dx, 0, width - 1)];
      int weight = weights[(dy + 2) * 5 + dx + 2];
      red += weight * near.x;
      green += weight * near.y;
      blue += weight * near.z;
    }
  }
  to[y * width + x] = make_uchar4(between(red / divisor + offset, 0, 255), between(green / divisor + offset, 0, 255),
                                  between(blue / divisor + offset, 0, 255), from[y * width + x].w);
}
