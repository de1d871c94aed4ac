#include "worker-pool.h"

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

namespace ogpu {

namespace {

void set_float_rules() {
#if defined(__x86_64__) || defined(__i386__)
  // All exceptions masked, to nearest, no flushing to zero.
  _mm_setcsr(0x1f80);
#elif defined(__aarch64__)
  uint64_t zero = 0;
  __asm__ volatile("msr fpcr, %0" : : "r"(zero));
#endif
}

// So often at most, whatever the number of pieces.
constexpr uint64_t REPORTS = 100;
// Turns that a thread takes at a launch of many pieces.
constexpr uint64_t TURNS = 16;
// Launches at one time; a job has one.
constexpr size_t MAX_QUEUE = 256;

}  // namespace

WorkerPool::WorkerPool(unsigned threads) : count_(threads == 0 ? 1 : threads) {}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    for (auto& work : queue_) work->cancelled = true;
  }
  ready_.notify_all();
  for (auto& worker : workers_) worker.join();
}

bool WorkerPool::submit(std::shared_ptr<Work> work) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (queue_.size() >= MAX_QUEUE) return false;
    // Started with the first work: a node that computes nothing has no idle threads.
    while (workers_.size() < count_) workers_.emplace_back([this] { run(); });
    queue_.push_back(std::move(work));
  }
  ready_.notify_all();
  return true;
}

// No pieces: the work is over, and its end is to be told.
std::shared_ptr<Work> WorkerPool::take(uint64_t* first, uint64_t* count) {
  for (auto at = queue_.begin(); at != queue_.end(); ++at) {
    Work& work = **at;
    while (work.active == 0 && work.next == work.stages[work.stage].pieces && work.stage + 1 < work.stages.size()) {
      work.stage++;
      work.next = 0;
      work.completed = 0;
    }
    const Stage& stage = work.stages[work.stage];
    bool over = work.cancelled || work.failed || work.next == stage.pieces;
    if (over && work.active > 0) continue;
    if (!over && work.active >= stage.launch.threads) continue;
    std::shared_ptr<Work> taken = *at;
    if (over) {
      queue_.erase(at);
      *count = 0;
    } else {
      // Several at once where there are many, because each turn takes the lock.
      uint64_t share = stage.pieces / (stage.launch.threads * TURNS);
      uint64_t left = stage.pieces - work.next;
      *count = share < 1 ? 1 : share < left ? share : left;
      *first = work.next;
      work.next += *count;
      work.active++;
    }
    return taken;
  }
  return nullptr;
}

void WorkerPool::complete(const std::shared_ptr<Work>& work, uint64_t count, bool ok) {
  uint64_t done, pieces;
  size_t stage;
  bool last;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    last = --work->active == 0;
    if (!ok) work->failed = true;
    done = work->completed += count;
    stage = work->stage;
    pieces = work->stages[stage].pieces;
  }
  if (ok && work->progress && done * REPORTS / pieces != (done - count) * REPORTS / pieces) {
    work->progress(static_cast<double>(stage) + static_cast<double>(done) / static_cast<double>(pieces));
  }
  // Others wait for the end of a stage only: for its pieces they came themselves.
  if (last) ready_.notify_all();
}

void WorkerPool::run() {
  set_float_rules();
  for (;;) {
    uint64_t first = 0, count = 0;
    std::shared_ptr<Work> work;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      ready_.wait(lock, [&] {
        work = take(&first, &count);
        return work != nullptr || (stopping_ && queue_.empty());
      });
      if (work == nullptr) return;
    }
    if (count > 0) {
      // The stage does not change while these pieces are under way.
      const Stage& stage = work->stages[work->stage];
      bool ok = true;
      for (uint64_t i = 0; i < count && ok && !work->cancelled; i++) ok = stage.code->run(stage.launch, first + i);
      complete(work, work->cancelled ? 0 : count, ok);
      continue;
    }
    bool all = work->stage + 1 == work->stages.size() && work->completed == work->stages[work->stage].pieces;
    WorkOutcome outcome = work->failed ? WorkOutcome::no_memory : all ? WorkOutcome::done : WorkOutcome::cancelled;
    work->finished(outcome);
  }
}

}  // namespace ogpu
