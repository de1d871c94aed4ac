// Integers modulo n, the order of secp256k1's group (SEC 2, section 2.4.1). Always the least.
#pragma once

#include "field.h"

namespace ogpu::secp256k1 {

struct Scalar {
  u64 limbs[4];  // of 64 bits, the least first
};

constexpr Scalar ORDER = {{0xbfd25e8cd0364141, 0xbaaedce6af48a03b, 0xfffffffffffffffe, ~u64{0}}};
// 2^256 modulo n, less 2^128.
constexpr u64 ORDER_FOLD[2] = {0x402da1732fc9bebf, 0x4551231950b75fc4};

inline bool is_zero(const Scalar& a) { return (a.limbs[0] | a.limbs[1] | a.limbs[2] | a.limbs[3]) == 0; }

inline bool is_below_order(const u64 limbs[4]) {
  for (int i = 3; i >= 0; i--) {
    if (limbs[i] != ORDER.limbs[i]) return limbs[i] < ORDER.limbs[i];
  }
  return false;
}

// a - b, with what is borrowed beyond 256 bits dropped.
inline Scalar subtract_wrapping(const Scalar& a, const Scalar& b) {
  Scalar difference;
  u64 borrow = 0;
  for (int i = 0; i < 4; i++) {
    const u128 step = u128{a.limbs[i]} - b.limbs[i] - borrow;
    difference.limbs[i] = static_cast<u64>(step);
    borrow = static_cast<u64>(step >> 64) & 1;
  }
  return difference;
}

// Of any 256 bits: 2^256 < 2n.
inline Scalar least(const Scalar& a) { return is_below_order(a.limbs) ? a : subtract_wrapping(a, ORDER); }

inline Scalar operator+(const Scalar& a, const Scalar& b) {
  Scalar sum;
  u128 wide = 0;
  for (int i = 0; i < 4; i++) {
    wide += u128{a.limbs[i]} + b.limbs[i];
    sum.limbs[i] = static_cast<u64>(wide);
    wide >>= 64;
  }
  return wide != 0 ? subtract_wrapping(sum, ORDER) : least(sum);
}

inline Scalar negative(const Scalar& a) { return is_zero(a) ? a : subtract_wrapping(ORDER, a); }

// The upper `COUNT` limbs of `wide` come back as so many times 2^256 modulo n.
template <int COUNT>
inline void fold(u64 wide[8]) {
  u64 high[COUNT];
  for (int i = 0; i < COUNT; i++) {
    high[i] = wide[4 + i];
    wide[4 + i] = 0;
  }
  for (int i = 0; i < COUNT; i++) {
    u128 carry = u128{high[i]} * ORDER_FOLD[0] + wide[i];
    wide[i] = static_cast<u64>(carry);
    carry = (carry >> 64) + u128{high[i]} * ORDER_FOLD[1] + wide[i + 1];
    wide[i + 1] = static_cast<u64>(carry);
    carry = (carry >> 64) + high[i] + wide[i + 2];
    wide[i + 2] = static_cast<u64>(carry);
    for (int j = i + 3; j < 8 && (carry >> 64) != 0; j++) {
      carry = (carry >> 64) + wide[j];
      wide[j] = static_cast<u64>(carry);
    }
  }
}

inline Scalar operator*(const Scalar& a, const Scalar& b) {
  u64 wide[8] = {};
  for (int i = 0; i < 4; i++) {
    u128 carry = 0;
    for (int j = 0; j < 4; j++) {
      carry += u128{a.limbs[i]} * b.limbs[j] + wide[i + j];
      wide[i + j] = static_cast<u64>(carry);
      carry >>= 64;
    }
    wide[i + 4] = static_cast<u64>(carry);
  }
  fold<4>(wide);  // 512 bits become at most 386,
  fold<3>(wide);  // then 260,
  fold<1>(wide);  // then 257,
  fold<1>(wide);  // then 256.
  return least(Scalar{{wide[0], wide[1], wide[2], wide[3]}});
}

constexpr Modulus SCALAR_MODULUS(ORDER.limbs);

// Zero of zero.
inline Scalar inverse(const Scalar& a) {
  Scalar result;
  SCALAR_MODULUS.invert(a.limbs, result.limbs);
  return result;
}

}  // namespace ogpu::secp256k1
