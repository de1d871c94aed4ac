// One row at a time, by one warp: sums and extremes, softmax, and normalisation.
#include "ieee-math.h"
#include "loops.h"

// A row of x is every `inner`-th element, so that any axis can be folded. y has one element per row.
#define REDUCE(name, start, next, joined, result)                                                            \
  OGPU_KERNEL(name, 256, int rows, int columns, int inner, const float* __restrict__ x, float* __restrict__ y) { \
    ogpu::each_row(rows, blockIdx.x, [&](long long row) {                                                    \
      const float* from = x + row / inner * columns * inner + row % inner;                                   \
      float all = inner == 1 ? ogpu::fold_columns(                                                           \
                                   columns, start,                                                           \
                                   [&](float sum, int column) {                                              \
                                     float v = from[column];                                                 \
                                     return next;                                                            \
                                   },                                                                        \
                                   [](float a, float b) { return joined; })                                  \
                             : ogpu::fold_columns(                                                           \
                                   columns, start,                                                           \
                                   [&](float sum, int column) {                                              \
                                     float v = from[(long long)column * inner];                              \
                                     return next;                                                            \
                                   },                                                                        \
                                   [](float a, float b) { return joined; });                                 \
      ogpu::one_lane([&]() { y[row] = result; });                                                            \
    });                                                                                                      \
  }

REDUCE(reduce_sum, 0.0f, ogpu::add(sum, v), ogpu::add(a, b), all)
REDUCE(reduce_mean, 0.0f, ogpu::add(sum, v), ogpu::add(a, b), ogpu::div(all, (float)columns))
REDUCE(reduce_sum_square, 0.0f, ogpu::fma(v, v, sum), ogpu::add(a, b), all)
REDUCE(reduce_product, 1.0f, ogpu::mul(sum, v), ogpu::mul(a, b), all)
REDUCE(reduce_max, -ogpu::infinity(), ogpu::larger(sum, v), ogpu::larger(a, b), all)
REDUCE(reduce_min, ogpu::infinity(), ogpu::smaller(sum, v), ogpu::smaller(a, b), all)

OGPU_KERNEL(softmax, 256, int rows, int columns, const float* __restrict__ x, float* __restrict__ y) {
  ogpu::each_row(rows, blockIdx.x, [&](long long row) {
    const float* from = x + row * columns;
    float* to = y + row * columns;
    float most = ogpu::fold_columns(
        columns, -ogpu::infinity(), [&](float sum, int column) { return ogpu::larger(sum, from[column]); },
        [](float a, float b) { return ogpu::larger(a, b); });
    ogpu::each_column(columns, [&](int column) { to[column] = ogpu::exp(ogpu::sub(from[column], most)); });
    float sum = ogpu::fold_columns(
        columns, 0.0f, [&](float part, int column) { return ogpu::add(part, to[column]); },
        [](float a, float b) { return ogpu::add(a, b); });
    ogpu::each_column(columns, [&](int column) { to[column] = ogpu::div(to[column], sum); });
  });
}

OGPU_KERNEL(layer_norm, 256, int rows, int columns, float epsilon, const float* __restrict__ x,
            const float* __restrict__ scale, const float* __restrict__ bias, float* __restrict__ y) {
  ogpu::each_row(rows, blockIdx.x, [&](long long row) {
    const float* from = x + row * columns;
    float* to = y + row * columns;
    auto join = [](float a, float b) { return ogpu::add(a, b); };
    float mean = ogpu::div(
        ogpu::fold_columns(columns, 0.0f, [&](float sum, int column) { return ogpu::add(sum, from[column]); }, join),
        (float)columns);
    float variance = ogpu::div(ogpu::fold_columns(
                                   columns, 0.0f,
                                   [&](float sum, int column) {
                                     float gap = ogpu::sub(from[column], mean);
                                     return ogpu::fma(gap, gap, sum);
                                   },
                                   join),
                               (float)columns);
    float factor = ogpu::div(1.0f, ogpu::root(ogpu::add(variance, epsilon)));
    ogpu::each_column(columns, [&](int column) {
      to[column] = ogpu::fma(ogpu::mul(ogpu::sub(from[column], mean), factor), scale[column], bias[column]);
    });
  });
}

OGPU_KERNEL(rms_norm, 256, int rows, int columns, float epsilon, const float* __restrict__ x,
            const float* __restrict__ scale, float* __restrict__ y) {
  ogpu::each_row(rows, blockIdx.x, [&](long long row) {
    const float* from = x + row * columns;
    float* to = y + row * columns;
    float squares = ogpu::fold_columns(
        columns, 0.0f, [&](float sum, int column) { return ogpu::fma(from[column], from[column], sum); },
        [](float a, float b) { return ogpu::add(a, b); });
    float mean = ogpu::div(squares, (float)columns);
    float factor = ogpu::div(1.0f, ogpu::root(ogpu::add(mean, epsilon)));
    ogpu::each_column(columns,
                      [&](int column) { to[column] = ogpu::mul(ogpu::mul(from[column], factor), scale[column]); });
  });
}
