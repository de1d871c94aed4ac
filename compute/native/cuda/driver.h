// The part of the CUDA driver that we call, found in libcuda.so.1 when the program runs, so that one binary works on
// machines with and without it. Our own declarations: test/native/driver-check.cc holds them to cuda.h where that is.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <memory>
#include <string>

namespace ogpu {
namespace cuda {

using Result = int;
using Device = int;
using Pointer = unsigned long long;
using Context = struct ContextHandle*;
using Module = struct ModuleHandle*;
using Function = struct FunctionHandle*;
using Stream = struct StreamHandle*;

constexpr Result SUCCESS = 0;
constexpr Result OUT_OF_MEMORY = 2;
constexpr Result NOT_READY = 600;
constexpr int ATTRIBUTE_MAJOR = 75;
constexpr int ATTRIBUTE_MINOR = 76;
constexpr unsigned STREAM_NON_BLOCKING = 1;
constexpr int JIT_ERROR_LOG_BUFFER = 5;
constexpr int JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6;

// name here, name in the library, parameters.
#define OGPU_CUDA_FUNCTIONS(F)                                                                                        \
  F(init, cuInit, (unsigned))                                                                                         \
  F(driver_version, cuDriverGetVersion, (int*))                                                                       \
  F(error_name, cuGetErrorName, (Result, const char**))                                                               \
  F(device_count, cuDeviceGetCount, (int*))                                                                           \
  F(device, cuDeviceGet, (Device*, int))                                                                              \
  F(device_name, cuDeviceGetName, (char*, int, Device))                                                               \
  F(device_memory, cuDeviceTotalMem_v2, (size_t*, Device))                                                            \
  F(device_attribute, cuDeviceGetAttribute, (int*, int, Device))                                                      \
  F(context_create, cuCtxCreate_v2, (Context*, unsigned, Device))                                                     \
  F(context_destroy, cuCtxDestroy_v2, (Context))                                                                      \
  F(context_set, cuCtxSetCurrent, (Context))                                                                          \
  F(module_load, cuModuleLoadDataEx, (Module*, const void*, unsigned, int*, void**))                                  \
  F(module_function, cuModuleGetFunction, (Function*, Module, const char*))                                           \
  F(allocate, cuMemAlloc_v2, (Pointer*, size_t))                                                                      \
  F(release, cuMemFree_v2, (Pointer))                                                                                 \
  F(set_bytes, cuMemsetD8Async, (Pointer, unsigned char, size_t, Stream))                                             \
  F(upload, cuMemcpyHtoDAsync_v2, (Pointer, const void*, size_t, Stream))                                             \
  F(download, cuMemcpyDtoHAsync_v2, (void*, Pointer, size_t, Stream))                                                 \
  F(stream_create, cuStreamCreate, (Stream*, unsigned))                                                               \
  F(stream_query, cuStreamQuery, (Stream))                                                                            \
  F(stream_destroy, cuStreamDestroy_v2, (Stream))                                                                     \
  F(launch, cuLaunchKernel,                                                                                           \
    (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**, void**))

struct Driver {
#define OGPU_DECLARE(name, symbol, parameters) Result(*name) parameters = nullptr;
  OGPU_CUDA_FUNCTIONS(OGPU_DECLARE)
#undef OGPU_DECLARE

  // Loads and starts the library. Without one, `nullptr` and the reason.
  static std::shared_ptr<Driver> open(const std::string& library, std::string* reason);

  std::string name_of(Result result) const;
};

}  // namespace cuda
}  // namespace ogpu
