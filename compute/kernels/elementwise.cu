// One element at a time: y = f(x), and z = f(x, y) where x and y may be repeated: element i takes x[i / xEach % xCount],
// which covers numbers, rows, columns and channels.
#include "ieee-math.h"
#include "loops.h"

#define UNARY(name, value)                                                            \
  OGPU_KERNEL(name, 256, int n, const float* __restrict__ x, float* __restrict__ y) { \
    ogpu::each_element(n, blockIdx.x, [&](int i) {                                    \
      float v = x[i];                                                                 \
      y[i] = value;                                                                   \
    });                                                                               \
  }

UNARY(negate, ogpu::negative(v))
UNARY(absolute, ogpu::magnitude(v))
UNARY(reciprocal, ogpu::div(1.0f, v))
UNARY(square_root, ogpu::root(v))
UNARY(relu, ogpu::larger(v, 0.0f))
UNARY(exponential, ogpu::exp(v))
UNARY(logarithm, ogpu::log(v))
UNARY(hyperbolic_tangent, ogpu::tanh(v))
UNARY(error_function, ogpu::erf(v))
UNARY(sigmoid, ogpu::sigmoid(v))
// x / 2 * (1 + erf(x / sqrt(2))).
UNARY(gelu, ogpu::mul(ogpu::mul(v, 0.5f), ogpu::add(1.0f, ogpu::erf(ogpu::mul(v, 0x1.6a09e6p-1f)))))

#define BINARY(name, value)                                                                                  \
  OGPU_KERNEL(name, 256, int n, int xEach, int xCount, int yEach, int yCount, const float* __restrict__ x,   \
              const float* __restrict__ y, float* __restrict__ z) {                                          \
    if (xEach == 1 && xCount >= n && yEach == 1 && yCount >= n) {                                            \
      ogpu::each_element(n, blockIdx.x, [&](int i) {                                                         \
        float a = x[i], b = y[i];                                                                            \
        z[i] = value;                                                                                        \
      });                                                                                                    \
    } else {                                                                                                 \
      ogpu::Repeated p{(uint32_t)xEach, (uint32_t)xCount}, q{(uint32_t)yEach, (uint32_t)yCount};             \
      ogpu::each_pair(n, blockIdx.x, p, q, [&](int64_t i, auto u, auto v) {                                  \
        float a = x[u], b = y[v];                                                                            \
        z[i] = value;                                                                                        \
      });                                                                                                    \
    }                                                                                                        \
  }

BINARY(add, ogpu::add(a, b))
BINARY(subtract, ogpu::sub(a, b))
BINARY(multiply, ogpu::mul(a, b))
BINARY(divide, ogpu::div(a, b))
BINARY(minimum, ogpu::smaller(a, b))
BINARY(maximum, ogpu::larger(a, b))
