// The CUDA devices as JavaScript sees them.
#pragma once

#include <napi.h>

namespace ogpu {

void add_cuda_device(Napi::Env env, Napi::Object exports);

}  // namespace ogpu
