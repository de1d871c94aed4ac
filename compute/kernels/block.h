// How a standard kernel is declared, so that one source is a CUDA kernel and a C++ function that runs one block.
#pragma once

#include "ieee.h"

#ifdef __CUDACC__

#define OGPU_KERNEL(name, threads, ...) extern "C" __global__ void __launch_bounds__(threads) name(__VA_ARGS__)
#else

namespace ogpu {

struct Place {
  uint32_t x, y, z;
};

}  // namespace ogpu

#define OGPU_KERNEL(name, threads, ...) static void name(ogpu::Place blockIdx, [[maybe_unused]] ogpu::Place gridDim, __VA_ARGS__)

#endif
