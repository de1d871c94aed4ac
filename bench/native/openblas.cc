// OpenBLAS, found when the program runs, as the peer of our matrix product.
#include <dlfcn.h>
#include <napi.h>
#include <stdlib.h>

using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
using SetThreads = void (*)(int);

static Sgemm sgemm = nullptr;
static SetThreads set_threads = nullptr;

// A version that is older than the processor does not know its model, and takes kernels for any processor, a third as fast as
// those it has for the instructions that are there. A peer is measured at its best.
static void choose_kernels() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512vl")) setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
  else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) setenv("OPENBLAS_CORETYPE", "Haswell", 0);
#endif
}

// open(path) -> whether it is there
static Napi::Value open(const Napi::CallbackInfo& info) {
  choose_kernels();
  void* handle = dlopen(info[0].As<Napi::String>().Utf8Value().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) {
    sgemm = reinterpret_cast<Sgemm>(dlsym(handle, "cblas_sgemm"));
    set_threads = reinterpret_cast<SetThreads>(dlsym(handle, "openblas_set_num_threads"));
  }
  return Napi::Boolean::New(info.Env(), sgemm != nullptr && set_threads != nullptr);
}

// product(threads, n, a, b, c): c = a * b, square, row after row
static void product(const Napi::CallbackInfo& info) {
  set_threads(info[0].ToNumber().Int32Value());
  int n = info[1].ToNumber().Int32Value();
  const float* a = info[2].As<Napi::Float32Array>().Data();
  const float* b = info[3].As<Napi::Float32Array>().Data();
  float* c = info[4].As<Napi::Float32Array>().Data();
  constexpr int ROW_MAJOR = 101, AS_IS = 111;
  sgemm(ROW_MAJOR, AS_IS, AS_IS, n, n, n, 1.0f, a, n, b, n, 0.0f, c, n);
}

static Napi::Object init(Napi::Env env, Napi::Object exports) {
  exports["open"] = Napi::Function::New(env, open);
  exports["product"] = Napi::Function::New(env, product);
  return exports;
}

NODE_API_MODULE(openblas, init)
