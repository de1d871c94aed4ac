// z = f(x, y), either of which may be repeated along any dimension.
#include "tensor.h"

#define BINARY(prefix, type, result, name, value)                                                              \
  KERNEL(prefix##_##name, u32 n, Space space, Steps p, Steps q, const type* x, const type* y, result* z) {     \
    EACH_ELEMENT(i, n) {                                                                                       \
      Place place = place_of(i, space);                                                                        \
      type a = x[offset_of(place, p)], b = y[offset_of(place, q)];                                             \
      z[i] = value;                                                                                            \
    }                                                                                                          \
  }

// A NaN wins, as in NumPy.
OGPU_INLINE float least(float a, float b) { return a != a || b != b ? ogpu::not_a_number() : ogpu::smaller(a, b); }
OGPU_INLINE float most(float a, float b) { return a != a || b != b ? ogpu::not_a_number() : ogpu::larger(a, b); }
OGPU_INLINE double least(double a, double b) { return a != a || b != b ? a + b : fmin(a, b); }
OGPU_INLINE double most(double a, double b) { return a != a || b != b ? a + b : fmax(a, b); }

// The exact remainder with the sign of a, by long division.
OGPU_INLINE double exact_remainder(double a, double b) {
  u64 x = ogpu::bits_of(a), y = ogpu::bits_of(b);
  u64 sign = x & 0x8000000000000000ull;
  x ^= sign;
  y &= 0x7fffffffffffffffull;
  if (y == 0 || x >= 0x7ff0000000000000ull || y > 0x7ff0000000000000ull) return ogpu::double_of(0x7fffffffffffffffull);
  if (x < y || y == 0x7ff0000000000000ull) return a;
  int ex = (int)(x >> 52), ey = (int)(y >> 52);
  u64 mx = x & 0xfffffffffffffull, my = y & 0xfffffffffffffull;
  if (ex == 0) ex = 1; else mx |= 0x10000000000000ull;
  if (ey == 0) ey = 1; else my |= 0x10000000000000ull;
  for (; ex > ey; ex--) {
    if (mx >= my) mx -= my;
    mx <<= 1;
  }
  if (mx >= my) mx -= my;
  if (mx == 0) return ogpu::double_of(sign);
  while (mx < 0x10000000000000ull && ex > 1) {
    mx <<= 1;
    ex--;
  }
  u64 bits = mx >= 0x10000000000000ull ? (mx - 0x10000000000000ull) | ((u64)ex << 52) : mx;
  return ogpu::double_of(bits | sign);
}

#define FLOATS(prefix, type)                                \
  BINARY(prefix, type, u8, Equal, a == b ? 1 : 0)           \
  BINARY(prefix, type, u8, Less, a < b ? 1 : 0)             \
  BINARY(prefix, type, u8, LessOrEqual, a <= b ? 1 : 0)     \
  BINARY(prefix, type, u8, Greater, a > b ? 1 : 0)          \
  BINARY(prefix, type, u8, GreaterOrEqual, a >= b ? 1 : 0)  \
  BINARY(prefix, type, type, Add, a + b)                    \
  BINARY(prefix, type, type, Sub, a - b)                    \
  BINARY(prefix, type, type, Mul, a * b)                    \
  BINARY(prefix, type, type, Div, a / b)                    \
  BINARY(prefix, type, type, Min, least(a, b))              \
  BINARY(prefix, type, type, Max, most(a, b))               \
  BINARY(prefix, type, type, Fmod, (type)exact_remainder((double)a, (double)b))

FLOATS(bf, float)
FLOATS(bd, double)
BINARY(bf, float, float, Pow, ogpu::pow(a, b))
BINARY(bf, float, float, PRelu, a < 0.0f ? ogpu::mul(a, b) : a)

// Doubles that leave the range of the float function are out of its reach; the rest is right to 14 digits.
BINARY(bd, double, double, Pow, b == 0.0 ? 1.0 : (a > 0.0 ? ogpu::wide_exp(b * ogpu::wide_log(a)) : (double)ogpu::pow((float)a, (float)b)))

OGPU_INLINE bool is_less(int type, i64 a, i64 b) { return type == U64 ? (u64)a < (u64)b : a < b; }

OGPU_INLINE i64 quotient(int type, i64 a, i64 b) {
  if (b == 0) return 0;
  if (type == U64) return (i64)((u64)a / (u64)b);
  return b == -1 ? (i64)(0 - (u64)a) : a / b;
}

// Python's: the sign of the divisor.
OGPU_INLINE i64 modulo(int type, i64 a, i64 b) {
  if (b == 0 || (type != U64 && b == -1)) return 0;
  if (type == U64) return (i64)((u64)a % (u64)b);
  i64 rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

OGPU_INLINE i64 remainder_of(int type, i64 a, i64 b) {
  return b == 0 || (type != U64 && b == -1) ? 0 : type == U64 ? (i64)((u64)a % (u64)b) : a % b;
}

OGPU_INLINE i64 power(i64 base, i64 exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? ((exponent & 1) != 0 ? -1 : 1) : 0;
  u64 result = 1, factor = (u64)base;
  for (u64 rest = (u64)exponent; rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) result *= factor;
    factor *= factor;
  }
  return (i64)result;
}

#define INTEGERS(name, result, value)                                                                               \
  KERNEL(bi_##name, u32 n, int type, Space space, Steps p, Steps q, const void* x, const void* y, void* z) {        \
    EACH_ELEMENT(i, n) {                                                                                            \
      Place place = place_of(i, space);                                                                             \
      i64 a = load_integer(type, x, offset_of(place, p)), b = load_integer(type, y, offset_of(place, q));           \
      store_integer(result, z, i, value);                                                                           \
    }                                                                                                               \
  }

INTEGERS(Add, type, (i64)((u64)a + (u64)b))
INTEGERS(Sub, type, (i64)((u64)a - (u64)b))
INTEGERS(Mul, type, (i64)((u64)a * (u64)b))
INTEGERS(Div, type, quotient(type, a, b))
INTEGERS(Mod, type, modulo(type, a, b))
INTEGERS(Fmod, type, remainder_of(type, a, b))
INTEGERS(Pow, type, power(a, b))
INTEGERS(Min, type, is_less(type, b, a) ? b : a)
INTEGERS(Max, type, is_less(type, a, b) ? b : a)
INTEGERS(BitwiseAnd, type, a & b)
INTEGERS(BitwiseOr, type, a | b)
INTEGERS(BitwiseXor, type, a ^ b)
INTEGERS(ShiftLeft, type, (u64)b < 64 ? (i64)((u64)a << b) : 0)
INTEGERS(ShiftRight, type, (u64)b < 64 ? (i64)((u64)a >> b) : 0)
INTEGERS(And, BOOL, a != 0 && b != 0 ? 1 : 0)
INTEGERS(Or, BOOL, a != 0 || b != 0 ? 1 : 0)
INTEGERS(Xor, BOOL, (a != 0) != (b != 0) ? 1 : 0)
INTEGERS(Equal, BOOL, a == b ? 1 : 0)
INTEGERS(Less, BOOL, is_less(type, a, b) ? 1 : 0)
INTEGERS(LessOrEqual, BOOL, is_less(type, b, a) ? 0 : 1)
INTEGERS(Greater, BOOL, is_less(type, b, a) ? 1 : 0)
INTEGERS(GreaterOrEqual, BOOL, is_less(type, a, b) ? 0 : 1)
