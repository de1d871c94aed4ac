// Counts keys by their highest byte, and sorts them: every block sorts 1,024 keys in shared memory, then passes merge runs
// that are twice as long each time. A block makes one piece of the output and looks up where its keys lie in the two
// runs, so nobody stores into what belongs to another. Compiled with `nvcc -ptx -arch=compute_75 -fmad=false`.
#include <stdint.h>

#define KEYS 1024
#define THREADS 512

// bins[key >> 24] counts keys. Blocks add to the same bins, so the launch is one tile.
extern "C" __global__ void histogram(int n, const uint32_t* keys, uint32_t* bins) {
  __shared__ uint32_t own[256];
  if (threadIdx.x < 256) own[threadIdx.x] = 0;
  __syncthreads();
  for (int k = threadIdx.x; k < KEYS; k += THREADS) {
    int i = blockIdx.x * KEYS + k;
    if (i < n) atomicAdd(&own[keys[i] >> 24], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 256) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

// A bitonic network over one piece; what is missing at the end counts as the largest key.
extern "C" __global__ void sort_pieces(int n, const uint32_t* from, uint32_t* to) {
  __shared__ uint32_t own[KEYS];
  int first = blockIdx.x * KEYS;
  for (int k = threadIdx.x; k < KEYS; k += THREADS) own[k] = first + k < n ? from[first + k] : 0xffffffffu;
  __syncthreads();
  for (int run = 2; run <= KEYS; run *= 2) {
    for (int apart = run / 2; apart > 0; apart /= 2) {
      int low = 2 * threadIdx.x - (threadIdx.x & (apart - 1));
      uint32_t a = own[low], b = own[low + apart];
      bool up = (low & run) == 0;
      own[low] = (a < b) == up ? a : b;
      own[low + apart] = (a < b) == up ? b : a;
      __syncthreads();
    }
  }
  for (int k = threadIdx.x; k < KEYS; k += THREADS) {
    if (first + k < n) to[first + k] = own[k];
  }
}

// How many of the first `want` keys of the merged runs come from `a`; of equal ones those of `a` go first.
__device__ int share_of(const uint32_t* a, int lengthA, const uint32_t* b, int lengthB, int want) {
  int low = want > lengthB ? want - lengthB : 0, high = want < lengthA ? want : lengthA;
  while (low < high) {
    int middle = (low + high) / 2;
    if (a[middle] <= b[want - 1 - middle]) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Pass p merges runs of 1,024 * 2^p keys. Each thread makes two neighbours.
extern "C" __global__ void merge_runs(int n, int pass, const uint32_t* from, uint32_t* to) {
  int run = KEYS << pass;
  for (int k = 2 * threadIdx.x; k < 2 * threadIdx.x + 2; k++) {
    int i = blockIdx.x * KEYS + k;
    if (i >= n) return;
    int start = i / (2 * run) * (2 * run);
    int lengthA = n - start < run ? n - start : run;
    int rest = n - start - lengthA;
    int lengthB = rest < run ? rest : run;
    const uint32_t* a = from + start;
    const uint32_t* b = a + lengthA;
    int taken = share_of(a, lengthA, b, lengthB, i - start);
    int other = i - start - taken;
    bool isA = other >= lengthB || (taken < lengthA && a[taken] <= b[other]);
    to[i] = isA ? a[taken] : b[other];
  }
}
