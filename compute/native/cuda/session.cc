#include "session.h"

#include <string.h>

#include <chrono>

namespace ogpu {
namespace cuda {

using Clock = std::chrono::steady_clock;

Session::Session(std::shared_ptr<Driver> driver, int device, uint64_t memory_limit)
    : driver_(std::move(driver)), device_(device), memory_limit_(memory_limit) {}

void Session::start() {
  // The thread keeps the session alive; it is detached because a driver call may never return.
  std::thread([self = shared_from_this()] { self->run(); }).detach();
}

void Session::post(std::function<void()> task) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  ready_.notify_one();
}

void Session::end() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  ready_.notify_one();
}

void Session::run() {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      ready_.wait(lock, [&] { return !tasks_.empty() || ending_; });
      if (tasks_.empty()) break;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
  // Whoever waited has his answer: it may take as long as it takes.
  destroy();
}

Outcome Session::check(Result result, const char* what) {
  if (result == SUCCESS) return {};
  return {driver_->name_of(result), what};
}

Outcome Session::open() {
  Device device;
  Outcome outcome = check(driver_->device(&device, device_), "choosing the device");
  if (outcome.ok()) outcome = check(driver_->context_create(&context_, 0, device), "making a context");
  if (outcome.ok()) outcome = check(driver_->stream_create(&stream_, STREAM_NON_BLOCKING), "making a stream");
  if (outcome.ok()) outcome = check(driver_->stream_create(&copies_, STREAM_NON_BLOCKING), "making a stream");
  return outcome;
}

Outcome Session::load(const std::vector<KernelText>& kernels, const std::vector<BufferCopy>& uploads) {
  Outcome outcome;
  for (const BufferCopy& copy : uploads) {
    if (outcome.ok()) outcome = start_upload(copy.buffer, 0, copy.bytes, copy.length);
  }
  for (const KernelText& kernel : kernels) {
    if (outcome.ok()) outcome = compile(kernel);
  }
  // Also after a failure: the memory is the caller's again when this returns.
  Outcome copied = wait(copies_, 0);
  return outcome.ok() ? copied : outcome;
}

Outcome Session::compile(const KernelText& kernel) {
  char log[4096] = "";
  int options[] = {JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(static_cast<uintptr_t>(sizeof log))};
  Module module;
  Outcome outcome = check(driver_->module_load(&module, kernel.ptx.c_str(), 2, options, values), "compiling the kernel");
  log[sizeof log - 1] = 0;
  if (!outcome.ok() && log[0] != 0) outcome.detail = log;
  Function function;
  if (outcome.ok()) {
    outcome = check(driver_->module_function(&function, module, kernel.entry.c_str()), "finding the kernel");
  }
  if (outcome.ok()) functions_.push_back(function);
  return outcome;
}

Outcome Session::allocate(const std::vector<uint64_t>& lengths) {
  uint64_t total = 0;
  for (uint64_t length : lengths) total += length;
  if (total > memory_limit_) return {"DEVICE_MEMORY", "the job needs more than its limit of memory"};
  for (uint64_t length : lengths) {
    Pointer pointer = 0;
    Result result = driver_->allocate(&pointer, length == 0 ? 1 : length);
    if (result == OUT_OF_MEMORY) return {"DEVICE_MEMORY", "the device has not enough memory"};
    Outcome outcome = check(result, "taking memory");
    if (outcome.ok() && length > 0) outcome = check(driver_->set_bytes(pointer, 0, length, stream_), "clearing memory");
    if (!outcome.ok()) return outcome;
    buffers_.push_back(pointer);
    lengths_.push_back(length);
  }
  return wait(stream_, 0);
}

bool Session::within(size_t buffer, uint64_t offset, size_t length) const {
  return buffer < buffers_.size() && offset <= lengths_[buffer] && length <= lengths_[buffer] - offset;
}

Outcome Session::start_upload(size_t buffer, uint64_t offset, const uint8_t* bytes, size_t length) {
  if (!within(buffer, offset, length)) return {"DEVICE_RANGE", "beyond the buffer"};
  if (length == 0) return {};
  return check(driver_->upload(buffers_[buffer] + offset, bytes, length, copies_), "copying to the device");
}

Outcome Session::start_download(size_t buffer, uint64_t offset, uint8_t* bytes, size_t length) {
  if (!within(buffer, offset, length)) return {"DEVICE_RANGE", "beyond the buffer"};
  if (length == 0) return {};
  return check(driver_->download(bytes, buffers_[buffer] + offset, length, copies_), "copying from the device");
}

Outcome Session::upload(size_t buffer, uint64_t offset, const uint8_t* bytes, size_t length) {
  Outcome outcome = start_upload(buffer, offset, bytes, length);
  return outcome.ok() ? wait(copies_, 0) : outcome;
}

Outcome Session::download(size_t buffer, uint64_t offset, uint8_t* bytes, size_t length) {
  Outcome outcome = start_download(buffer, offset, bytes, length);
  return outcome.ok() ? wait(copies_, 0) : outcome;
}

Outcome Session::enqueue(const LaunchOrder& order) {
  if (order.function >= functions_.size()) return {"DEVICE_RANGE", "no such kernel"};
  std::vector<std::vector<uint8_t>> values;
  for (const LaunchArgument& argument : order.arguments) {
    values.push_back(argument.bytes);
    if (argument.buffer < 0) continue;
    if (static_cast<size_t>(argument.buffer) >= buffers_.size()) return {"DEVICE_RANGE", "no such buffer"};
    values.back().resize(sizeof(Pointer));
    memcpy(values.back().data(), &buffers_[argument.buffer], sizeof(Pointer));
  }
  std::vector<void*> pointers;
  for (auto& value : values) pointers.push_back(value.data());
  return check(driver_->launch(functions_[order.function], order.grid[0], order.grid[1], order.grid[2], order.block[0],
                               order.block[1], order.block[2], order.shared, stream_, pointers.data(), nullptr),
               "launching");
}

// So many launches at most wait in the driver, so that cancelling does not take long.
constexpr size_t BATCH = 256;

Outcome Session::launch(const std::vector<LaunchOrder>& orders, uint64_t timeout_ms,
                        const std::function<void(size_t)>& progress, const std::vector<BufferCopy>& downloads) {
  auto end = Clock::now() + std::chrono::milliseconds(timeout_ms);
  Outcome outcome;
  for (size_t i = 0; i < orders.size() && outcome.ok(); i++) {
    if (abandoned_) return {"DEVICE_TIMEOUT", "the device is still busy with a kernel that did not end"};
    if (cancelled_) return {"DEVICE_CANCELLED", "cancelled"};
    outcome = enqueue(orders[i]);
    // After the first one, so that it does not wait when the driver copies on this thread.
    for (size_t j = 0; i == 0 && j < downloads.size() && outcome.ok(); j++) {
      outcome = start_download(downloads[j].buffer, 0, downloads[j].bytes, downloads[j].length);
    }
    if (!outcome.ok() || ((i + 1) % BATCH != 0 && i + 1 != orders.size())) continue;
    uint64_t left = 0;
    if (timeout_ms != 0) {
      auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
      left = rest < 1 ? 1 : static_cast<uint64_t>(rest);
    }
    outcome = wait(stream_, left);
    if (outcome.ok() && progress) progress(i + 1);
  }
  Outcome copied = wait(copies_, 0);
  return outcome.ok() ? copied : outcome;
}

// 0: as long as it takes, unless cancelled.
Outcome Session::wait(Stream stream, uint64_t timeout_ms) {
  auto start = Clock::now();
  auto pause = std::chrono::microseconds(10);
  for (;;) {
    Result result = driver_->stream_query(stream);
    if (result != NOT_READY) return check(result, "running");
    bool late = timeout_ms != 0 && Clock::now() - start > std::chrono::milliseconds(timeout_ms);
    if (late || cancelled_) {
      abandoned_ = true;
      return late ? Outcome{"DEVICE_TIMEOUT", "the kernel did not end in time"} : Outcome{"DEVICE_CANCELLED", "cancelled"};
    }
    std::this_thread::sleep_for(pause);
    if (pause < std::chrono::milliseconds(1)) pause *= 2;
  }
}

void Session::close() {
  // Destroying a context waits for its kernels. One that does not end must not keep the caller waiting: the thread does it
  // when nothing else is left to do.
  if (abandoned_) end();
  else destroy();
}

void Session::destroy() {
  if (context_ == nullptr) return;
  if (stream_ != nullptr) driver_->stream_destroy(stream_);
  if (copies_ != nullptr) driver_->stream_destroy(copies_);
  driver_->context_destroy(context_);
  context_ = nullptr;
  stream_ = nullptr;
  copies_ = nullptr;
}

}  // namespace cuda
}  // namespace ogpu
