// One row by one thread: folding, normalising, running sums and the largest few. Rows lie one after the other; a length of
// zero is allowed. Sums go from left to right, which is part of the result.
#include "tensor.h"

#define FOLD(name, type, start, next, result)                                                  \
  KERNEL(name, u32 rows, u32 columns, const type* x, type* y) {                                \
    EACH_ROW(row, rows) {                                                                      \
      type sum = start;                                                                        \
      for (u32 j = 0; j < columns; j++) {                                                      \
        type v = x[(i64)row * columns + j];                                                    \
        sum = next;                                                                            \
      }                                                                                        \
      y[row] = result;                                                                         \
    }                                                                                          \
  }

#define INFINITY64 ogpu::double_of(0x7ff0000000000000ull)

OGPU_INLINE float size_of_float(float v) { return ogpu::magnitude(v); }
OGPU_INLINE float nan_wins_max(float a, float b) { return a != a ? a : b != b ? b : ogpu::larger(a, b); }
OGPU_INLINE float nan_wins_min(float a, float b) { return a != a ? a : b != b ? b : ogpu::smaller(a, b); }

FOLD(rf_Sum, float, 0.0f, sum + v, sum)
FOLD(rf_Mean, float, 0.0f, sum + v, sum / (float)columns)
FOLD(rf_Prod, float, 1.0f, sum * v, sum)
FOLD(rf_SumSquare, float, 0.0f, ogpu::fma(v, v, sum), sum)
FOLD(rf_L1, float, 0.0f, sum + ogpu::magnitude(v), sum)
FOLD(rf_L2, float, 0.0f, ogpu::fma(v, v, sum), ogpu::root(sum))
FOLD(rf_Max, float, -ogpu::infinity(), nan_wins_max(sum, v), sum)
FOLD(rf_Min, float, ogpu::infinity(), nan_wins_min(sum, v), sum)

FOLD(rd_Sum, double, 0.0, sum + v, sum)
FOLD(rd_Mean, double, 0.0, sum + v, sum / (double)columns)
FOLD(rd_Prod, double, 1.0, sum * v, sum)
FOLD(rd_SumSquare, double, 0.0, sum + v * v, sum)
FOLD(rd_L1, double, 0.0, sum + fabs(v), sum)
FOLD(rd_L2, double, 0.0, sum + v * v, ogpu::root(sum))
FOLD(rd_Max, double, -INFINITY64, fmax(sum, v), sum)
FOLD(rd_Min, double, INFINITY64, fmin(sum, v), sum)

#define FOLD_INTEGER(name, start, next, result)                                                \
  KERNEL(ri_##name, u32 rows, u32 columns, int type, const void* x, void* y) {                 \
    EACH_ROW(row, rows) {                                                                      \
      i64 sum = start;                                                                         \
      for (u32 j = 0; j < columns; j++) {                                                      \
        i64 v = load_integer(type, x, (i64)row * columns + j);                                 \
        sum = next;                                                                            \
      }                                                                                        \
      store_integer(type, y, row, result);                                                     \
    }                                                                                          \
  }

// The first of a row, or what an empty one gives.
#define FIRST(otherwise) (columns > 0 ? load_integer(type, x, (i64)row * columns) : (otherwise))

OGPU_INLINE bool below(int type, i64 a, i64 b) { return type == U64 ? (u64)a < (u64)b : a < b; }

OGPU_INLINE i64 lowest(int type) {
  switch (type) {
    case I8: return -128;
    case I16: return -32768;
    case I32: return -2147483648ll;
    case I64: return (i64)0x8000000000000000ull;
    default: return 0;
  }
}

OGPU_INLINE i64 highest(int type) {
  switch (type) {
    case I8: return 127;
    case U8: return 255;
    case I16: return 32767;
    case U16: return 65535;
    case I32: return 2147483647;
    case U32: return 4294967295ll;
    case I64: return 0x7fffffffffffffffll;
    case U64: return -1;
    default: return 1;
  }
}

FOLD_INTEGER(Sum, 0, sum + v, sum)
FOLD_INTEGER(Mean, 0, sum + v, columns == 0 ? 0 : sum / (i64)columns)
FOLD_INTEGER(Prod, 1, sum * v, sum)
FOLD_INTEGER(SumSquare, 0, sum + v * v, sum)
FOLD_INTEGER(L1, 0, sum + (v < 0 ? -v : v), sum)
FOLD_INTEGER(Max, FIRST(lowest(type)), below(type, sum, v) ? v : sum, sum)
FOLD_INTEGER(Min, FIRST(highest(type)), below(type, v, sum) ? v : sum, sum)

// The position of the largest (`sign` 1) or smallest (-1); of equals the first, or the last.
KERNEL(ArgF, u32 rows, u32 columns, float sign, int last, const float* x, i64* y) {
  EACH_ROW(row, rows) {
    float best = 0.0f;
    u32 at = 0;
    for (u32 j = 0; j < columns; j++) {
      float v = x[(i64)row * columns + j] * sign;
      if (j == 0 || v > best || (last != 0 && v == best)) {
        best = v;
        at = j;
      }
    }
    y[row] = at;
  }
}

KERNEL(ArgI, u32 rows, u32 columns, int type, int smallest, int last, const void* x, i64* y) {
  EACH_ROW(row, rows) {
    i64 best = 0;
    u32 at = 0;
    for (u32 j = 0; j < columns; j++) {
      i64 v = load_integer(type, x, (i64)row * columns + j);
      bool better = smallest != 0 ? below(type, v, best) : below(type, best, v);
      if (j == 0 || better || (last != 0 && v == best)) {
        best = v;
        at = j;
      }
    }
    y[row] = at;
  }
}

OGPU_INLINE float largest(const float* x, u32 columns) {
  float most = -ogpu::infinity();
  for (u32 j = 0; j < columns; j++) most = ogpu::larger(most, x[j]);
  return most;
}

KERNEL(Softmax, u32 rows, u32 columns, const float* x, float* y) {
  EACH_ROW(row, rows) {
    const float* from = x + (i64)row * columns;
    float* to = y + (i64)row * columns;
    float most = largest(from, columns), sum = 0.0f;
    for (u32 j = 0; j < columns; j++) {
      float e = ogpu::exp(from[j] - most);
      to[j] = e;
      sum = sum + e;
    }
    for (u32 j = 0; j < columns; j++) to[j] = to[j] / sum;
  }
}

KERNEL(LogSoftmax, u32 rows, u32 columns, const float* x, float* y) {
  EACH_ROW(row, rows) {
    const float* from = x + (i64)row * columns;
    float* to = y + (i64)row * columns;
    float most = largest(from, columns), sum = 0.0f;
    for (u32 j = 0; j < columns; j++) sum = sum + ogpu::exp(from[j] - most);
    float rest = ogpu::log(sum);
    for (u32 j = 0; j < columns; j++) to[j] = (from[j] - most) - rest;
  }
}

KERNEL(LogSumExp, u32 rows, u32 columns, const float* x, float* y) {
  EACH_ROW(row, rows) {
    const float* from = x + (i64)row * columns;
    float most = largest(from, columns), sum = 0.0f;
    // Of nothing, and of nothing but minus infinities, it is minus infinity.
    float start = ogpu::magnitude(most) < ogpu::infinity() ? most : 0.0f;
    for (u32 j = 0; j < columns; j++) sum = sum + ogpu::exp(from[j] - start);
    y[row] = ogpu::log(sum) + start;
  }
}

KERNEL(Hardmax, u32 rows, u32 columns, const float* x, float* y) {
  EACH_ROW(row, rows) {
    const float* from = x + (i64)row * columns;
    u32 at = 0;
    for (u32 j = 1; j < columns; j++) at = from[j] > from[at] ? j : at;
    for (u32 j = 0; j < columns; j++) y[(i64)row * columns + j] = j == at ? 1.0f : 0.0f;
  }
}

// Running sums and products; `exclusive` leaves the element itself out.
#define RUNNING(name, type, start, next)                                                                        \
  KERNEL(name, u32 rows, u32 columns, int exclusive, int reverse, const type* x, type* y) {                     \
    EACH_ROW(row, rows) {                                                                                       \
      type sum = start;                                                                                         \
      for (u32 j = 0; j < columns; j++) {                                                                       \
        i64 at = (i64)row * columns + (reverse != 0 ? columns - 1 - j : j);                                     \
        type v = x[at], before = sum;                                                                           \
        sum = next;                                                                                             \
        y[at] = exclusive != 0 ? before : sum;                                                                  \
      }                                                                                                         \
    }                                                                                                           \
  }

RUNNING(cf_Sum, float, 0.0f, sum + v)
RUNNING(cf_Prod, float, 1.0f, sum * v)
RUNNING(cd_Sum, double, 0.0, sum + v)
RUNNING(cd_Prod, double, 1.0, sum * v)
RUNNING(c32_Sum, u32, 0, sum + v)
RUNNING(c32_Prod, u32, 1, sum * v)
RUNNING(c64_Sum, u64, 0, sum + v)
RUNNING(c64_Prod, u64, 1, sum * v)

// The k best of each row in order, each the best of those behind the one before; of equals the first comes first.
KERNEL(TopKF, u32 rows, u32 columns, u32 k, float sign, const float* x, float* values, i64* indices) {
  EACH_ROW(row, rows) {
    const float* from = x + (i64)row * columns;
    float last = ogpu::infinity();
    i32 lastAt = -1;
    for (u32 rank = 0; rank < k; rank++) {
      float best = 0.0f;
      i32 at = -1;
      for (i32 j = 0; j < (i32)columns; j++) {
        float v = from[j] * sign;
        bool open = rank == 0 || v < last || (v == last && j > lastAt);
        if (open && (at < 0 || v > best)) {
          best = v;
          at = j;
        }
      }
      last = best;
      lastAt = at;
      at = at < 0 ? 0 : at;
      values[(i64)row * k + rank] = from[at];
      indices[(i64)row * k + rank] = at;
    }
  }
}

KERNEL(TopKI, u32 rows, u32 columns, u32 k, int type, int smallest, const void* x, void* values, i64* indices) {
  EACH_ROW(row, rows) {
    i64 start = (i64)row * columns, last = 0;
    i32 lastAt = -1;
    for (u32 rank = 0; rank < k; rank++) {
      i64 best = 0;
      i32 at = -1;
      for (i32 j = 0; j < (i32)columns; j++) {
        i64 v = load_integer(type, x, start + j);
        bool behind = smallest != 0 ? below(type, last, v) : below(type, v, last);
        bool open = rank == 0 || behind || (v == last && j > lastAt);
        bool better = smallest != 0 ? below(type, v, best) : below(type, best, v);
        if (open && (at < 0 || better)) {
          best = v;
          at = j;
        }
      }
      last = best;
      lastAt = at;
      store_integer(type, values, (i64)row * k + rank, best);
      indices[(i64)row * k + rank] = at < 0 ? 0 : at;
    }
  }
}
