// Compiled, never run: our declarations of the CUDA driver are those of NVIDIA's header.
#include <cuda.h>

#include <type_traits>

#include "../../compute/native/cuda/driver.h"

namespace ours = ogpu::cuda;

static_assert(ours::SUCCESS == CUDA_SUCCESS);
static_assert(ours::OUT_OF_MEMORY == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(ours::NOT_READY == CUDA_ERROR_NOT_READY);
static_assert(ours::ATTRIBUTE_MAJOR == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(ours::ATTRIBUTE_MINOR == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(ours::STREAM_NON_BLOCKING == CU_STREAM_NON_BLOCKING);
static_assert(ours::JIT_ERROR_LOG_BUFFER == CU_JIT_ERROR_LOG_BUFFER);
static_assert(ours::JIT_ERROR_LOG_BUFFER_SIZE_BYTES == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);

static_assert(sizeof(ours::Result) == sizeof(CUresult));
static_assert(std::is_same_v<ours::Device, CUdevice>);
static_assert(std::is_same_v<ours::Pointer, CUdeviceptr>);
static_assert(sizeof(ours::Context) == sizeof(CUcontext) && sizeof(ours::Module) == sizeof(CUmodule));
static_assert(sizeof(ours::Function) == sizeof(CUfunction) && sizeof(ours::Stream) == sizeof(CUstream));

// As many parameters of the same sizes. What cuda.h declares under a newer number is left out: the library keeps the old one.
template <class Ours, class Theirs>
struct Same : std::false_type {};
template <class R, class... A, class S, class... B>
struct Same<R (*)(A...), S(B...)>
    : std::bool_constant<sizeof...(A) == sizeof...(B) && sizeof(R) == sizeof(S) && ((sizeof(A) == sizeof(B)) && ...)> {};

#define OGPU_SAME(name, symbol, parameters) static_assert(Same<decltype(ours::Driver::name), decltype(::symbol)>::value, #symbol);
#define cuCtxCreate_v2 ogpuCtxCreate
CUresult ogpuCtxCreate(CUcontext*, unsigned, CUdevice);
OGPU_CUDA_FUNCTIONS(OGPU_SAME)
