// One job on one GPU: a context of its own, driven by a thread of its own, so that nothing of one job is seen by another and
// JavaScript never waits.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "driver.h"

namespace ogpu {
namespace cuda {

// Empty text: it went well. Otherwise a code, and what the driver said beyond it.
struct Outcome {
  std::string code;
  std::string detail;
  bool ok() const { return code.empty(); }
};

struct LaunchArgument {
  // A buffer's number, or -1 for the bytes of a scalar.
  int buffer = -1;
  std::vector<uint8_t> bytes;
};

struct LaunchOrder {
  unsigned function = 0;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared = 0;
  std::vector<LaunchArgument> arguments;
};

// All of a buffer and the memory that it comes from or goes to.
struct BufferCopy {
  size_t buffer = 0;
  uint8_t* bytes = nullptr;
  size_t length = 0;
};

struct KernelText {
  std::string ptx;
  std::string entry;
};

// The methods run on the session's thread; only `post`, `cancel` and the destructor are called from outside.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(std::shared_ptr<Driver> driver, int device, uint64_t memory_limit);
  void start();
  void post(std::function<void()> task);
  void cancel() { cancelled_ = true; }
  // Ends the thread after what was posted, without waiting for it.
  void end();

  Outcome open();
  // Copies what buffers start with while it compiles.
  Outcome load(const std::vector<KernelText>& kernels, const std::vector<BufferCopy>& uploads);
  Outcome allocate(const std::vector<uint64_t>& lengths);
  Outcome upload(size_t buffer, uint64_t offset, const uint8_t* bytes, size_t length);
  Outcome download(size_t buffer, uint64_t offset, uint8_t* bytes, size_t length);
  // Copies what earlier launches made while it computes.
  Outcome launch(const std::vector<LaunchOrder>& orders, uint64_t timeout_ms,
                 const std::function<void(size_t)>& progress, const std::vector<BufferCopy>& downloads);
  void close();

 private:
  void run();
  Outcome check(Result result, const char* what);
  Outcome wait(Stream stream, uint64_t timeout_ms);
  Outcome enqueue(const LaunchOrder& order);
  Outcome start_upload(size_t buffer, uint64_t offset, const uint8_t* bytes, size_t length);
  Outcome start_download(size_t buffer, uint64_t offset, uint8_t* bytes, size_t length);
  bool within(size_t buffer, uint64_t offset, size_t length) const;
  Outcome compile(const KernelText& kernel);
  void destroy();

  std::shared_ptr<Driver> driver_;
  int device_;
  uint64_t memory_limit_;
  Context context_ = nullptr;
  // What one of them does is not ordered with what the other does: kernels, and copies that go on beside them.
  Stream stream_ = nullptr;
  Stream copies_ = nullptr;
  std::vector<Function> functions_;
  std::vector<Pointer> buffers_;
  std::vector<uint64_t> lengths_;
  // A kernel that does not end cannot be stopped: then nothing of this context may be touched again, except by the one
  // call that destroys it and returns when the kernel has ended after all.
  bool abandoned_ = false;
  std::atomic<bool> cancelled_{false};

  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::function<void()>> tasks_;
  bool ending_ = false;
};

}  // namespace cuda
}  // namespace ogpu
