// Device functions that stay functions, and a switch that becomes a jump table.

struct Pair {
  float x, y;
  int place;
};

__device__ __noinline__ float repeated(float value, int count) {
  float sum = 0;
  for (int i = 0; i < count; i++) sum = __fadd_rn(sum, value);
  return sum;
}

__device__ __noinline__ Pair moved(Pair pair, const float *from, signed char step, bool flag) {
  pair.x = __fadd_rn(pair.x, from[pair.place]);
  if (flag) pair.y = (float)step;
  pair.place = (pair.place + step) & 3;
  return pair;
}

__device__ __noinline__ void put(float *to, int at, float value) {
  if (at & 1) return;
  to[at] = value;
}

__device__ __noinline__ double scratch(const float *from, int count) {
  double held[8];
  for (int i = 0; i < 8; i++) held[i] = from[i];
  for (int i = 0; i < count; i++) held[(i * 3) & 7] = __dadd_rn(held[i & 7], held[(i + count) & 7]);
  return held[count & 7];
}

extern "C" __global__ void functions(const float *a, float *b, int n) {
  int t = threadIdx.x;
  Pair pair = {a[t], 2.0f, t & 3};
  pair = moved(pair, a, (signed char)n, n > 3);
  pair = moved(pair, a + 4, (signed char)(n + 1), n > 4);
  float value = __fadd_rn(repeated(pair.x, n), pair.y);
  if (t > 5) value = repeated(value, 2);
  b[t] = value;
  put(b, t, __double2float_rn(scratch(a, n + (t & 3))));
}

// Each case touches memory differently, so that the compiler cannot make a table of values of it.
extern "C" __global__ void cases(const int *a, int *b, int n) {
  int t = threadIdx.x;
  int x = a[t];
  switch (x) {
    case 0: b[t] = n * 3; break;
    case 1: b[t] = n ^ 77; break;
    case 2: b[t] = a[t] + a[0]; break;
    case 3: b[t] = n / 7; break;
    case 4: for (int i = 0; i < n; i++) b[t] += i * t; break;
    case 5: b[t] = __popc(n); break;
    case 6: b[t] = n << 3; // falls through
    case 7: b[t] += n * n; break;
    case 8: b[t] = n % 9; break;
    case 9: b[t] = __clz(n); break;
    case 10: b[t] = __brev(n); break;
    case 11: b[t] = min(n, t); break;
    default: b[t] = -1;
  }
}
