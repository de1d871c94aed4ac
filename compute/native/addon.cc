// The addon: devices, each with its own functions.
#include <napi.h>

#include "cpu/cpu-device.h"
#include "cuda/cuda-device.h"

static Napi::Object init(Napi::Env env, Napi::Object exports) {
  ogpu::add_cpu_device(env, exports);
  ogpu::add_cuda_device(env, exports);
  return exports;
}

NODE_API_MODULE(opengpu, init)
