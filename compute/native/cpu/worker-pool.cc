#include "worker-pool.h"

#include <string.h>

#include <chrono>

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

inline void pause_thread() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#endif
}

// So often at most, whatever the number of pieces.
constexpr uint64_t REPORTS = 100;
// Turns that a thread takes at a launch of many pieces.
constexpr uint64_t TURNS = 16;
// Launches at one time; a job has one.
constexpr size_t MAX_QUEUE = 256;
// How long a thread looks for the next stage before it sleeps: about what waking it would take.
constexpr auto LOOK_OUT = std::chrono::microseconds(50);
constexpr int LOOKS = 32;

}  // namespace

bool Stage::run(uint64_t piece) const {
  if (!code->run(launch, piece)) return false;
  if (followers.empty()) return true;
  alignas(64) float aside[2][MAX_RANGE];
  Region made = code->region(launch, piece);
  float* result;
  memcpy(&result, arguments.back(), sizeof result);
  for (int64_t row = 0; row < made.rows; row++) {
    for (int64_t column = 0; column < made.width; column += MAX_RANGE) {
      int64_t first = made.first + row * made.pitch + column, left = made.width - column;
      int count = left < MAX_RANGE ? static_cast<int>(left) : MAX_RANGE;
      const float* value = result + first;
      for (size_t i = 0; i < followers.size(); i++) {
        followers[i].code->range(followers[i].launch, first, count, value, aside[i % 2]);
        value = aside[i % 2];
      }
      memcpy(result + first, value, sizeof(float) * count);
    }
  }
  return true;
}

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
    news_++;
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
    if (last) news_++;
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

// Null when the pool stops. While others are at a stage, the next one is near: sleeping would take longer.
std::shared_ptr<Work> WorkerPool::next(uint64_t* first, uint64_t* count) {
  auto start = std::chrono::steady_clock::now();
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    std::shared_ptr<Work> work = take(first, count);
    if (work != nullptr || (stopping_ && queue_.empty())) return work;
    if (queue_.empty() || std::chrono::steady_clock::now() - start > LOOK_OUT) {
      ready_.wait(lock);
      continue;
    }
    uint64_t seen = news_;
    lock.unlock();
    for (int i = 0; i < LOOKS && news_ == seen; i++) pause_thread();
    lock.lock();
  }
}

void WorkerPool::run() {
  set_float_rules();
  for (;;) {
    uint64_t first = 0, count = 0;
    std::shared_ptr<Work> work = next(&first, &count);
    if (work == nullptr) return;
    if (count > 0) {
      // The stage does not change while these pieces are under way.
      const Stage& stage = work->stages[work->stage];
      bool ok = true;
      for (uint64_t i = 0; i < count && ok && !work->cancelled; i++) ok = stage.run(first + i);
      complete(work, work->cancelled ? 0 : count, ok);
      continue;
    }
    bool all = work->stage + 1 == work->stages.size() && work->completed == work->stages[work->stage].pieces;
    WorkOutcome outcome = work->failed ? WorkOutcome::no_memory : all ? WorkOutcome::done : WorkOutcome::cancelled;
    work->finished(outcome);
  }
}

}  // namespace ogpu
