// Integers modulo p = 2^256 - 2^32 - 977, the field of secp256k1 (SEC 2, section 2.4.1), as five limbs of 52 bits that may
// grow: sums carry nothing, products do. How far they may have grown is part of the type, so that what would overflow does
// not compile: the limbs of a Field<M> are at most 2M times those of 2^256 - 1.
//
// Nothing here takes the same time for all inputs: what it works on is public.
#pragma once

#include "inverse.h"

namespace ogpu::secp256k1 {

constexpr int LIMB_BITS = 52;
constexpr u64 LIMB = (u64{1} << LIMB_BITS) - 1;
constexpr u64 LAST_LIMB = (u64{1} << (256 - 4 * LIMB_BITS)) - 1;
// 2^256 and 2^260 modulo p.
constexpr u64 FOLD = 0x1000003d1;
constexpr u64 FOLD_LIMBS = FOLD << 4;
constexpr u64 PRIME[5] = {LIMB - (FOLD - 1), LIMB, LIMB, LIMB, LAST_LIMB};

template <int M>
struct Field {
  u64 limbs[5];  // the least first

  Field() = default;
  constexpr Field(u64 a, u64 b, u64 c, u64 d, u64 e) : limbs{a, b, c, d, e} {}

  template <int N>
  Field(const Field<N>& other) : limbs{other.limbs[0], other.limbs[1], other.limbs[2], other.limbs[3], other.limbs[4]} {
    static_assert(N <= M);
  }
};

template <int M, int N>
inline Field<M + N> operator+(const Field<M>& a, const Field<N>& b) {
  Field<M + N> sum;
  for (int i = 0; i < 5; i++) sum.limbs[i] = a.limbs[i] + b.limbs[i];
  return sum;
}

// As many times p as are not below `a`, less `a`.
template <int M>
inline Field<M + 1> negative(const Field<M>& a) {
  Field<M + 1> result;
  for (int i = 0; i < 5; i++) result.limbs[i] = PRIME[i] * (2 * (M + 1)) - a.limbs[i];
  return result;
}

template <int M, int N>
inline Field<M + N + 1> operator-(const Field<M>& a, const Field<N>& b) {
  return a + negative(b);
}

template <int TIMES, int M>
inline Field<M * TIMES> times(const Field<M>& a) {
  Field<M * TIMES> result;
  for (int i = 0; i < 5; i++) result.limbs[i] = a.limbs[i] * TIMES;
  return result;
}

template <int M>
inline Field<M / 2 + 1> half(const Field<M>& a) {
  // Made even by p, which is odd.
  const u64 mask = 0 - (a.limbs[0] & 1);
  u64 even[6] = {};
  for (int i = 0; i < 5; i++) even[i] = a.limbs[i] + (PRIME[i] & mask);
  Field<M / 2 + 1> result;
  for (int i = 0; i < 5; i++) result.limbs[i] = (even[i] >> 1) + ((even[i + 1] & 1) << (LIMB_BITS - 1));
  return result;
}

// Of the sums of products at each place.
inline Field<1> reduce(u128 c0, u128 c1, u128 c2, u128 c3, u128 c4, u128 c5, u128 c6, u128 c7, u128 c8) {
  // The upper half is carried first: times FOLD_LIMBS its sums would not fit.
  c6 += c5 >> LIMB_BITS;
  c7 += c6 >> LIMB_BITS;
  c8 += c7 >> LIMB_BITS;
  c0 += (static_cast<u64>(c5) & LIMB) * u128{FOLD_LIMBS};
  c1 += (static_cast<u64>(c6) & LIMB) * u128{FOLD_LIMBS} + (c0 >> LIMB_BITS);
  c2 += (static_cast<u64>(c7) & LIMB) * u128{FOLD_LIMBS} + (c1 >> LIMB_BITS);
  c3 += (static_cast<u64>(c8) & LIMB) * u128{FOLD_LIMBS} + (c2 >> LIMB_BITS);
  c4 += static_cast<u64>(c8 >> LIMB_BITS) * u128{FOLD_LIMBS} + (c3 >> LIMB_BITS);
  const u128 first = (c4 >> (256 - 4 * LIMB_BITS)) * FOLD + (static_cast<u64>(c0) & LIMB);
  return {static_cast<u64>(first) & LIMB, (static_cast<u64>(c1) & LIMB) + static_cast<u64>(first >> LIMB_BITS),
          static_cast<u64>(c2) & LIMB, static_cast<u64>(c3) & LIMB, static_cast<u64>(c4) & LAST_LIMB};
}

// Limbs of both are below 2^56.1, the last below 2^52.1: five products fit in 115 bits.
template <int M, int N>
inline Field<1> operator*(const Field<M>& a, const Field<N>& b) {
  static_assert(M <= 8 && N <= 8);
  const auto product = [&](int i, int j) { return u128{a.limbs[i]} * b.limbs[j]; };
  return reduce(product(0, 0), product(0, 1) + product(1, 0), product(0, 2) + product(1, 1) + product(2, 0),
                product(0, 3) + product(1, 2) + product(2, 1) + product(3, 0),
                product(0, 4) + product(1, 3) + product(2, 2) + product(3, 1) + product(4, 0),
                product(1, 4) + product(2, 3) + product(3, 2) + product(4, 1),
                product(2, 4) + product(3, 3) + product(4, 2), product(3, 4) + product(4, 3), product(4, 4));
}

template <int M>
inline Field<1> square(const Field<M>& a) {
  static_assert(M <= 8);
  const auto product = [&](int i, int j) { return u128{i == j ? a.limbs[i] : 2 * a.limbs[i]} * a.limbs[j]; };
  return reduce(product(0, 0), product(0, 1), product(0, 2) + product(1, 1), product(0, 3) + product(1, 2),
                product(0, 4) + product(1, 3) + product(2, 2), product(1, 4) + product(2, 3),
                product(2, 4) + product(3, 3), product(3, 4), product(4, 4));
}

// Of limbs that are carried.
template <int M>
inline bool is_below_prime(const Field<M>& a) {
  for (int i = 4; i > 0; i--) {
    if (a.limbs[i] != PRIME[i]) return a.limbs[i] < PRIME[i];
  }
  return a.limbs[0] < PRIME[0];
}

// The least integer that is the same element.
template <int M>
inline Field<1> least(Field<M> a) {
  const auto carry = [&a](u64 value) {
    for (int i = 0; i < 4; i++) {
      value += a.limbs[i];
      a.limbs[i] = value & LIMB;
      value >>= LIMB_BITS;
    }
    a.limbs[4] += value;
  };
  // What is above 256 bits comes back as FOLD; after the first time it is 1 at most.
  for (int i = 0; i < 2; i++) {
    const u64 above = a.limbs[4] >> (256 - 4 * LIMB_BITS);
    a.limbs[4] &= LAST_LIMB;
    carry(above * FOLD);
  }
  if (!is_below_prime(a)) carry(FOLD);
  return {a.limbs[0], a.limbs[1], a.limbs[2], a.limbs[3], a.limbs[4] & LAST_LIMB};
}

template <int M>
inline bool is_zero(const Field<M>& a) {
  // Nearly always the first limb tells that it is not: zero and p are all that is left to look for once it is carried.
  const u64 first = (a.limbs[0] + (a.limbs[4] >> (256 - 4 * LIMB_BITS)) * FOLD) & LIMB;
  if (first != 0 && first != PRIME[0]) return false;
  const Field<1> b = least(a);
  return (b.limbs[0] | b.limbs[1] | b.limbs[2] | b.limbs[3] | b.limbs[4]) == 0;
}

// To limbs of 64 bits, and back.
inline void to_words(const Field<1>& least, u64 (&words)[4]) {
  for (int i = 0; i < 4; i++) words[i] = least.limbs[i] >> (12 * i) | least.limbs[i + 1] << (LIMB_BITS - 12 * i);
}

constexpr Field<1> from_words(const u64 (&words)[4]) {
  return {words[0] & LIMB, (words[0] >> 52 | words[1] << 12) & LIMB, (words[1] >> 40 | words[2] << 24) & LIMB,
          (words[2] >> 28 | words[3] << 36) & LIMB, words[3] >> 16};
}

constexpr Modulus FIELD_MODULUS({0 - FOLD, ~u64{0}, ~u64{0}, ~u64{0}});

// Zero of zero.
inline Field<1> inverse(const Field<1>& a) {
  u64 words[4];
  to_words(least(a), words);
  FIELD_MODULUS.invert(words, words);
  return from_words(words);
}

}  // namespace ogpu::secp256k1
