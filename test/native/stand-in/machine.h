// One block of threads: each runs until it waits or ends, then waits are resolved.
#pragma once

#include <atomic>
#include <functional>

#include "program.h"

namespace emulator {

// Generic addresses tell the memory in their top bits; those of global memory are the host's.
constexpr uint64_t SHARED_TAG = 1ull << 62;
constexpr uint64_t LOCAL_TAG = 1ull << 61;

struct Range {
  uint64_t start, end;
};

struct Machine {
  const Kernel* kernel;
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t dynamic_bytes;
  std::vector<uint8_t> parameters;
  // Memory that kernels may reach.
  std::vector<Range> allocations;
  std::vector<uint8_t> shared;
  // Checked now and then; throws to stop.
  std::function<void()> pulse;

  void run();

 private:
  void run_block(uint32_t x, uint32_t y, uint32_t z, std::vector<Thread>& threads);
  bool exchange(std::vector<Thread>& threads);
  void open_barrier(std::vector<Thread>& threads);
};

struct Thread {
  uint64_t* places;
  const Instruction* next;
  const Instruction* waiting;
  bool done;
  uint32_t lane;
  uint8_t* local;
  Machine* machine;
  const Range* last;
};

// A place in memory that may be read or written, or a fault.
uint8_t* global_memory(Thread& thread, uint64_t address, uint32_t bytes);
uint8_t* shared_memory(Thread& thread, uint64_t address, uint32_t bytes);
uint8_t* local_memory(Thread& thread, uint64_t address, uint32_t bytes);
uint8_t* generic_memory(Thread& thread, uint64_t address, uint32_t bytes);

}  // namespace emulator
