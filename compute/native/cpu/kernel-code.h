// What a variant of the standard kernels (one per instruction set) offers to the device.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ogpu {

struct Launch {
  uint32_t grid[3];
  // One pointer per parameter, to its value; a buffer's value is its address. As cuLaunchKernel takes them.
  void* const* arguments;
  unsigned threads;
};

struct KernelCode {
  const char* name;
  // Bytes of each parameter, in order; ended by 0.
  const uint8_t* sizes;
  // How many independent pieces a launch has, and one of them. False: no memory for its scratch.
  uint64_t (*pieces)(const Launch&);
  bool (*run)(const Launch&, uint64_t piece);
};

struct Variant {
  const char* name;
  const KernelCode* kernels;
  size_t count;
};

extern const Variant portable_variant;
#ifdef OGPU_HAS_FMA_VARIANT
extern const Variant fma_variant;
#endif

}  // namespace ogpu
