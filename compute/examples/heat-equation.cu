// Heat that spreads over a plate whose edges keep their temperature: one step of the explicit scheme, 16 by 16 points by
// one block. Compiled with `nvcc -ptx -arch=compute_75 -fmad=false`.
#include "../include/ogpu-math.h"

// `rate` is dt / dx^2 times the diffusivity; the scheme is stable up to 1/4.
extern "C" __global__ void heat_step(int width, int height, float rate, const float* from, float* to) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= width || y >= height) return;
  int i = y * width + x;
  float own = from[i];
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    to[i] = own;
    return;
  }
  float around = ogpu::add(ogpu::add(from[i - 1], from[i + 1]), ogpu::add(from[i - width], from[i + width]));
  to[i] = ogpu::add(own, ogpu::mul(rate, ogpu::sub(around, ogpu::mul(4.0f, own))));
}
