#include "machine.h"

#include <string.h>

#include <algorithm>

namespace emulator {

namespace {

void check_alignment(uint64_t address, uint32_t bytes) {
  if (address % bytes != 0) throw Fault(MISALIGNED_ADDRESS, "misaligned address");
}

uint32_t count_of(const uint32_t (&size)[3]) { return size[0] * size[1] * size[2]; }

// So many instructions run between two looks at the clock.
constexpr int PULSE = 1 << 20;

}  // namespace

uint8_t* global_memory(Thread& thread, uint64_t address, uint32_t bytes) {
  check_alignment(address, bytes);
  const Range* last = thread.last;
  if (last != nullptr && address >= last->start && address + bytes <= last->end) return reinterpret_cast<uint8_t*>(address);
  for (const Range& range : thread.machine->allocations) {
    if (address < range.start || address + bytes > range.end) continue;
    thread.last = &range;
    return reinterpret_cast<uint8_t*>(address);
  }
  throw Fault(ILLEGAL_ADDRESS, "outside of all memory");
}

uint8_t* shared_memory(Thread& thread, uint64_t address, uint32_t bytes) {
  check_alignment(address, bytes);
  uint64_t offset = address & 0xffffffff;
  if (offset + bytes > thread.machine->shared.size()) throw Fault(ILLEGAL_ADDRESS, "outside of shared memory");
  return thread.machine->shared.data() + offset;
}

uint8_t* local_memory(Thread& thread, uint64_t address, uint32_t bytes) {
  check_alignment(address, bytes);
  uint64_t offset = address & 0xffffffff;
  if (offset + bytes > thread.machine->kernel->local_bytes) throw Fault(ILLEGAL_ADDRESS, "outside of local memory");
  return thread.local + offset;
}

uint8_t* generic_memory(Thread& thread, uint64_t address, uint32_t bytes) {
  if (address & SHARED_TAG) return shared_memory(thread, address, bytes);
  if (address & LOCAL_TAG) return local_memory(thread, address, bytes);
  return global_memory(thread, address, bytes);
}

void Machine::run() {
  uint32_t count = count_of(block);
  size_t places = kernel->places.size();
  std::vector<uint64_t> registers(count * places);
  std::vector<uint8_t> locals(static_cast<size_t>(count) * kernel->local_bytes);
  std::vector<Thread> threads(count);
  shared.resize(kernel->shared_bytes + dynamic_bytes);
  for (uint32_t i = 0; i < count; i++) {
    threads[i].places = registers.data() + i * places;
    threads[i].local = locals.data() + static_cast<size_t>(i) * kernel->local_bytes;
    threads[i].lane = i % 32;
    threads[i].machine = this;
  }
  for (uint32_t z = 0; z < grid[2]; z++) {
    for (uint32_t y = 0; y < grid[1]; y++) {
      for (uint32_t x = 0; x < grid[0]; x++) run_block(x, y, z, threads);
    }
  }
}

namespace {

void start_thread(Thread& thread, uint32_t index, const Machine& machine, const uint32_t (&at)[3]) {
  const Kernel& kernel = *machine.kernel;
  memcpy(thread.places, kernel.places.data(), sizeof(uint64_t) * kernel.places.size());
  uint64_t* places = thread.places;
  const uint32_t(&block)[3] = machine.block;
  places[TID_X] = index % block[0];
  places[TID_Y] = index / block[0] % block[1];
  places[TID_Z] = index / block[0] / block[1];
  for (int i = 0; i < 3; i++) {
    places[NTID_X + i] = block[i];
    places[CTAID_X + i] = at[i];
    places[NCTAID_X + i] = machine.grid[i];
  }
  uint64_t bit = 1ull << thread.lane;
  places[LANEMASK_EQ] = bit;
  places[LANEMASK_LT] = bit - 1;
  places[LANEMASK_LE] = bit | (bit - 1);
  places[LANEMASK_GT] = ~(bit | (bit - 1)) & 0xffffffff;
  places[LANEMASK_GE] = ~(bit - 1) & 0xffffffff;
  places[DYNAMIC_BYTES] = machine.dynamic_bytes;
  thread.next = kernel.code.data();
  thread.waiting = nullptr;
  thread.done = false;
  thread.last = nullptr;
}

void advance(Thread& thread, int& budget, const std::function<void()>& pulse) {
  while (!thread.done && thread.waiting == nullptr) {
    const Instruction& instruction = *thread.next++;
    if (instruction.guard < 0 || (thread.places[instruction.guard] != 0) != instruction.negated) {
      if (instruction.wait != Wait::none) thread.waiting = &instruction;
      else instruction.execute(thread, instruction);
    }
    if (--budget == 0) {
      budget = PULSE;
      pulse();
    }
  }
}

}  // namespace

void Machine::run_block(uint32_t x, uint32_t y, uint32_t z, std::vector<Thread>& threads) {
  // A GPU leaves in shared memory what was there.
  std::fill(shared.begin(), shared.end(), 0xa5);
  uint32_t at[3] = {x, y, z};
  uint32_t count = static_cast<uint32_t>(threads.size());
  for (uint32_t i = 0; i < count; i++) {
    memset(threads[i].local, 0x5a, kernel->local_bytes);
    start_thread(threads[i], i, *this, at);
  }
  int budget = PULSE;
  for (;;) {
    for (Thread& thread : threads) advance(thread, budget, pulse);
    if (std::all_of(threads.begin(), threads.end(), [](const Thread& thread) { return thread.done; })) return;
    if (!exchange(threads)) open_barrier(threads);
  }
}

// A thread that has ended counts as having come.
void Machine::open_barrier(std::vector<Thread>& threads) {
  const Instruction* one = nullptr;
  for (Thread& thread : threads) {
    if (thread.done) continue;
    bool same = thread.waiting->wait == Wait::barrier && (one == nullptr || one->offset == thread.waiting->offset);
    if (!same) throw Fault(LAUNCH_FAILED, "threads wait for each other");
    one = thread.waiting;
  }
  for (Thread& thread : threads) thread.waiting = nullptr;
}

namespace {

struct Member {
  Thread* thread;
  uint64_t value;
};

uint32_t mask_of(const Thread& thread) {
  const Instruction& wait = *thread.waiting;
  int last = wait.wait == Wait::shuffle ? 3 : wait.wait == Wait::warpsync ? 0 : 1;
  return static_cast<uint32_t>(thread.places[wait.a[last]]);
}

void put(Thread& thread, int place, uint64_t value) {
  if (place >= 0) thread.places[place] = value;
}

void shuffle(const std::vector<Member>& members, const Instruction& wait) {
  for (const Member& member : members) {
    Thread& thread = *member.thread;
    int lane = static_cast<int>(thread.lane);
    int value = static_cast<int>(thread.places[wait.a[1]] & 31), control = static_cast<int>(thread.places[wait.a[2]]);
    int clamp = control & 31, mask = control >> 8 & 31;
    int most = (lane & mask) | (clamp & ~mask), least = lane & mask;
    int from = 0;
    bool in_range = false;
    if (wait.mode == 'u') from = lane - value, in_range = from >= most;
    else if (wait.mode == 'd') from = lane + value, in_range = from <= most;
    else if (wait.mode == 'b') from = lane ^ value, in_range = from <= most;
    else from = least | (value & ~mask), in_range = from <= most;
    uint64_t result = member.value;
    if (in_range) {
      auto found = std::find_if(members.begin(), members.end(),
                                [&](const Member& other) { return static_cast<int>(other.thread->lane) == from; });
      // What a GPU gives for a lane that is not there is not defined.
      result = found == members.end() ? 0xdeadbeef : found->value;
    }
    put(thread, wait.d[0], result);
    put(thread, wait.d[1], in_range);
  }
}

void vote(const std::vector<Member>& members, const Instruction& wait) {
  uint32_t ballot = 0, all = 0;
  for (const Member& member : members) {
    all |= 1u << member.thread->lane;
    if (member.value != 0) ballot |= 1u << member.thread->lane;
  }
  uint64_t result = ballot;
  if (wait.mode == 'a') result = ballot == all;
  else if (wait.mode == 'n') result = ballot != 0;
  else if (wait.mode == 'u') result = ballot == all || ballot == 0;
  for (const Member& member : members) put(*member.thread, wait.d[0], result);
}

void match(const std::vector<Member>& members, const Instruction& wait) {
  uint32_t all = 0;
  for (const Member& member : members) all |= 1u << member.thread->lane;
  for (const Member& member : members) {
    uint32_t equal = 0;
    for (const Member& other : members) {
      if (other.value == member.value) equal |= 1u << other.thread->lane;
    }
    bool any = wait.mode == 'n';
    put(*member.thread, wait.d[0], any || equal == all ? equal : 0);
    put(*member.thread, wait.d[1], equal == all);
  }
}

bool exchange_for(Thread* warp, uint32_t size, Thread& thread) {
  const Instruction& wait = *thread.waiting;
  uint32_t mask = mask_of(thread);
  std::vector<Member> members;
  for (uint32_t lane = 0; lane < size; lane++) {
    if ((mask >> lane & 1) == 0 || warp[lane].done) continue;
    if (warp[lane].waiting != &wait || mask_of(warp[lane]) != mask) return false;
    members.push_back({&warp[lane], wait.a[0] < 0 ? 0 : warp[lane].places[wait.a[0]]});
  }
  if (wait.wait == Wait::shuffle) shuffle(members, wait);
  else if (wait.wait == Wait::vote) vote(members, wait);
  else if (wait.wait == Wait::match) match(members, wait);
  for (const Member& member : members) member.thread->waiting = nullptr;
  return true;
}

}  // namespace

bool Machine::exchange(std::vector<Thread>& threads) {
  bool any = false;
  for (size_t first = 0; first < threads.size(); first += 32) {
    uint32_t size = static_cast<uint32_t>(std::min<size_t>(32, threads.size() - first));
    for (uint32_t lane = 0; lane < size; lane++) {
      Thread& thread = threads[first + lane];
      if (thread.waiting == nullptr || thread.waiting->wait == Wait::barrier) continue;
      any = exchange_for(&threads[first], size, thread) || any;
    }
  }
  return any;
}

}  // namespace emulator
