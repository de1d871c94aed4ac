// Every function of compute/include, over an array.
#include "../../../../compute/include/ogpu-math.h"

#define FUNCTION(name)                                                  \
  extern "C" __global__ void f_##name(int n, const float* x, float* y) { \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                      \
    if (i < n) y[i] = ogpu::name(x[i]);                                 \
  }

FUNCTION(exp)
FUNCTION(log)
FUNCTION(tanh)
FUNCTION(erf)
FUNCTION(sigmoid)
FUNCTION(sin)
FUNCTION(cos)
FUNCTION(tan)
FUNCTION(asin)
FUNCTION(acos)
FUNCTION(atan)
FUNCTION(sinh)
FUNCTION(cosh)
FUNCTION(asinh)
FUNCTION(acosh)
FUNCTION(atanh)
FUNCTION(expm1)
FUNCTION(log1p)
FUNCTION(exp2)
FUNCTION(log2)
FUNCTION(log10)
FUNCTION(rsqrt)
FUNCTION(softplus)

extern "C" __global__ void f_pow(int n, const float* x, const float* y, float* z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = ogpu::pow(x[i], y[i]);
}
