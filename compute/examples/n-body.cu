// Bodies that attract each other, all of them by all. One launch is one step in time: positions go from one buffer to
// another, velocities stay in theirs. Compiled with `nvcc -ptx -arch=compute_75 -fmad=false`.
#include "../include/ogpu-math.h"

#define THREADS 64

// A body is x, y, z and its mass; a velocity is x, y, z and nothing. Sums go over all bodies in ascending order.
extern "C" __global__ void n_body_step(int bodies, float dt, float softening, const float4* from, float4* velocities,
                                       float4* to) {
  __shared__ float4 near[THREADS];
  int i = blockIdx.x * THREADS + threadIdx.x;
  float4 own = i < bodies ? from[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int first = 0; first < bodies; first += THREADS) {
    if (first + threadIdx.x < bodies) near[threadIdx.x] = from[first + threadIdx.x];
    __syncthreads();
    int count = bodies - first < THREADS ? bodies - first : THREADS;
    for (int k = 0; k < count; k++) {
      float dx = ogpu::sub(near[k].x, own.x), dy = ogpu::sub(near[k].y, own.y), dz = ogpu::sub(near[k].z, own.z);
      float square = ogpu::add(ogpu::add(ogpu::mul(dx, dx), ogpu::mul(dy, dy)), ogpu::add(ogpu::mul(dz, dz), softening));
      float pull = ogpu::div(near[k].w, ogpu::mul(square, ogpu::root(square)));
      ax = ogpu::add(ax, ogpu::mul(dx, pull));
      ay = ogpu::add(ay, ogpu::mul(dy, pull));
      az = ogpu::add(az, ogpu::mul(dz, pull));
    }
    __syncthreads();
  }
  if (i >= bodies) return;
  float4 v = velocities[i];
  v.x = ogpu::add(v.x, ogpu::mul(ax, dt));
  v.y = ogpu::add(v.y, ogpu::mul(ay, dt));
  v.z = ogpu::add(v.z, ogpu::mul(az, dt));
  velocities[i] = v;
  own.x = ogpu::add(own.x, ogpu::mul(v.x, dt));
  own.y = ogpu::add(own.y, ogpu::mul(v.y, dt));
  own.z = ogpu::add(own.z, ogpu::mul(v.z, dt));
  to[i] = own;
}
