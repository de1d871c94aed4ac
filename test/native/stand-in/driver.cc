// A libcuda.so.1 for tests: the calls that the addon makes, carried out by interpreting PTX on the CPU. It shows that the
// addon drives the driver rightly and that the PTX means what it should. It cannot show what NVIDIA's compiler and chips make
// of that PTX; `ogpu compute selftest` on a real GPU does.
#include <stdlib.h>
#include <string.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "../../../compute/native/cuda/driver.h"
#include "machine.h"

namespace emulator {

namespace {

using ogpu::cuda::Device;
using ogpu::cuda::Pointer;
using ogpu::cuda::Result;

constexpr int DEVICES = 2;
constexpr uint64_t MEMORY = 1ull << 30;
constexpr Result INVALID_VALUE = 1;
constexpr Result INVALID_CONTEXT = 201;
constexpr Result NOT_FOUND = 500;
// As the watchdog of a GPU that also draws: a kernel that takes longer is stopped.
constexpr auto WATCHDOG = std::chrono::seconds(4);

struct Context {
  std::mutex mutex;
  std::map<uint64_t, uint64_t> allocations;
  uint64_t used = 0;
  Result error = 0;
  bool destroyed = false;
};

struct Module {
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
};

// Carries out what is enqueued, in order, on a thread of its own.
struct Stream {
  std::shared_ptr<Context> context;
  std::mutex mutex;
  std::condition_variable ready;
  std::deque<std::function<void()>> tasks;
  bool busy = false;
  bool ending = false;
  std::thread thread;

  void run() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock<std::mutex> lock(mutex);
        busy = false;
        ready.wait(lock, [&] { return ending || !tasks.empty(); });
        if (tasks.empty()) return;
        busy = true;
        task = std::move(tasks.front());
        tasks.pop_front();
      }
      if (context->error == 0) task();
    }
  }

  void post(std::function<void()> task) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      tasks.push_back(std::move(task));
    }
    ready.notify_one();
  }
};

thread_local std::shared_ptr<Context> current;
std::mutex registry_mutex;
std::map<void*, std::shared_ptr<Context>> contexts;

struct Function {
  const Kernel* kernel;
};

std::shared_ptr<Machine> machine_of(const Kernel& kernel, Context& context) {
  auto machine = std::make_shared<Machine>();
  machine->kernel = &kernel;
  std::lock_guard<std::mutex> lock(context.mutex);
  for (auto [start, bytes] : context.allocations) machine->allocations.push_back({start, start + bytes});
  for (const auto& constant : kernel.constants) {
    uint64_t start = reinterpret_cast<uint64_t>(constant->data());
    machine->allocations.push_back({start, start + constant->size()});
  }
  return machine;
}

void execute(const std::shared_ptr<Machine>& machine, const std::shared_ptr<Context>& context) {
  auto end = std::chrono::steady_clock::now() + WATCHDOG;
  machine->pulse = [end] {
    if (std::chrono::steady_clock::now() > end) throw Fault(LAUNCH_TIMEOUT, "the watchdog");
  };
  try {
    machine->run();
  } catch (const Fault& fault) {
    context->error = fault.code;
  }
}

const std::map<Result, const char*> NAMES = {
    {0, "CUDA_SUCCESS"},
    {1, "CUDA_ERROR_INVALID_VALUE"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY"},
    {101, "CUDA_ERROR_INVALID_DEVICE"},
    {201, "CUDA_ERROR_INVALID_CONTEXT"},
    {218, "CUDA_ERROR_INVALID_PTX"},
    {500, "CUDA_ERROR_NOT_FOUND"},
    {600, "CUDA_ERROR_NOT_READY"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
    {719, "CUDA_ERROR_LAUNCH_FAILED"},
};

}  // namespace

}  // namespace emulator

using namespace emulator;

extern "C" {

#define EXPORT __attribute__((visibility("default"))) Result

EXPORT cuInit(unsigned) { return 0; }

EXPORT cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}

EXPORT cuGetErrorName(Result result, const char** name) {
  auto found = NAMES.find(result);
  if (found == NAMES.end()) return INVALID_VALUE;
  *name = found->second;
  return 0;
}

EXPORT cuDeviceGetCount(int* count) {
  *count = DEVICES;
  return 0;
}

EXPORT cuDeviceGet(Device* device, int index) {
  if (index < 0 || index >= DEVICES) return 101;
  *device = index;
  return 0;
}

EXPORT cuDeviceGetName(char* name, int length, Device) {
  strncpy(name, "emulator (no GPU)", static_cast<size_t>(length));
  return 0;
}

EXPORT cuDeviceTotalMem_v2(size_t* bytes, Device) {
  *bytes = MEMORY;
  return 0;
}

EXPORT cuDeviceGetAttribute(int* value, int attribute, Device) {
  *value = attribute == ogpu::cuda::ATTRIBUTE_MAJOR ? 7 : attribute == ogpu::cuda::ATTRIBUTE_MINOR ? 5 : 0;
  return 0;
}

EXPORT cuCtxCreate_v2(Context** context, unsigned, Device) {
  current = std::make_shared<Context>();
  *context = current.get();
  std::lock_guard<std::mutex> lock(registry_mutex);
  contexts[current.get()] = current;
  return 0;
}

EXPORT cuCtxSetCurrent(Context* context) {
  std::lock_guard<std::mutex> lock(registry_mutex);
  auto found = contexts.find(context);
  if (found == contexts.end()) return INVALID_CONTEXT;
  current = found->second;
  return 0;
}

EXPORT cuCtxDestroy_v2(Context* context) {
  std::lock_guard<std::mutex> lock(registry_mutex);
  auto found = contexts.find(context);
  if (found == contexts.end()) return INVALID_CONTEXT;
  for (auto [start, bytes] : found->second->allocations) free(reinterpret_cast<void*>(start));
  contexts.erase(found);
  current.reset();
  return 0;
}

EXPORT cuModuleLoadDataEx(Module** module, const void* text, unsigned count, int* options, void** values) {
  if (current == nullptr) return INVALID_CONTEXT;
  try {
    auto made = std::make_unique<Module>();
    made->kernels = parse(static_cast<const char*>(text));
    *module = made.release();
    return 0;
  } catch (const Fault& fault) {
    for (unsigned i = 0; i < count; i++) {
      if (options[i] == ogpu::cuda::JIT_ERROR_LOG_BUFFER) strncpy(static_cast<char*>(values[i]), fault.what(), 1000);
    }
    return fault.code;
  }
}

EXPORT cuModuleGetFunction(Function** function, Module* module, const char* name) {
  auto found = module->kernels.find(name);
  if (found == module->kernels.end()) return NOT_FOUND;
  *function = new Function{found->second.get()};
  return 0;
}

EXPORT cuMemAlloc_v2(Pointer* pointer, size_t bytes) {
  if (current == nullptr) return INVALID_CONTEXT;
  std::lock_guard<std::mutex> lock(current->mutex);
  if (current->used + bytes > MEMORY) return ogpu::cuda::OUT_OF_MEMORY;
  void* memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (memory == nullptr) return ogpu::cuda::OUT_OF_MEMORY;
  // A GPU does not clear memory.
  memset(memory, 0xcd, bytes);
  *pointer = reinterpret_cast<Pointer>(memory);
  current->allocations[*pointer] = bytes;
  current->used += bytes;
  return 0;
}

EXPORT cuMemFree_v2(Pointer pointer) {
  if (current == nullptr) return INVALID_CONTEXT;
  std::lock_guard<std::mutex> lock(current->mutex);
  auto found = current->allocations.find(pointer);
  if (found == current->allocations.end()) return INVALID_VALUE;
  current->used -= found->second;
  current->allocations.erase(found);
  free(reinterpret_cast<void*>(pointer));
  return 0;
}

EXPORT cuStreamCreate(Stream** stream, unsigned) {
  if (current == nullptr) return INVALID_CONTEXT;
  auto* made = new Stream;
  made->context = current;
  made->thread = std::thread([made] { made->run(); });
  *stream = made;
  return 0;
}

EXPORT cuStreamDestroy_v2(Stream* stream) {
  {
    std::lock_guard<std::mutex> lock(stream->mutex);
    stream->ending = true;
  }
  stream->ready.notify_one();
  stream->thread.join();
  delete stream;
  return 0;
}

EXPORT cuStreamQuery(Stream* stream) {
  std::lock_guard<std::mutex> lock(stream->mutex);
  if (stream->busy || !stream->tasks.empty()) return ogpu::cuda::NOT_READY;
  return stream->context->error;
}

EXPORT cuMemsetD8Async(Pointer to, unsigned char value, size_t bytes, Stream* stream) {
  stream->post([=] { memset(reinterpret_cast<void*>(to), value, bytes); });
  return 0;
}

EXPORT cuMemcpyHtoDAsync_v2(Pointer to, const void* from, size_t bytes, Stream* stream) {
  stream->post([=] { memcpy(reinterpret_cast<void*>(to), from, bytes); });
  return 0;
}

EXPORT cuMemcpyDtoHAsync_v2(void* to, Pointer from, size_t bytes, Stream* stream) {
  stream->post([=] { memcpy(to, reinterpret_cast<void*>(from), bytes); });
  return 0;
}

EXPORT cuLaunchKernel(Function* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, Stream* stream, void** parameters, void**) {
  const Kernel& kernel = *function->kernel;
  uint64_t threads = static_cast<uint64_t>(bx) * by * bz;
  if (threads == 0 || threads > 1024 || gx == 0 || gy == 0 || gz == 0) return INVALID_VALUE;
  if (kernel.shared_bytes + shared > 48 * 1024) return INVALID_VALUE;
  auto machine = machine_of(kernel, *stream->context);
  machine->grid[0] = gx, machine->grid[1] = gy, machine->grid[2] = gz;
  machine->block[0] = bx, machine->block[1] = by, machine->block[2] = bz;
  machine->dynamic_bytes = shared;
  machine->parameters.resize(kernel.parameter_bytes + 16);
  for (size_t i = 0; i < kernel.parameters.size(); i++) {
    memcpy(machine->parameters.data() + kernel.parameters[i].offset, parameters[i], kernel.parameters[i].size);
  }
  stream->post([machine, context = stream->context] { execute(machine, context); });
  return 0;
}

}  // extern "C"
