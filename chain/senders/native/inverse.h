// Inverses modulo an odd prime of 256 bits, by the division steps of Bernstein and Yang ("Fast constant-time gcd computation
// and modular inversion", 2019), 62 of them at a time, in time that depends on the input.
#pragma once

#include <cstdint>

namespace ogpu::secp256k1 {

using u64 = std::uint64_t;
using i64 = std::int64_t;
using u128 = unsigned __int128;
using i128 = __int128;

constexpr int STEPS = 62;
constexpr u64 STEP_MASK = (u64{1} << STEPS) - 1;

// An integer as limbs of 62 bits, the least first; the last has the sign.
struct Signed {
  i64 limbs[5];

  bool is_negative() const { return limbs[4] < 0; }
  bool is_zero() const { return (limbs[0] | limbs[1] | limbs[2] | limbs[3] | limbs[4]) == 0; }
};

// From limbs of 64 bits, and back.
constexpr Signed to_signed(const u64 a[4]) {
  return {{static_cast<i64>(a[0] & STEP_MASK), static_cast<i64>((a[0] >> 62 | a[1] << 2) & STEP_MASK),
           static_cast<i64>((a[1] >> 60 | a[2] << 4) & STEP_MASK), static_cast<i64>((a[2] >> 58 | a[3] << 6) & STEP_MASK),
           static_cast<i64>(a[3] >> 56)}};
}

inline void from_signed(const Signed& a, u64 out[4]) {
  u64 limbs[5];
  for (int i = 0; i < 5; i++) limbs[i] = static_cast<u64>(a.limbs[i]);
  for (int i = 0; i < 4; i++) out[i] = limbs[i] >> (2 * i) | limbs[i + 1] << (STEPS - 2 * i);
}

// (a u + b v + c w) / 2^62, which leaves no remainder.
inline Signed combined(const Signed& a, i64 u, const Signed& b, i64 v, const Signed& c, i64 w) {
  Signed result;
  i128 sum = 0;
  for (int i = 0; i < 5; i++) {
    sum += i128{a.limbs[i]} * u + i128{b.limbs[i]} * v + i128{c.limbs[i]} * w;
    if (i > 0) result.limbs[i - 1] = static_cast<i64>(static_cast<u64>(sum) & STEP_MASK);
    sum >>= STEPS;
  }
  result.limbs[4] = static_cast<i64>(sum);
  return result;
}

// a + b times, which is 1 or -1.
inline Signed plus(const Signed& a, const Signed& b, i64 times) {
  Signed result;
  i64 carry = 0;
  for (int i = 0; i < 4; i++) {
    const i64 sum = a.limbs[i] + times * b.limbs[i] + carry;
    result.limbs[i] = static_cast<i64>(static_cast<u64>(sum) & STEP_MASK);
    carry = sum >> STEPS;
  }
  result.limbs[4] = a.limbs[4] + times * b.limbs[4] + carry;
  return result;
}

// What 62 steps make of f and g, times 2^62: f u + g v and f q + g r. None is more than 2^62, and so are |u| + |v| and |q| + |r|.
struct Steps {
  i64 u, v, q, r;
};

// The steps depend on the lowest bits of f and g alone, and on `delta`, which they change.
inline Steps next_steps(i64& delta, u64 f, u64 g) {
  // Unsigned, so that what wraps is defined: the entries fit in 64 bits with their sign.
  u64 u = 1, v = 0, q = 0, r = 1;
  for (int left = STEPS;;) {
    // Where g is even a step halves it.
    const int zeros = __builtin_ctzll(g | u64{1} << left);
    g >>= zeros;
    u <<= zeros;
    v <<= zeros;
    delta += zeros;
    left -= zeros;
    if (left == 0) return {static_cast<i64>(u), static_cast<i64>(v), static_cast<i64>(q), static_cast<i64>(r)};
    if (delta > 0) {
      delta = -delta;
      const u64 old_f = f, old_u = u, old_v = v;
      f = g, u = q, v = r;
      g = 0 - old_f, q = 0 - old_u, r = 0 - old_v;
    }
    // While delta is not positive, a step adds f to an odd g: several at once, by the multiple of f that makes so many bits zero.
    const i64 steps = 1 - delta < left ? 1 - delta : left;
    const u64 mask = steps < 6 ? (u64{1} << steps) - 1 : 63;
    // f (2 - f f) is the inverse of an odd f modulo 64.
    const u64 factor = g * (f * (f * f - 2)) & mask;
    g += f * factor;
    q += u * factor;
    r += v * factor;
  }
}

class Modulus {
 public:
  explicit constexpr Modulus(const u64 (&limbs)[4]) : value_(to_signed(limbs)), inverse_(limbs[0]) {
    // Each time twice as many of its bits are right; three are at first.
    for (int i = 0; i < 5; i++) inverse_ *= 2 - limbs[0] * inverse_;
  }

  // Of what is below the modulus; zero of zero.
  void invert(const u64 (&value)[4], u64 (&out)[4]) const {
    const Signed none = {};
    // d and e are such that f = d value and g = e value, modulo this.
    Signed f = value_, g = to_signed(value), d = none, e = {{1, 0, 0, 0, 0}};
    i64 delta = 1;
    while (!g.is_zero()) {
      const Steps t = next_steps(delta, low_bits(f), low_bits(g));
      const Signed next_f = combined(f, t.u, g, t.v, none, 0);
      g = combined(f, t.q, g, t.r, none, 0);
      f = next_f;
      const Signed next_d = combined_modulo(d, t.u, e, t.v);
      e = combined_modulo(d, t.q, e, t.r);
      d = next_d;
    }
    // f is 1 or -1 by now.
    if (f.is_negative()) d = plus(none, d, -1);
    if (d.is_negative()) d = plus(d, value_, 1);
    from_signed(d, out);
  }

 private:
  // All 64: what is above 62 bits has no part in 62 steps but for the last.
  static u64 low_bits(const Signed& a) { return static_cast<u64>(a.limbs[0]) | static_cast<u64>(a.limbs[1]) << STEPS; }

  // (a u + b v) / 2^62 modulo this, between minus and plus the modulus as a and b are.
  Signed combined_modulo(const Signed& a, i64 u, const Signed& b, i64 v) const {
    const u64 low = static_cast<u64>(a.limbs[0]) * static_cast<u64>(u) + static_cast<u64>(b.limbs[0]) * static_cast<u64>(v);
    const i64 times = static_cast<i64>((0 - low * inverse_) & STEP_MASK);
    const Signed sum = combined(a, u, b, v, value_, times);
    return sum.is_negative() ? sum : plus(sum, value_, -1);
  }

  Signed value_;
  // Of the modulus, modulo 2^64.
  u64 inverse_;
};

}  // namespace ogpu::secp256k1
