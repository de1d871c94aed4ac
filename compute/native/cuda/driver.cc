#include "driver.h"

#include <dlfcn.h>

namespace ogpu {
namespace cuda {

std::shared_ptr<Driver> Driver::open(const std::string& library, std::string* reason) {
  // Never closed: the driver keeps threads of its own.
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* text = dlerror();
    *reason = text == nullptr ? "it cannot be loaded" : text;
    return nullptr;
  }
  auto driver = std::make_shared<Driver>();
#define OGPU_FIND(name, symbol, parameters)                                  \
  driver->name = reinterpret_cast<decltype(driver->name)>(dlsym(handle, #symbol)); \
  if (driver->name == nullptr) {                                             \
    *reason = std::string("it has no ") + #symbol;                           \
    return nullptr;                                                          \
  }
  OGPU_CUDA_FUNCTIONS(OGPU_FIND)
#undef OGPU_FIND
  Result result = driver->init(0);
  if (result == SUCCESS) return driver;
  *reason = driver->name_of(result);
  return nullptr;
}

std::string Driver::name_of(Result result) const {
  const char* text = nullptr;
  if (error_name(result, &text) == SUCCESS && text != nullptr) return text;
  return "CUDA_ERROR_" + std::to_string(result);
}

}  // namespace cuda
}  // namespace ogpu
