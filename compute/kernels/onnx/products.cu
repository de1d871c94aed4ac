// Products of matrices, convolutions, pooling and sampling: one element of the result by one thread, each one chain of
// multiply-adds in the order of the sums.
#include "tensor.h"

OGPU_INLINE float step(float a, float b, float sum) { return ogpu::fma(a, b, sum); }
OGPU_INLINE double step(double a, double b, double sum) { return sum + a * b; }
OGPU_INLINE u32 step(u32 a, u32 b, u32 sum) { return sum + a * b; }
OGPU_INLINE u64 step(u64 a, u64 b, u64 sum) { return sum + a * b; }

// c[batch, i, j] = sum over p of a[batch, i, p] * b[batch, p, j]; the last three of `space` are m, n and 1.
#define MATMUL(name, type)                                                                                         \
  KERNEL(matmul_##name, u32 n, u32 depth, Space space, Steps p, i32 pStep, Steps q, i32 qStep, const type* a,      \
         const type* b, type* c) {                                                                                 \
    EACH_ELEMENT(i, n) {                                                                                           \
      Place place = place_of(i, space);                                                                            \
      const type* x = a + offset_of(place, p);                                                                     \
      const type* y = b + offset_of(place, q);                                                                     \
      type sum = 0;                                                                                                \
      for (u32 k = 0; k < depth; k++) sum = step(x[(i64)k * pStep], y[(i64)k * qStep], sum);                       \
      c[i] = sum;                                                                                                  \
    }                                                                                                              \
  }

MATMUL(f32, float)
MATMUL(f64, double)
MATMUL(i32, u32)
MATMUL(i64, u64)

// Windows over up to three dimensions, outermost first.
struct Window {
  u32 channels, outChannels, group, hasBias;
  u32 in[3], out[3], kernel[3];
  i32 stride[3], dilation[3], before[3];
};

#define CONV(name, type)                                                                                             \
  KERNEL(conv_##name, u32 n, Window w, const type* x, const type* weights, const type* bias, type* y) {              \
    EACH_ELEMENT(i, n) {                                                                                             \
      u32 c = i % w.out[2], rest = i / w.out[2];                                                                     \
      u32 b = rest % w.out[1];                                                                                       \
      rest /= w.out[1];                                                                                              \
      u32 a = rest % w.out[0];                                                                                       \
      rest /= w.out[0];                                                                                              \
      u32 m = rest % w.outChannels, image = rest / w.outChannels;                                                    \
      u32 perGroup = w.channels / w.group, first = m / (w.outChannels / w.group) * perGroup;                         \
      type sum = w.hasBias != 0 ? bias[m] : (type)0;                                                                 \
      for (u32 k = 0; k < perGroup; k++)                                                                             \
        for (u32 p = 0; p < w.kernel[0]; p++)                                                                        \
          for (u32 q = 0; q < w.kernel[1]; q++)                                                                      \
            for (u32 r = 0; r < w.kernel[2]; r++) {                                                                  \
              u32 d = (u32)((i32)a * w.stride[0] - w.before[0] + (i32)p * w.dilation[0]);                            \
              u32 e = (u32)((i32)b * w.stride[1] - w.before[1] + (i32)q * w.dilation[1]);                            \
              u32 f = (u32)((i32)c * w.stride[2] - w.before[2] + (i32)r * w.dilation[2]);                            \
              if (d < w.in[0] && e < w.in[1] && f < w.in[2]) {                                                       \
                i64 from = (((i64)image * w.channels + first + k) * w.in[0] + d) * w.in[1] + e;                      \
                i64 at = (((i64)m * perGroup + k) * w.kernel[0] + p) * w.kernel[1] + q;                              \
                sum = step(x[from * w.in[2] + f], weights[at * w.kernel[2] + r], sum);                               \
              }                                                                                                      \
            }                                                                                                        \
      y[i] = sum;                                                                                                    \
    }                                                                                                                \
  }

CONV(f32, float)
CONV(i32, u32)

// Each element of the result gathers what the transposed convolution would scatter to it.
KERNEL(conv_transpose, u32 n, Window w, const float* x, const float* weights, const float* bias, float* y) {
  EACH_ELEMENT(i, n) {
    u32 c = i % w.out[2], rest = i / w.out[2];
    u32 b = rest % w.out[1];
    rest /= w.out[1];
    u32 a = rest % w.out[0];
    rest /= w.out[0];
    u32 m = rest % w.outChannels, image = rest / w.outChannels;
    u32 perGroup = w.channels / w.group, outPerGroup = w.outChannels / w.group;
    u32 first = m / outPerGroup * perGroup, inGroup = m % outPerGroup;
    float sum = w.hasBias != 0 ? bias[m] : 0.0f;
    for (u32 k = 0; k < perGroup; k++)
      for (u32 p = 0; p < w.kernel[0]; p++)
        for (u32 q = 0; q < w.kernel[1]; q++)
          for (u32 r = 0; r < w.kernel[2]; r++) {
            i32 d = (i32)a + w.before[0] - (i32)p * w.dilation[0];
            i32 e = (i32)b + w.before[1] - (i32)q * w.dilation[1];
            i32 f = (i32)c + w.before[2] - (i32)r * w.dilation[2];
            if (d < 0 || e < 0 || f < 0) continue;
            if (d % w.stride[0] != 0 || e % w.stride[1] != 0 || f % w.stride[2] != 0) continue;
            u32 u = (u32)(d / w.stride[0]), v = (u32)(e / w.stride[1]), t = (u32)(f / w.stride[2]);
            if (u >= w.in[0] || v >= w.in[1] || t >= w.in[2]) continue;
            i64 from = (((i64)image * w.channels + first + k) * w.in[0] + u) * w.in[1] + v;
            i64 at = (((i64)(first + k) * outPerGroup + inGroup) * w.kernel[0] + p) * w.kernel[1] + q;
            sum = ogpu::fma(x[from * w.in[2] + t], weights[at * w.kernel[2] + r], sum);
          }
    y[i] = sum;
  }
}

// Pooling: what lies outside is left out, unless `padded` says how far it counts for an average.
struct Pool {
  u32 in[3], out[3], kernel[3];
  i32 stride[3], dilation[3], before[3];
  i32 after[3];
};

#define EACH_POSITION(body)                                                                     \
  for (u32 p = 0; p < w.kernel[0]; p++)                                                         \
    for (u32 q = 0; q < w.kernel[1]; q++)                                                       \
      for (u32 r = 0; r < w.kernel[2]; r++) {                                                   \
        i32 d = (i32)a * w.stride[0] - w.before[0] + (i32)p * w.dilation[0];                    \
        i32 e = (i32)b * w.stride[1] - w.before[1] + (i32)q * w.dilation[1];                    \
        i32 f = (i32)c * w.stride[2] - w.before[2] + (i32)r * w.dilation[2];                    \
        bool inside = (u32)d < w.in[0] && (u32)e < w.in[1] && (u32)f < w.in[2];                 \
        u32 at = ((u32)d * w.in[1] + (u32)e) * w.in[2] + (u32)f;                                \
        body                                                                                    \
      }

#define POOLED                                     \
  u32 c = i % w.out[2], rest = i / w.out[2];       \
  u32 b = rest % w.out[1];                         \
  rest /= w.out[1];                                \
  u32 a = rest % w.out[0], plane = rest / w.out[0]; \
  u32 volume = w.in[0] * w.in[1] * w.in[2];        \
  const float* from = x + (i64)plane * volume;

// `indices` count all elements of x; with `columnMajor` within a plane along its first dimension first.
KERNEL(pool_max, u32 n, Pool w, int columnMajor, const float* x, float* y, i64* indices) {
  EACH_ELEMENT(i, n) {
    POOLED
    float most = -ogpu::infinity();
    u32 best = 0, found = 0, bd = 0, be = 0, bf = 0;
    EACH_POSITION(
      if (inside) {
        float v = from[at];
        if (found == 0 || v > most) {
          most = v;
          best = at;
          bd = d;
          be = e;
          bf = f;
        }
        found = 1;
      }
    )
    y[i] = most;
    u32 turned = (bf * w.in[1] + be) * w.in[0] + bd;
    indices[i] = (i64)plane * volume + (columnMajor != 0 ? turned : best);
  }
}

KERNEL(pool_average, u32 n, Pool w, int padded, const float* x, float* y) {
  EACH_ELEMENT(i, n) {
    POOLED
    float sum = 0.0f;
    u32 count = 0;
    EACH_POSITION(
      if (inside) sum = sum + from[at];
      bool counted = padded != 0 && d < (i32)w.in[0] + w.after[0] && e < (i32)w.in[1] + w.after[1] && f < (i32)w.in[2] + w.after[2];
      count += inside || counted ? 1 : 0;
    )
    y[i] = count == 0 ? 0.0f : sum / (float)count;
  }
}

KERNEL(pool_lp, u32 n, Pool w, float power, const float* x, float* y) {
  EACH_ELEMENT(i, n) {
    POOLED
    float sum = 0.0f;
    EACH_POSITION(
      if (inside) {
        float v = ogpu::magnitude(from[at]);
        sum = power == 2.0f ? ogpu::fma(v, v, sum) : power == 1.0f ? sum + v : sum + ogpu::pow(v, power);
      }
    )
    y[i] = power == 2.0f ? ogpu::root(sum) : power == 1.0f ? sum : ogpu::pow(sum, 1.0f / power);
  }
}

// y[outer, o, inner] = sum over t of weights[o, t] * x[outer, at[o, t], inner]: resizing along one dimension.
KERNEL(taps, u32 n, u32 size, u32 count, u32 inner, u32 taps, const i32* at, const float* weights, const float* x, float* y) {
  EACH_ELEMENT(i, n) {
    u32 row = i / inner, outer = row / count, o = row % count;
    float sum = 0.0f;
    for (u32 t = 0; t < taps; t++) {
      float weight = weights[o * taps + t];
      if (weight != 0.0f) sum = ogpu::fma(weight, x[((i64)outer * size + at[o * taps + t]) * inner + i % inner], sum);
    }
    y[i] = sum;
  }
}

// What the columns of windows add up to: each element gathers from every window that covers it.
KERNEL(col2im, u32 n, Window w, u32 blocks, const float* x, float* y) {
  EACH_ELEMENT(i, n) {
    u32 c = i % w.in[2], rest = i / w.in[2];
    u32 b = rest % w.in[1];
    rest /= w.in[1];
    u32 a = rest % w.in[0], plane = rest / w.in[0];
    u32 taps = w.kernel[0] * w.kernel[1] * w.kernel[2];
    float sum = 0.0f;
    for (u32 p = 0; p < w.kernel[0]; p++)
      for (u32 q = 0; q < w.kernel[1]; q++)
        for (u32 r = 0; r < w.kernel[2]; r++) {
          i32 d = (i32)a + w.before[0] - (i32)p * w.dilation[0];
          i32 e = (i32)b + w.before[1] - (i32)q * w.dilation[1];
          i32 f = (i32)c + w.before[2] - (i32)r * w.dilation[2];
          if (d < 0 || e < 0 || f < 0) continue;
          if (d % w.stride[0] != 0 || e % w.stride[1] != 0 || f % w.stride[2] != 0) continue;
          u32 u = (u32)(d / w.stride[0]), v = (u32)(e / w.stride[1]), t = (u32)(f / w.stride[2]);
          if (u >= w.out[0] || v >= w.out[1] || t >= w.out[2]) continue;
          u32 tap = (p * w.kernel[1] + q) * w.kernel[2] + r;
          sum = sum + x[((i64)plane * taps + tap) * blocks + (u * w.out[1] + v) * w.out[2] + t];
        }
    y[i] = sum;
  }
}

#define MOST_ROWS 16

// The determinant of each matrix of up to 16 rows, by elimination in double precision.
KERNEL(Det, u32 rows, u32 m, const float* x, float* y) {
  EACH_ROW(row, rows) {
    double a[MOST_ROWS * MOST_ROWS];
    for (u32 j = 0; j < m * m; j++) a[j] = x[(i64)row * m * m + j];
    double det = 1.0;
    for (u32 k = 0; k < m; k++) {
      u32 best = k;
      for (u32 j = k + 1; j < m; j++) best = fabs(a[j * m + k]) > fabs(a[best * m + k]) ? j : best;
      double pivot = a[best * m + k];
      if (best != k) det = -det;
      for (u32 j = 0; j < m; j++) {
        double swapped = a[best * m + j];
        a[best * m + j] = a[k * m + j];
        a[k * m + j] = swapped;
      }
      det = det * pivot;
      for (u32 i = k + 1; pivot != 0.0 && i < m; i++) {
        double factor = a[i * m + k] / pivot;
        for (u32 j = k; j < m; j++) a[i * m + j] = a[i * m + j] - factor * a[k * m + j];
      }
    }
    y[row] = ogpu::nearest(det);
  }
}

struct Grid {
  u32 channels;
  u32 in[3];
  u32 points;
  // 2 or 3; 0 nearest, 1 linear, 2 cubic; 0 zeros, 1 border, 2 reflection.
  i32 rank, mode, padding, alignCorners;
};

OGPU_INLINE float reflected(float x, float low, float high) {
  float range = high - low;
  if (x < low) {
    float gap = low - x;
    i32 turns = (i32)(gap / range);
    float rest = gap - (float)turns * range;
    return (turns & 1) == 0 ? low + rest : high - rest;
  }
  if (x > high) {
    float gap = x - high;
    i32 turns = (i32)(gap / range);
    float rest = gap - (float)turns * range;
    return (turns & 1) == 0 ? high - rest : low + rest;
  }
  return x;
}

// The position of a pixel that may lie outside; -1 for none.
OGPU_INLINE i32 pixel(float at, u32 size, const Grid& g) {
  float low = g.alignCorners != 0 ? 0.0f : -0.5f;
  float high = g.alignCorners != 0 ? (float)size - 1.0f : (float)size - 0.5f;
  if (g.padding == 2) at = size == 1 ? 0.0f : reflected(at, low, high);
  i32 place = (i32)at;
  if (g.padding == 1) return place < 0 ? 0 : place >= (i32)size ? (i32)size - 1 : place;
  return at < 0.0f || place >= (i32)size ? -1 : place;
}

OGPU_INLINE float source(float x, u32 size, const Grid& g) {
  float at = g.alignCorners != 0 ? (x + 1.0f) * 0.5f * ((float)size - 1.0f) : ((x + 1.0f) * (float)size - 1.0f) * 0.5f;
  if (g.mode == 0) at = rintf(at);
  float low = g.alignCorners != 0 ? 0.0f : -0.5f;
  float high = g.alignCorners != 0 ? (float)size - 1.0f : (float)size - 0.5f;
  if (at < low || at > high) {
    if (g.padding == 1) at = ogpu::smaller(ogpu::larger(at, 0.0f), (float)size - 1.0f);
    if (g.padding == 2) at = size == 1 ? 0.0f : reflected(at, low, high);
  }
  return at;
}

// Tap t of the interpolation at `part` between two pixels.
OGPU_INLINE float tap_weight(float part, u32 t, int mode) {
  if (mode == 0) return 1.0f;
  if (mode == 1) return t == 0 ? 1.0f - part : part;
  const float a = -0.75f;
  float x = t == 0 ? part + 1.0f : t == 1 ? part : t == 2 ? 1.0f - part : 2.0f - part;
  if (t == 1 || t == 2) return ((a + 2.0f) * x - (a + 3.0f)) * x * x + 1.0f;
  return ((a * x - 5.0f * a) * x + 8.0f * a) * x - 4.0f * a;
}

// y[image, channel, point] from the place in x that the grid names, its coordinates innermost dimension first.
KERNEL(grid_sample, u32 n, Grid g, const float* x, const float* grid, float* y) {
  EACH_ELEMENT(i, n) {
    u32 point = i % g.points, plane = i / g.points, image = plane / g.channels;
    const float* at = grid + ((i64)image * g.points + point) * g.rank;
    const float* from = x + (i64)plane * g.in[0] * g.in[1] * g.in[2];
    float w = source(at[0], g.in[2], g), h = source(at[1], g.in[1], g), d = 0.0f;
    if (g.rank == 3) d = source(at[2], g.in[0], g);
    u32 taps = g.mode == 0 ? 1 : g.mode == 1 ? 2 : 4;
    u32 deep = g.rank == 3 ? taps : 1;
    float back = g.mode == 2 ? 1.0f : 0.0f;
    float w0 = g.mode == 0 ? w : floorf(w), h0 = g.mode == 0 ? h : floorf(h), d0 = g.mode == 0 ? d : floorf(d);
    float sum = 0.0f;
    for (u32 p = 0; p < deep; p++)
      for (u32 q = 0; q < taps; q++)
        for (u32 r = 0; r < taps; r++) {
          i32 u = g.rank == 3 ? pixel(d0 - back + (float)p, g.in[0], g) : 0;
          i32 v = pixel(h0 - back + (float)q, g.in[1], g), t = pixel(w0 - back + (float)r, g.in[2], g);
          if (u < 0 || v < 0 || t < 0) continue;
          float weight = tap_weight(h - h0, q, g.mode) * tap_weight(w - w0, r, g.mode);
          if (g.rank == 3) weight = weight * tap_weight(d - d0, p, g.mode);
          sum = ogpu::fma(weight, from[((i64)u * g.in[1] + v) * g.in[2] + t], sum);
        }
    y[i] = sum;
  }
}
