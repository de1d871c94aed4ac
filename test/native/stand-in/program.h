// Kernels as the stand-in executes them: instructions whose operands are all places in one array per thread, which also
// holds the constants and special registers.
#pragma once

#include <stdint.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace emulator {

// An error of the driver, by its number.
struct Fault : std::runtime_error {
  int code;
  Fault(int code, const std::string& text) : std::runtime_error(text), code(code) {}
};

constexpr int INVALID_PTX = 218;
constexpr int ILLEGAL_ADDRESS = 700;
constexpr int LAUNCH_TIMEOUT = 702;
constexpr int MISALIGNED_ADDRESS = 716;
constexpr int ILLEGAL_INSTRUCTION = 715;
constexpr int LAUNCH_FAILED = 719;

struct Thread;
struct Instruction;
using Execute = void (*)(Thread&, const Instruction&);

enum class Wait : uint8_t { none, barrier, warpsync, shuffle, vote, match };

struct Instruction {
  Execute execute = nullptr;
  int32_t guard = -1;
  bool negated = false;
  uint8_t lanes = 1;
  Wait wait = Wait::none;
  // Of a warp operation: up, down, bfly, idx; all, any, uni, ballot.
  char mode = 0;
  // Places of destinations and sources; for memory a[0] is the address.
  int32_t d[4] = {-1, -1, -1, -1};
  int32_t a[5] = {-1, -1, -1, -1, -1};
  int64_t offset = 0;
  // The bits of the register that the result goes to.
  uint64_t mask = ~0ull;
  int line = 0;
};

struct Parameter {
  uint32_t offset;
  uint32_t size;
};

struct Kernel {
  std::vector<Instruction> code;
  std::vector<Parameter> parameters;
  uint32_t parameter_bytes = 0;
  // What a thread's places hold at the start: constants; registers are zero.
  std::vector<uint64_t> places;
  uint32_t shared_bytes = 0;
  uint32_t local_bytes = 0;
  // Constants of the module, which addresses in `places` point into.
  std::vector<std::unique_ptr<std::vector<uint8_t>>> constants;
};

// The first places of every thread.
enum Special {
  TID_X, TID_Y, TID_Z, NTID_X, NTID_Y, NTID_Z, CTAID_X, CTAID_Y, CTAID_Z, NCTAID_X, NCTAID_Y, NCTAID_Z,
  LANEMASK_EQ, LANEMASK_LT, LANEMASK_LE, LANEMASK_GT, LANEMASK_GE, DYNAMIC_BYTES, SPECIALS
};

// Throws Fault(INVALID_PTX) with the line.
std::map<std::string, std::unique_ptr<Kernel>> parse(const std::string& text);

// The function for a name such as add.rn.f32, or nullptr.
Execute find_operation(const std::vector<std::string>& name);

}  // namespace emulator
