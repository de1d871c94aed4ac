// Kernels as clang compiles them, without headers of CUDA: LLVM's back end writes other PTX than nvcc does.
//   clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc -nocudalib -O2 -ffp-contract=off
//     -Xclang -target-feature -Xclang +ptx70 -S clang.cu -o clang.ptx
#define KERNEL extern "C" __attribute__((global)) void
#define DEVICE static __attribute__((device))
#define SHARED __attribute__((shared))
#define CONSTANT __attribute__((constant))

DEVICE inline unsigned thread() { return __nvvm_read_ptx_sreg_tid_x(); }
DEVICE inline unsigned block() { return __nvvm_read_ptx_sreg_ctaid_x(); }
DEVICE inline unsigned index() { return block() * __nvvm_read_ptx_sreg_ntid_x() + thread(); }

KERNEL saxpy(int n, float a, const float* x, const float* y, float* z) {
  int i = (int)index();
  if (i < n) z[i] = __builtin_fmaf(a, x[i], y[i]);
}

// A row for each block of 128 threads.
KERNEL sum_rows(int columns, const float* x, float* y) {
  SHARED float part[128];
  float sum = 0.0f;
  for (int c = (int)thread(); c < columns; c += 128) sum += x[block() * columns + c];
  part[thread()] = sum;
  __nvvm_bar_sync(0);
  for (unsigned apart = 64; apart > 0; apart >>= 1) {
    if (thread() < apart) part[thread()] += part[thread() + apart];
    __nvvm_bar_sync(0);
  }
  if (thread() == 0) y[block()] = part[0];
}

// The sum over a warp, in every lane.
KERNEL warp_sum(const int* x, int* y) {
  int value = x[index()];
  for (int apart = 16; apart > 0; apart >>= 1) value += __nvvm_shfl_sync_bfly_i32(0xffffffffu, value, apart, 31);
  y[index()] = value;
}

struct Affine {
  double scale[2];
  float shift;
  short turn;
};

CONSTANT unsigned TABLE[8] = {3, 1, 4, 1, 5, 9, 2, 6};

DEVICE __attribute__((noinline)) unsigned mixed(unsigned value, unsigned rounds) {
  for (unsigned i = 0; i < rounds; i++) value = (value << 7 | value >> 25) * 0x9e3779b1u + TABLE[value % 8];
  return value;
}

// A structure by value, a called function, constant memory, a switch and an array in local memory.
KERNEL several(Affine by, const unsigned* x, double* y) {
  unsigned value = mixed(x[index()], 3 + thread() % 4);
  unsigned digits[10];
  for (int i = 0; i < 10; i++) {
    digits[i] = value % 10;
    value /= 10;
  }
  unsigned picked = digits[(thread() + by.turn) % 10];
  double result;
  switch (picked % 5) {
    case 0: result = by.scale[0] * picked; break;
    case 1: result = by.scale[1] / (picked + 1); break;
    case 2: result = (double)by.shift - picked; break;
    case 3: result = __builtin_sqrt((double)digits[3] + 2); break;
    default: result = (double)__builtin_popcount(x[index()]) + __builtin_clz(x[index()] | 1);
  }
  y[index()] = result;
}

KERNEL wide_division(const long long* x, const unsigned long long* y, long long* quotient, unsigned long long* rest) {
  unsigned i = index();
  quotient[i] = x[i] / (long long)(y[i] >> 33 | 1);
  rest[i] = y[i] % ((unsigned long long)x[i] | 1);
}

// Counts, one tile for all blocks.
KERNEL histogram(const unsigned char* x, unsigned* counts) {
  SHARED unsigned own[16];
  if (thread() < 16) own[thread()] = 0;
  __nvvm_bar_sync(0);
  __atomic_fetch_add(&own[x[index()] / 16], 1u, __ATOMIC_RELAXED);
  __nvvm_bar_sync(0);
  if (thread() < 16) counts[block() * 16 + thread()] = own[thread()];
}
