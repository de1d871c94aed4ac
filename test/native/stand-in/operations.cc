// What each instruction does, plainly: one function per operation and type. NaNs are those of the host's processor, not of a
// GPU and not of our specification, so that code which leaves them to the machine is found.
#include <math.h>
#include <string.h>

#include <limits>
#include <type_traits>

#include "machine.h"

namespace emulator {

namespace {

template <class T>
T get(const Thread& thread, int place) {
  T value;
  memcpy(&value, &thread.places[place], sizeof value);
  return value;
}

// Integers are extended by their sign, then cut to the register.
template <class T>
void set(Thread& thread, const Instruction& i, T value, int result = 0) {
  uint64_t bits = 0;
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) bits = static_cast<uint64_t>(static_cast<int64_t>(value));
  else memcpy(&bits, &value, sizeof value);
  thread.places[i.d[result]] = bits & i.mask;
}

template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
using Wide = std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
                                std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
template <class T>
using Double = std::conditional_t<sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
                                  Wide<T>>;

template <class T>
T wrap(Unsigned<T> value) {
  return static_cast<T>(value);
}

#define INTEGER_BINARY(Name, expression)   \
  struct Name {                            \
    template <class T>                     \
    static T apply(T a, T b) {             \
      using U [[maybe_unused]] = Unsigned<T>; \
      return expression;                   \
    }                                      \
  };

INTEGER_BINARY(Add, wrap<T>(static_cast<U>(U(a) + U(b))))
INTEGER_BINARY(Sub, wrap<T>(static_cast<U>(U(a) - U(b))))
INTEGER_BINARY(MulLow, static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)))
INTEGER_BINARY(MulHigh, static_cast<T>((static_cast<Double<T>>(a) * static_cast<Double<T>>(b)) >> (8 * sizeof(T))))
INTEGER_BINARY(Min, a < b ? a : b)
INTEGER_BINARY(Max, a > b ? a : b)
INTEGER_BINARY(And, static_cast<T>(a & b))
INTEGER_BINARY(Or, static_cast<T>(a | b))
INTEGER_BINARY(Xor, static_cast<T>(a ^ b))
// The manual leaves these open: an answer that nobody expects.
INTEGER_BINARY(Div, b == 0 || (std::is_signed_v<T> && b == T(-1)) ? T(0x5ad) : static_cast<T>(a / b))
INTEGER_BINARY(Rem, b == 0 || (std::is_signed_v<T> && b == T(-1)) ? T(0x5ad) : static_cast<T>(a % b))

template <class F, class T>
void binary(Thread& t, const Instruction& i) {
  set<T>(t, i, F::template apply<T>(get<T>(t, i.a[0]), get<T>(t, i.a[1])));
}

template <class F, class T>
void with_sum(Thread& t, const Instruction& i) {
  set<T>(t, i, Add::apply<T>(F::template apply<T>(get<T>(t, i.a[0]), get<T>(t, i.a[1])), get<T>(t, i.a[2])));
}

template <class T>
void multiply_wide(Thread& t, const Instruction& i) {
  set<Wide<T>>(t, i, MulLow::apply<Wide<T>>(get<T>(t, i.a[0]), get<T>(t, i.a[1])));
}

template <class T>
void multiply_add_wide(Thread& t, const Instruction& i) {
  Wide<T> product = MulLow::apply<Wide<T>>(get<T>(t, i.a[0]), get<T>(t, i.a[1]));
  set<Wide<T>>(t, i, Add::apply<Wide<T>>(product, get<Wide<T>>(t, i.a[2])));
}

template <class T>
void shift_left(Thread& t, const Instruction& i) {
  uint32_t amount = get<uint32_t>(t, i.a[1]);
  set<T>(t, i, amount >= 8 * sizeof(T) ? T(0) : static_cast<T>(static_cast<uint64_t>(get<T>(t, i.a[0])) << amount));
}

template <class T>
void shift_right(Thread& t, const Instruction& i) {
  uint32_t amount = get<uint32_t>(t, i.a[1]);
  uint32_t most = 8 * sizeof(T) - 1;
  T value = get<T>(t, i.a[0]);
  if (std::is_signed_v<T>) set<T>(t, i, static_cast<T>(value >> (amount > most ? most : amount)));
  else set<T>(t, i, amount > most ? T(0) : static_cast<T>(value >> amount));
}

template <class T>
void negate(Thread& t, const Instruction& i) { set<T>(t, i, wrap<T>(static_cast<Unsigned<T>>(0 - Unsigned<T>(get<T>(t, i.a[0]))))); }
template <class T>
void absolute(Thread& t, const Instruction& i) {
  T value = get<T>(t, i.a[0]);
  set<T>(t, i, value < 0 ? wrap<T>(static_cast<Unsigned<T>>(0 - Unsigned<T>(value))) : value);
}
template <class T>
void invert(Thread& t, const Instruction& i) { set<T>(t, i, static_cast<T>(~get<T>(t, i.a[0]))); }
template <class T>
void logical_not(Thread& t, const Instruction& i) { set<T>(t, i, get<T>(t, i.a[0]) == 0 ? T(1) : T(0)); }
template <class T>
void count_bits(Thread& t, const Instruction& i) { set<uint32_t>(t, i, __builtin_popcountll(get<T>(t, i.a[0]))); }
template <class T>
void leading_zeros(Thread& t, const Instruction& i) {
  T value = get<T>(t, i.a[0]);
  set<uint32_t>(t, i, value == 0 ? 8 * sizeof(T) : __builtin_clzll(value) - (64 - 8 * sizeof(T)));
}
template <class T>
void reverse_bits(Thread& t, const Instruction& i) {
  T value = get<T>(t, i.a[0]), result = 0;
  for (size_t bit = 0; bit < 8 * sizeof(T); bit++) result = static_cast<T>(result << 1 | (value >> bit & 1));
  set<T>(t, i, result);
}
template <class T, bool SHIFT>
void find_highest(Thread& t, const Instruction& i) {
  T value = get<T>(t, i.a[0]);
  Unsigned<T> searched = value < 0 ? ~Unsigned<T>(value) : Unsigned<T>(value);
  uint32_t result = 0xffffffff;
  if (searched != 0) {
    result = 63 - __builtin_clzll(searched);
    if (SHIFT) result = 8 * sizeof(T) - 1 - result;
  }
  set<uint32_t>(t, i, result);
}
template <class T>
void extract_field(Thread& t, const Instruction& i) {
  uint64_t value = get<Unsigned<T>>(t, i.a[0]);
  uint32_t position = t.places[i.a[1]] & 255, length = t.places[i.a[2]] & 255, top = 8 * sizeof(T) - 1;
  uint64_t sign = 0;
  if (std::is_signed_v<T> && length > 0) sign = value >> (position + length - 1 < top ? position + length - 1 : top) & 1;
  Unsigned<T> result = 0;
  for (uint32_t bit = 0; bit <= top; bit++) {
    uint64_t one = bit < length && position + bit <= top ? value >> (position + bit) & 1 : sign;
    result |= static_cast<Unsigned<T>>(one << bit);
  }
  set<Unsigned<T>>(t, i, result);
}
template <class T>
void insert_field(Thread& t, const Instruction& i) {
  T a = get<T>(t, i.a[0]), result = get<T>(t, i.a[1]);
  uint32_t position = t.places[i.a[2]] & 255, length = t.places[i.a[3]] & 255;
  for (uint32_t bit = 0; bit < length && position + bit < 8 * sizeof(T); bit++) {
    T place = static_cast<T>(T(1) << (position + bit));
    result = (a >> bit & 1) ? result | place : result & ~place;
  }
  set<T>(t, i, result);
}
template <class T>
void sum_of_difference(Thread& t, const Instruction& i) {
  using U = Unsigned<T>;
  T a = get<T>(t, i.a[0]), b = get<T>(t, i.a[1]);
  U gap = a < b ? U(b) - U(a) : U(a) - U(b);
  set<T>(t, i, wrap<T>(static_cast<U>(U(get<T>(t, i.a[2])) + gap)));
}
void any_logic(Thread& t, const Instruction& i) {
  uint32_t a = get<uint32_t>(t, i.a[0]), b = get<uint32_t>(t, i.a[1]), c = get<uint32_t>(t, i.a[2]), result = 0;
  uint32_t table = get<uint32_t>(t, i.a[3]);
  for (int row = 0; row < 8; row++) {
    if (table >> row & 1) result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
  }
  set<uint32_t>(t, i, result);
}
template <bool LEFT, bool CLAMP>
void funnel(Thread& t, const Instruction& i) {
  uint64_t pair = static_cast<uint64_t>(get<uint32_t>(t, i.a[1])) << 32 | get<uint32_t>(t, i.a[0]);
  uint32_t amount = get<uint32_t>(t, i.a[2]);
  amount = CLAMP ? (amount > 32 ? 32 : amount) : amount & 31;
  set<uint32_t>(t, i, LEFT ? static_cast<uint32_t>(pair << amount >> 32) : static_cast<uint32_t>(pair >> amount));
}
void permute(Thread& t, const Instruction& i) {
  uint64_t pair = static_cast<uint64_t>(get<uint32_t>(t, i.a[1])) << 32 | get<uint32_t>(t, i.a[0]);
  uint32_t selector = get<uint32_t>(t, i.a[2]), result = 0;
  for (int byte = 0; byte < 4; byte++) {
    uint32_t choice = selector >> (4 * byte) & 15;
    uint32_t value = pair >> (8 * (choice & 7)) & 255;
    if (choice & 8) value = value & 128 ? 255 : 0;
    result |= value << (8 * byte);
  }
  set<uint32_t>(t, i, result);
}
template <class A, class B>
void dot_product(Thread& t, const Instruction& i) {
  uint32_t a = get<uint32_t>(t, i.a[0]), b = get<uint32_t>(t, i.a[1]), sum = get<uint32_t>(t, i.a[2]);
  for (int byte = 0; byte < 4; byte++) {
    sum += static_cast<uint32_t>(static_cast<A>(a >> (8 * byte)) * static_cast<B>(b >> (8 * byte)));
  }
  set<uint32_t>(t, i, sum);
}

// Floats.

#define FLOAT_BINARY(Name, expression) \
  struct Name {                        \
    template <class T>                 \
    static T apply(T a, T b) {         \
      return expression;               \
    }                                  \
  };

FLOAT_BINARY(FloatAdd, a + b)
FLOAT_BINARY(FloatSub, a - b)
FLOAT_BINARY(FloatMul, a* b)
FLOAT_BINARY(FloatDiv, a / b)
FLOAT_BINARY(FloatMin, a != a ? b : b != b ? a : a == b ? (signbit(a) ? a : b) : a < b ? a : b)
FLOAT_BINARY(FloatMax, a != a ? b : b != b ? a : a == b ? (signbit(a) ? b : a) : a > b ? a : b)

template <class T>
void fused(Thread& t, const Instruction& i) {
  set<T>(t, i, std::is_same_v<T, float> ? static_cast<T>(__builtin_fmaf(get<T>(t, i.a[0]), get<T>(t, i.a[1]), get<T>(t, i.a[2])))
                                        : static_cast<T>(__builtin_fma(get<T>(t, i.a[0]), get<T>(t, i.a[1]), get<T>(t, i.a[2]))));
}
template <class T>
void square_root(Thread& t, const Instruction& i) { set<T>(t, i, static_cast<T>(__builtin_sqrt(get<T>(t, i.a[0])))); }
void square_root32(Thread& t, const Instruction& i) { set<float>(t, i, __builtin_sqrtf(get<float>(t, i.a[0]))); }
template <class T>
void float_negate(Thread& t, const Instruction& i) { set<T>(t, i, -get<T>(t, i.a[0])); }
template <class T>
void float_absolute(Thread& t, const Instruction& i) { set<T>(t, i, static_cast<T>(__builtin_fabs(get<T>(t, i.a[0])))); }
void float_absolute32(Thread& t, const Instruction& i) { set<float>(t, i, __builtin_fabsf(get<float>(t, i.a[0]))); }
template <class T>
void copy_sign(Thread& t, const Instruction& i) {
  T top = T(1) << (8 * sizeof(T) - 1);
  set<T>(t, i, (get<T>(t, i.a[0]) & top) | (get<T>(t, i.a[1]) & ~top));
}

// a * b + c towards zero: in double rounded to odd, which keeps what is needed to cut.
float towards_zero(float a, float b, float c) {
  double product = static_cast<double>(a) * b, wide = c;
  double sum = product + wide, part = sum - product;
  double error = (product - (sum - part)) + (wide - part);
  if (!__builtin_isfinite(sum)) return static_cast<float>(sum);
  uint64_t bits;
  memcpy(&bits, &sum, 8);
  if (error != 0 && (bits & 1) == 0) bits += (error > 0) == (sum > 0) ? 1 : -1;
  memcpy(&sum, &bits, 8);
  float near = static_cast<float>(sum);
  if (__builtin_isinf(near)) return copysignf(std::numeric_limits<float>::max(), near);
  return __builtin_fabs(static_cast<double>(near)) > __builtin_fabs(sum) ? nextafterf(near, 0.0f) : near;
}
void add_rz(Thread& t, const Instruction& i) { set<float>(t, i, towards_zero(get<float>(t, i.a[0]), 1.0f, get<float>(t, i.a[1]))); }
void sub_rz(Thread& t, const Instruction& i) { set<float>(t, i, towards_zero(get<float>(t, i.a[0]), 1.0f, -get<float>(t, i.a[1]))); }
void mul_rz(Thread& t, const Instruction& i) {
  float a = get<float>(t, i.a[0]), b = get<float>(t, i.a[1]);
  set<float>(t, i, towards_zero(a, b, signbit(a) != signbit(b) ? -0.0f : 0.0f));
}
void fused_rz(Thread& t, const Instruction& i) {
  set<float>(t, i, towards_zero(get<float>(t, i.a[0]), get<float>(t, i.a[1]), get<float>(t, i.a[2])));
}

// Comparisons.

enum class Compare { eq, ne, lt, le, gt, ge, num, nan };

template <Compare C, bool UNORDERED, class T>
void compare(Thread& t, const Instruction& i) {
  T a = get<T>(t, i.a[0]), b = get<T>(t, i.a[1]);
  bool nan = a != a || b != b, result = false;
  if (C == Compare::eq) result = a == b;
  if (C == Compare::ne) result = !nan && a != b;
  if (C == Compare::lt) result = a < b;
  if (C == Compare::le) result = a <= b;
  if (C == Compare::gt) result = a > b;
  if (C == Compare::ge) result = a >= b;
  if (C == Compare::num) result = !nan;
  if (C == Compare::nan) result = nan;
  t.places[i.d[0]] = result || (UNORDERED && nan);
}

template <class T>
void move(Thread& t, const Instruction& i) { set<T>(t, i, get<T>(t, i.a[0])); }
template <class T>
void select(Thread& t, const Instruction& i) { set<T>(t, i, get<T>(t, t.places[i.a[2]] != 0 ? i.a[0] : i.a[1])); }

void and_pred(Thread& t, const Instruction& i) { t.places[i.d[0]] = t.places[i.a[0]] & t.places[i.a[1]]; }
void or_pred(Thread& t, const Instruction& i) { t.places[i.d[0]] = t.places[i.a[0]] | t.places[i.a[1]]; }
void xor_pred(Thread& t, const Instruction& i) { t.places[i.d[0]] = t.places[i.a[0]] ^ t.places[i.a[1]]; }
void not_pred(Thread& t, const Instruction& i) { t.places[i.d[0]] = t.places[i.a[0]] ^ 1; }

// Conversions.

template <class From, class To>
void convert_integer(Thread& t, const Instruction& i) { set<To>(t, i, static_cast<To>(get<From>(t, i.a[0]))); }

template <class From, class To>
void saturate(Thread& t, const Instruction& i) {
  __int128 value = get<From>(t, i.a[0]);
  __int128 low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
  set<To>(t, i, static_cast<To>(value < low ? low : value > high ? high : value));
}

enum class Round { none, nearest, zero, down, up };

template <Round R, class T>
T whole(T value) {
  if (R == Round::nearest) return static_cast<T>(__builtin_nearbyint(value));
  if (R == Round::zero) return static_cast<T>(__builtin_trunc(value));
  if (R == Round::down) return static_cast<T>(__builtin_floor(value));
  return R == Round::up ? static_cast<T>(__builtin_ceil(value)) : value;
}

template <Round R, class From, class To>
void float_to_integer(Thread& t, const Instruction& i) {
  From value = whole<R>(get<From>(t, i.a[0]));
  To result;
  if (value != value) {
    // As the manual says.
    bool zero = sizeof(From) == 4 && sizeof(To) < 8;
    result = zero ? To(0) : static_cast<To>(Unsigned<To>(1) << (8 * sizeof(To) - 1));
  } else if (value < static_cast<From>(std::numeric_limits<To>::min())) result = std::numeric_limits<To>::min();
  else if (value >= static_cast<From>(std::numeric_limits<To>::max())) result = std::numeric_limits<To>::max();
  else result = static_cast<To>(value);
  set<To>(t, i, result);
}

template <class From, class To>
void convert_float(Thread& t, const Instruction& i) { set<To>(t, i, static_cast<To>(get<From>(t, i.a[0]))); }

template <Round R, class T>
void round_float(Thread& t, const Instruction& i) { set<T>(t, i, whole<R>(get<T>(t, i.a[0]))); }

void half_to_float(Thread& t, const Instruction& i) {
  uint32_t bits = get<uint16_t>(t, i.a[0]), exponent = bits >> 10 & 31, fraction = bits & 1023;
  float value = exponent == 31 ? (fraction ? NAN : INFINITY)
                : exponent == 0 ? ldexpf(static_cast<float>(fraction), -24)
                                : ldexpf(static_cast<float>(1024 + fraction), static_cast<int>(exponent) - 25);
  set<float>(t, i, bits & 0x8000 ? -value : value);
}

void float_to_half(Thread& t, const Instruction& i) {
  float value = get<float>(t, i.a[0]);
  uint32_t sign = signbit(value) ? 0x8000 : 0;
  double size = __builtin_fabs(static_cast<double>(value));
  uint32_t bits;
  if (value != value) bits = 0x7e01;
  else if (size >= 65520.0) bits = 0x7c00;
  else if (size < 0x1p-14) bits = static_cast<uint32_t>(__builtin_nearbyint(size * 0x1p24));
  else {
    int exponent = ilogb(size);
    bits = static_cast<uint32_t>(__builtin_nearbyint(ldexp(size, 10 - exponent))) + (static_cast<uint32_t>(exponent + 14) << 10);
  }
  set<uint16_t>(t, i, static_cast<uint16_t>(sign | bits));
}

// Memory.

using Reach = uint8_t* (*)(Thread&, uint64_t, uint32_t);

uint8_t* parameter_memory(Thread& thread, uint64_t address, uint32_t) { return thread.machine->parameters.data() + address; }

template <Reach REACH, class T>
void load(Thread& t, const Instruction& i) {
  uint64_t address = (i.a[0] < 0 ? 0 : t.places[i.a[0]]) + static_cast<uint64_t>(i.offset);
  const uint8_t* from = REACH(t, address, i.lanes * sizeof(T));
  for (int lane = 0; lane < i.lanes; lane++) {
    T value;
    memcpy(&value, from + lane * sizeof(T), sizeof value);
    set<T>(t, i, value, lane);
  }
}

template <Reach REACH, class T>
void store(Thread& t, const Instruction& i) {
  uint64_t address = (i.a[0] < 0 ? 0 : t.places[i.a[0]]) + static_cast<uint64_t>(i.offset);
  uint8_t* to = REACH(t, address, i.lanes * sizeof(T));
  for (int lane = 0; lane < i.lanes; lane++) memcpy(to + lane * sizeof(T), &t.places[i.a[1 + lane]], sizeof(T));
}

template <Reach REACH, class F, class T>
void reduce(Thread& t, const Instruction& i) {
  uint64_t address = (i.a[0] < 0 ? 0 : t.places[i.a[0]]) + static_cast<uint64_t>(i.offset);
  uint8_t* to = REACH(t, address, sizeof(T));
  T value;
  memcpy(&value, to, sizeof value);
  value = F::template apply<T>(value, get<T>(t, i.a[1]));
  memcpy(to, &value, sizeof value);
}

template <uint64_t TAG>
void to_generic(Thread& t, const Instruction& i) { t.places[i.d[0]] = t.places[i.a[0]] | TAG; }
template <uint64_t TAG>
void from_generic(Thread& t, const Instruction& i) { t.places[i.d[0]] = t.places[i.a[0]] & ~TAG; }

void trap(Thread&, const Instruction&) { throw Fault(LAUNCH_FAILED, "trap"); }
void finish(Thread& t, const Instruction&) { t.done = true; }
void branch(Thread& t, const Instruction& i) { t.next = t.machine->kernel->code.data() + i.offset; }

// Finding the function for a name.

struct Type {
  char kind;
  int bits;
};

Type type_of(const std::string& name) {
  if (name == "pred") return {'p', 1};
  return {name[0], atoi(name.c_str() + 1)};
}

#define PICK_INTEGER(type, form)                                                     \
  do {                                                                               \
    bool is_signed = (type).kind == 's';                                             \
    if ((type).bits == 16) return is_signed ? form(int16_t) : form(uint16_t);        \
    if ((type).bits == 32) return is_signed ? form(int32_t) : form(uint32_t);        \
    if ((type).bits == 64) return is_signed ? form(int64_t) : form(uint64_t);        \
  } while (false)

template <class F>
Execute integer_binary(Type type) {
#define FORM(T) (Execute)binary<F, T>
  PICK_INTEGER(type, FORM);
#undef FORM
  return nullptr;
}

template <class F>
Execute float_binary(Type type) { return type.bits == 32 ? (Execute)binary<F, float> : (Execute)binary<F, double>; }

template <class From>
Execute conversion_from_integer(Type to, bool saturating) {
#define FORM(T) saturating ? (Execute)saturate<From, T> : (Execute)convert_integer<From, T>
  if (to.kind == 'f') return to.bits == 32 ? (Execute)convert_float<From, float> : (Execute)convert_float<From, double>;
  if (to.bits == 8) return to.kind == 's' ? FORM(int8_t) : FORM(uint8_t);
  PICK_INTEGER(to, FORM);
#undef FORM
  return nullptr;
}

template <Round R, class From>
Execute conversion_from_float(Type to) {
  if (to.kind == 'f') {
    if (R != Round::none) return (Execute)round_float<R, From>;
    return to.bits == 32 ? (Execute)convert_float<From, float> : (Execute)convert_float<From, double>;
  }
#define FORM(T) (Execute)float_to_integer<R, From, T>
  if (to.bits == 8) return to.kind == 's' ? FORM(int8_t) : FORM(uint8_t);
  PICK_INTEGER(to, FORM);
#undef FORM
  return nullptr;
}

template <class From>
Execute conversion_rounding(Type to, const std::string& mode) {
  if (mode == "rni") return conversion_from_float<Round::nearest, From>(to);
  if (mode == "rzi") return conversion_from_float<Round::zero, From>(to);
  if (mode == "rmi") return conversion_from_float<Round::down, From>(to);
  if (mode == "rpi") return conversion_from_float<Round::up, From>(to);
  return conversion_from_float<Round::none, From>(to);
}

Execute conversion(Type to, Type from, const std::string& mode) {
  if (to.kind == 'f' && to.bits == 16) return float_to_half;
  if (from.kind == 'f' && from.bits == 16) return half_to_float;
  if (from.kind == 'f') return from.bits == 32 ? conversion_rounding<float>(to, mode) : conversion_rounding<double>(to, mode);
  bool saturating = mode == "sat";
#define FORM(T) conversion_from_integer<T>(to, saturating)
  if (from.bits == 8) return from.kind == 's' ? FORM(int8_t) : FORM(uint8_t);
  PICK_INTEGER(from, FORM);
#undef FORM
  return nullptr;
}

template <Compare C, bool UNORDERED>
Execute comparison_of(Type type) {
  if (type.kind == 'f') return type.bits == 32 ? (Execute)compare<C, UNORDERED, float> : (Execute)compare<C, UNORDERED, double>;
#define FORM(T) (Execute)compare<C, false, T>
  PICK_INTEGER(type, FORM);
#undef FORM
  return nullptr;
}

Execute comparison(const std::string& name, Type type) {
#define COMPARISON(which)                                                           \
  if (name == #which) return comparison_of<Compare::which, false>(type);            \
  if (name == #which "u") return comparison_of<Compare::which, true>(type)
  COMPARISON(eq);
  COMPARISON(ne);
  COMPARISON(lt);
  COMPARISON(le);
  COMPARISON(gt);
  COMPARISON(ge);
#undef COMPARISON
  if (name == "num") return comparison_of<Compare::num, false>(type);
  return name == "nan" ? comparison_of<Compare::nan, false>(type) : nullptr;
}

template <Reach REACH>
Execute memory_access(bool is_load, Type type) {
#define FORM(T) is_load ? (Execute)load<REACH, T> : (Execute)store<REACH, T>
  if (type.bits == 8) return type.kind == 's' ? FORM(int8_t) : FORM(uint8_t);
  PICK_INTEGER(type, FORM);
#undef FORM
  return nullptr;
}

Execute access(const std::string& space, bool is_load, Type type) {
  if (space == "param") return memory_access<parameter_memory>(is_load, type);
  if (space == "shared") return memory_access<shared_memory>(is_load, type);
  if (space == "local") return memory_access<local_memory>(is_load, type);
  if (space == "global" || space == "const") return memory_access<global_memory>(is_load, type);
  return memory_access<generic_memory>(is_load, type);
}

template <Reach REACH>
Execute reduction_in(const std::string& mode, Type type) {
#define FORM(T)                                                                                                    \
  mode == "add"   ? (Execute)reduce<REACH, Add, T>                                                                 \
  : mode == "and" ? (Execute)reduce<REACH, And, T>                                                                 \
  : mode == "or"  ? (Execute)reduce<REACH, Or, T>                                                                  \
  : mode == "xor" ? (Execute)reduce<REACH, Xor, T>                                                                 \
  : mode == "min" ? (Execute)reduce<REACH, Min, T>                                                                 \
                  : (Execute)reduce<REACH, Max, T>
  PICK_INTEGER(type, FORM);
#undef FORM
  return nullptr;
}

Execute product(const std::string& op, const std::string& mode, Type type) {
  if (mode == "wide") {
#define FORM(T) op == "mul" ? (Execute)multiply_wide<T> : (Execute)multiply_add_wide<T>
    if (type.bits < 64) PICK_INTEGER(type, FORM);
#undef FORM
    return nullptr;
  }
  bool low = mode == "lo";
#define FORM(T)                                                                          \
  op == "mul" ? (low ? (Execute)binary<MulLow, T> : (Execute)binary<MulHigh, T>)         \
              : (low ? (Execute)with_sum<MulLow, T> : (Execute)with_sum<MulHigh, T>)
  PICK_INTEGER(type, FORM);
#undef FORM
  return nullptr;
}

Execute float_operation(const std::string& op, const std::string& rounding, Type type) {
  bool single = type.bits == 32;
  if (rounding == "rz") {
    if (op == "add") return add_rz;
    if (op == "sub") return sub_rz;
    return op == "mul" ? (Execute)mul_rz : op == "fma" ? (Execute)fused_rz : nullptr;
  }
  if (op == "add") return float_binary<FloatAdd>(type);
  if (op == "sub") return float_binary<FloatSub>(type);
  if (op == "mul") return float_binary<FloatMul>(type);
  if (op == "div") return float_binary<FloatDiv>(type);
  if (op == "min") return float_binary<FloatMin>(type);
  if (op == "max") return float_binary<FloatMax>(type);
  if (op == "fma") return single ? (Execute)fused<float> : (Execute)fused<double>;
  if (op == "sqrt") return single ? (Execute)square_root32 : (Execute)square_root<double>;
  if (op == "neg") return single ? (Execute)float_negate<float> : (Execute)float_negate<double>;
  if (op == "abs") return single ? (Execute)float_absolute32 : (Execute)float_absolute<double>;
  if (op == "copysign") return single ? (Execute)copy_sign<uint32_t> : (Execute)copy_sign<uint64_t>;
  return nullptr;
}

Execute integer_operation(const std::string& op, const std::vector<std::string>& name, Type type) {
  bool wide = type.bits == 64;
  if (op == "add") return integer_binary<Add>(type);
  if (op == "sub") return integer_binary<Sub>(type);
  if (op == "min") return integer_binary<Min>(type);
  if (op == "max") return integer_binary<Max>(type);
  if (op == "div") return integer_binary<Div>(type);
  if (op == "rem") return integer_binary<Rem>(type);
  if (op == "and") return integer_binary<And>(type);
  if (op == "or") return integer_binary<Or>(type);
  if (op == "xor") return integer_binary<Xor>(type);
  if (op == "mul" || op == "mad") return product(op, name[1], type);
#define FORM(T) (Execute)shift_left<T>
  if (op == "shl") PICK_INTEGER(type, FORM);
#undef FORM
#define FORM(T) (Execute)shift_right<T>
  if (op == "shr") PICK_INTEGER(type, FORM);
#undef FORM
#define FORM(T) (Execute)negate<T>
  if (op == "neg") PICK_INTEGER(type, FORM);
#undef FORM
#define FORM(T) (Execute)absolute<T>
  if (op == "abs") PICK_INTEGER(type, FORM);
#undef FORM
#define FORM(T) (Execute)invert<T>
  if (op == "not") PICK_INTEGER(type, FORM);
#undef FORM
#define FORM(T) (Execute)logical_not<T>
  if (op == "cnot") PICK_INTEGER(type, FORM);
#undef FORM
#define FORM(T) (Execute)sum_of_difference<T>
  if (op == "sad") PICK_INTEGER(type, FORM);
#undef FORM
#define FORM(T) (Execute)move<T>
  if (op == "mov") PICK_INTEGER(type, FORM);
#undef FORM
#define FORM(T) (Execute)select<T>
  if (op == "selp") PICK_INTEGER(type, FORM);
#undef FORM
  if (op == "popc") return wide ? (Execute)count_bits<uint64_t> : (Execute)count_bits<uint32_t>;
  if (op == "clz") return wide ? (Execute)leading_zeros<uint64_t> : (Execute)leading_zeros<uint32_t>;
  if (op == "brev") return wide ? (Execute)reverse_bits<uint64_t> : (Execute)reverse_bits<uint32_t>;
  if (op == "bfi") return wide ? (Execute)insert_field<uint64_t> : (Execute)insert_field<uint32_t>;
  if (op == "bfe") {
    if (type.kind == 's') return wide ? (Execute)extract_field<int64_t> : (Execute)extract_field<int32_t>;
    return wide ? (Execute)extract_field<uint64_t> : (Execute)extract_field<uint32_t>;
  }
  if (op == "bfind") {
    bool shift = name[1] == "shiftamt";
#define FORM(T) shift ? (Execute)find_highest<T, true> : (Execute)find_highest<T, false>
    PICK_INTEGER(type, FORM);
#undef FORM
  }
  if (op == "lop3") return any_logic;
  if (op == "prmt") return permute;
  if (op == "shf") {
    bool clamp = name[2] == "clamp";
    if (name[1] == "l") return clamp ? (Execute)funnel<true, true> : (Execute)funnel<true, false>;
    return clamp ? (Execute)funnel<false, true> : (Execute)funnel<false, false>;
  }
  return nullptr;
}

}  // namespace

Execute find_operation(const std::vector<std::string>& name) {
  const std::string& op = name[0];
  if (op == "ret") return finish;
  if (op == "trap") return trap;
  if (op == "bra") return branch;
  Type type = type_of(name.back());
  if (op == "cvta") {
    const std::string& space = name[name.size() - 2];
    bool to = name[1] == "to";
    if (space == "shared") return to ? from_generic<SHARED_TAG> : to_generic<SHARED_TAG>;
    if (space == "local") return to ? from_generic<LOCAL_TAG> : to_generic<LOCAL_TAG>;
    return move<uint64_t>;
  }
  if (op == "ld" || op == "st") return access(name.size() > 2 ? name[1] : "", op == "ld", type);
  if (op == "red") {
    bool spaced = name.size() == 4;
    const std::string& mode = name[spaced ? 2 : 1];
    if (spaced && name[1] == "shared") return reduction_in<shared_memory>(mode, type);
    return spaced ? reduction_in<global_memory>(mode, type) : reduction_in<generic_memory>(mode, type);
  }
  if (op == "setp") return comparison(name[1], type);
  if (op == "cvt") {
    size_t last = name.size() - 1;
    return conversion(type_of(name[last - 1]), type, last > 2 ? name[1] : "");
  }
  if (op == "dp4a") {
    bool a = name[1] == "s32", b = name[2] == "s32";
    if (a) return b ? (Execute)dot_product<int8_t, int8_t> : (Execute)dot_product<int8_t, uint8_t>;
    return b ? (Execute)dot_product<uint8_t, int8_t> : (Execute)dot_product<uint8_t, uint8_t>;
  }
  if (type.kind == 'p') {
    if (op == "and") return and_pred;
    if (op == "or") return or_pred;
    if (op == "xor") return xor_pred;
    return op == "not" ? (Execute)not_pred : op == "mov" ? (Execute)move<uint64_t> : nullptr;
  }
  return type.kind == 'f' ? float_operation(op, name[1], type) : integer_operation(op, name, type);
}

}  // namespace emulator
