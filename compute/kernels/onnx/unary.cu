// y = f(x), one element at a time; `a` and `b` are what the operator's attributes say.
#include "tensor.h"

namespace op {
using namespace ogpu;

OGPU_INLINE float sign(float v) { return is_nan(v) ? v : v > 0.0f ? 1.0f : v < 0.0f ? -1.0f : v; }
OGPU_INLINE float floor(float v) { return floorf(v); }
OGPU_INLINE float ceil(float v) { return ceilf(v); }
OGPU_INLINE float round(float v) { return rintf(v); }
OGPU_INLINE float elu(float v, float a) { return v > 0.0f ? v : mul(a, ogpu::expm1(v)); }
OGPU_INLINE float gelu(float v) { return mul(mul(v, 0.5f), add(1.0f, ogpu::erf(mul(v, 0x1.6a09e6p-1f)))); }
// With the hyperbolic tangent instead of the error function.
OGPU_INLINE float gelu_near(float v) {
  float inner = mul(0x1.988454p-1f, ogpu::fma(mul(mul(v, v), v), 0x1.6e4e26p-5f, v));
  return mul(mul(v, 0.5f), add(1.0f, ogpu::tanh(inner)));
}
OGPU_INLINE float shrink(float v, float a, float b) { return v < -a ? add(v, b) : v > a ? sub(v, b) : 0.0f; }
OGPU_INLINE float hard_sigmoid(float v, float a, float b) { return larger(0.0f, smaller(1.0f, add(mul(a, v), b))); }
OGPU_INLINE float mish(float v) { return mul(v, ogpu::tanh(softplus(v))); }
}  // namespace op

#define UNARY(name, value)                                                   \
  KERNEL(u_##name, u32 n, float a, float b, const float* x, float* y) {      \
    EACH_ELEMENT(i, n) {                                                     \
      float v = x[i];                                                        \
      y[i] = value;                                                          \
    }                                                                        \
  }

UNARY(Abs, ogpu::magnitude(v))
UNARY(Neg, ogpu::negative(v))
UNARY(Sign, op::sign(v))
UNARY(Reciprocal, ogpu::div(1.0f, v))
UNARY(Sqrt, ogpu::root(v))
UNARY(Exp, ogpu::exp(v))
UNARY(Log, ogpu::log(v))
UNARY(Tanh, ogpu::tanh(v))
UNARY(Erf, ogpu::erf(v))
UNARY(Sigmoid, ogpu::sigmoid(v))
UNARY(Relu, ogpu::larger(v, 0.0f))
UNARY(LeakyRelu, v < 0.0f ? ogpu::mul(a, v) : v)
UNARY(Elu, op::elu(v, a))
UNARY(Celu, v > 0.0f ? v : ogpu::mul(a, ogpu::expm1(ogpu::div(v, a))))
UNARY(Selu, ogpu::mul(b, v > 0.0f ? v : ogpu::mul(a, ogpu::expm1(v))))
UNARY(Gelu, op::gelu(v))
UNARY(GeluNear, op::gelu_near(v))
UNARY(Mish, op::mish(v))
UNARY(Swish, ogpu::mul(v, ogpu::sigmoid(ogpu::mul(a, v))))
UNARY(HardSigmoid, op::hard_sigmoid(v, a, b))
UNARY(HardSwish, ogpu::mul(v, op::hard_sigmoid(v, 0x1.555556p-3f, 0.5f)))
UNARY(Softplus, ogpu::softplus(v))
UNARY(Softsign, ogpu::div(v, ogpu::add(1.0f, ogpu::magnitude(v))))
UNARY(ThresholdedRelu, v > a ? v : 0.0f)
UNARY(Shrink, op::shrink(v, a, b))
UNARY(Floor, op::floor(v))
UNARY(Ceil, op::ceil(v))
UNARY(Round, op::round(v))
UNARY(Sin, ogpu::sin(v))
UNARY(Cos, ogpu::cos(v))
UNARY(Tan, ogpu::tan(v))
UNARY(Asin, ogpu::asin(v))
UNARY(Acos, ogpu::acos(v))
UNARY(Atan, ogpu::atan(v))
UNARY(Sinh, ogpu::sinh(v))
UNARY(Cosh, ogpu::cosh(v))
UNARY(Asinh, ogpu::asinh(v))
UNARY(Acosh, ogpu::acosh(v))
UNARY(Atanh, ogpu::atanh(v))

#define UNARY_DOUBLE(name, value)                                  \
  KERNEL(ud_##name, u32 n, const double* x, double* y) {           \
    EACH_ELEMENT(i, n) {                                           \
      double v = x[i];                                             \
      y[i] = value;                                                \
    }                                                              \
  }

OGPU_INLINE double double_exp(double v) {
  if (v != v) return v + v;
  if (v > 709.0) return v > 709.78 ? ogpu::double_of(0x7ff0000000000000ull) : ogpu::wide_exp(v - 1.0) * 0x1.5bf0a8b145769p+1;
  return v < -700.0 ? (v < -746.0 ? 0.0 : ogpu::wide_exp(v + 100.0) * 0x1.a8c1f14e2af5dp-145) : ogpu::wide_exp(v);
}

OGPU_INLINE double double_log(double v) {
  if (!(v >= 0.0)) return ogpu::double_of(0x7fffffffffffffffull);
  if (v == 0.0) return ogpu::double_of(0xfff0000000000000ull);
  if (v == ogpu::double_of(0x7ff0000000000000ull)) return v;
  return v < 0x1p-1022 ? ogpu::wide_log(v * 0x1p+54) - 0x1.2b708872320e2p+5 : ogpu::wide_log(v);
}

UNARY_DOUBLE(Abs, fabs(v))
UNARY_DOUBLE(Neg, -v)
UNARY_DOUBLE(Sign, v > 0.0 ? 1.0 : v < 0.0 ? -1.0 : v)
UNARY_DOUBLE(Reciprocal, 1.0 / v)
UNARY_DOUBLE(Sqrt, ogpu::root(v))
UNARY_DOUBLE(Floor, floor(v))
UNARY_DOUBLE(Ceil, ceil(v))
UNARY_DOUBLE(Round, rint(v))
UNARY_DOUBLE(Relu, fmax(v, 0.0))
UNARY_DOUBLE(Exp, double_exp(v))
UNARY_DOUBLE(Log, double_log(v))

#define UNARY_INTEGER(name, value)                                       \
  KERNEL(ui_##name, u32 n, int type, const void* x, void* y) {           \
    EACH_ELEMENT(i, n) {                                                 \
      i64 v = load_integer(type, x, i);                                  \
      store_integer(type, y, i, value);                                  \
    }                                                                    \
  }

UNARY_INTEGER(Abs, type == U64 || v >= 0 ? v : -v)
UNARY_INTEGER(Neg, -v)
UNARY_INTEGER(Sign, v == 0 ? 0 : type == U64 || v > 0 ? 1 : -1)
UNARY_INTEGER(Relu, type == U64 || v > 0 ? v : 0)
UNARY_INTEGER(BitwiseNot, ~v)
UNARY_INTEGER(Not, v == 0 ? 1 : 0)

KERNEL(IsNaN, u32 n, const float* x, u8* y) { EACH_ELEMENT(i, n) y[i] = x[i] != x[i] ? 1 : 0; }

KERNEL(IsInf, u32 n, int positive, int negative, const float* x, u8* y) {
  EACH_ELEMENT(i, n) {
    float v = x[i];
    y[i] = (positive != 0 && v == ogpu::infinity()) || (negative != 0 && v == -ogpu::infinity()) ? 1 : 0;
  }
}

// To f16 with one rounding: the float keeps in its last bit whether anything was lost.
OGPU_INLINE u16 double_to_half(double value) {
  float near = (float)value;
  double back = (double)near;
  u32 bits = ogpu::bits_of(near);
  if (back != value && value == value && (bits & 0x7fffffffu) < 0x7f800000u && (bits & 1) == 0)
    bits += (back < value) == (value > 0.0) ? 1 : -1;
  return float_to_half(ogpu::float_of(bits));
}

OGPU_INLINE double load_float(int type, const void* x, u32 i) {
  if (type == F32) return (double)((const float*)x)[i];
  if (type == F64) return ((const double*)x)[i];
  return (double)half_to_float(((const u16*)x)[i]);
}

// NaNs are written as NumPy has them, bit by bit: the tests of ONNX compare them so.
KERNEL(Cast, u32 n, int from, int to, const void* x, void* y) {
  EACH_ELEMENT(i, n) {
    bool floating = from <= F16;
    double value = 0.0;
    i64 whole = 0;
    if (floating) value = load_float(from, x, i);
    else whole = load_integer(from, x, i);
    if (to > F16) {
      if (to == BOOL) whole = (floating ? value != 0.0 : whole != 0) ? 1 : 0;
      else if (floating) whole = to == U64 ? (i64)(u64)value : (i64)value;
      store_integer(to, y, i, whole);
    } else if (floating && value != value) {
      if (to == F64) ((u64*)y)[i] = 0x7ff8000000000000ull;
      else if (to == F32) ((u32*)y)[i] = 0x7fc00000u;
      else ((u16*)y)[i] = 0x7e00;
    } else if (to == F64) {
      ((double*)y)[i] = floating ? value : from == U64 ? (double)(u64)whole : (double)whole;
    } else if (to == F32) {
      ((float*)y)[i] = floating ? (float)value : from == U64 ? (float)(u64)whole : (float)whole;
    } else {
      ((u16*)y)[i] = double_to_half(floating ? value : from == U64 ? (double)(u64)whole : (double)whole);
    }
  }
}

// Limited to the range of a narrow integer: what `saturate` and quantisation need.
KERNEL(CastClamped, u32 n, int to, float low, float high, const float* x, void* y) {
  EACH_ELEMENT(i, n) store_integer(to, y, i, (i64)ogpu::smaller(ogpu::larger(x[i], low), high));
}
