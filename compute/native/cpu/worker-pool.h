// Threads that run the pieces of launches. Each works with the same floating-point settings: to nearest, denormals kept.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "kernel-code.h"

namespace ogpu {

enum class WorkOutcome { done, cancelled, no_memory };

// A launch with its arguments.
struct BoundLaunch {
  const KernelCode* code = nullptr;
  Launch launch{};
  std::vector<uint64_t> values;
  std::vector<void*> arguments;
};

// One launch of several that come one after the other. `followers` go over each piece of it while that is at hand; what the
// last of them makes lies where the launch itself put its result.
struct Stage : BoundLaunch {
  std::vector<BoundLaunch> followers;
  uint64_t pieces = 0;

  bool run(uint64_t piece) const;
};

// The caller keeps what the arguments point to until `finished` was called.
struct Work {
  // Never empty. One stage begins when the one before is done.
  std::vector<Stage> stages;
  // Called on a worker: now and then, with the launches that are done and the part of the next, and once at the end.
  std::function<void(double launches)> progress;
  std::function<void(WorkOutcome)> finished;

  std::atomic<bool> cancelled{false};

  // The pool's.
  size_t stage = 0;
  uint64_t next = 0;
  uint64_t completed = 0;
  unsigned active = 0;
  bool failed = false;
};

class WorkerPool {
 public:
  explicit WorkerPool(unsigned threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  unsigned threads() const { return count_; }
  // False: too much waits already.
  bool submit(std::shared_ptr<Work> work);

 private:
  void run();
  std::shared_ptr<Work> next(uint64_t* first, uint64_t* count);
  std::shared_ptr<Work> take(uint64_t* first, uint64_t* count);
  void complete(const std::shared_ptr<Work>& work, uint64_t count, bool ok);

  unsigned count_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::shared_ptr<Work>> queue_;
  std::vector<std::thread> workers_;
  bool stopping_ = false;
  // Changes whenever there may be something to take.
  std::atomic<uint64_t> news_{0};
};

}  // namespace ogpu
