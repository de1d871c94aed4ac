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
  // Of a launch that follows another one: which of its operands are what that one made, a bit for each.
  unsigned chained;
};

// Elements of a result: so many rows of so many neighbours, `pitch` apart.
struct Region {
  int64_t first, width, pitch, rows;
};

struct KernelCode {
  const char* name;
  // Bytes of each parameter, in order; ended by 0.
  const uint8_t* sizes;
  // How many independent pieces a launch has, and one of them. False: no memory for its scratch.
  uint64_t (*pieces)(const Launch&);
  bool (*run)(const Launch&, uint64_t piece);
  // The elements that a piece makes, of the last parameter.
  Region (*region)(const Launch&, uint64_t piece);
  // Kernels that make each element of one of each operand: at most MAX_RANGE elements from `first` on, of `value` (what
  // the launch before made of them) into `to`, which is elsewhere. Null for others.
  void (*range)(const Launch&, int64_t first, int count, const float* value, float* to);
};

// No more than what a block of these kernels makes.
constexpr int MAX_RANGE = 1024;

struct Variant {
  const char* name;
  const KernelCode* kernels;
  size_t count;
};

extern const Variant portable_variant;
#ifdef OGPU_HAS_X86_VARIANTS
extern const Variant fma_variant;
extern const Variant avx512_variant;
#endif

}  // namespace ogpu
