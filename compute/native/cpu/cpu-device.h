// The CPU device as JavaScript sees it.
#pragma once

#include <napi.h>

namespace ogpu {

void add_cpu_device(Napi::Env env, Napi::Object exports);

}  // namespace ogpu
