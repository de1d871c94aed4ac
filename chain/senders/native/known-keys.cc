// A signature (r, s) of the hash z was made by the key Q that recovering gives when, with R the point whose x is r and whose
// y has the parity told, R = (z / s) G + (r / s) Q. For many signatures, with unpredictable factors a:
//
//   sum(a R) - (sum(a z / s)) G - (for each key: sum(a r / s)) Q = 0
//
// holds if all of them do, and if one does not, for one choice of its factor in 2^128. Of all this only a R is to be found
// for each signature, with a factor of 128 bits. Other scalars are cut in two of 128 bits, which tables of Q and 2^128 Q
// allow. So the whole is one sum of multiples of 128 bits, which share their doublings (Strauss), digit by digit in
// non-adjacent form.
#include "known-keys.h"

#include <cstring>

#include "point.h"
#include "scalar.h"

namespace ogpu::secp256k1 {

namespace {

constexpr int SCALAR_BITS = 128;
// The form of an integer may have one digit more than it has bits.
constexpr int DIGITS = SCALAR_BITS + 1;
// Digits are odd and below 2^(window - 1), so 2^(window - 2) multiples are at hand. Larger windows for points met once
// cost more to fill than they save; for keys, a few per cent more in four times the memory.
constexpr int POINT_WINDOW = 4;
constexpr int POINT_MULTIPLES = 1 << (POINT_WINDOW - 2);
constexpr int KEY_WINDOW = 6;
constexpr int KEY_MULTIPLES = 1 << (KEY_WINDOW - 2);

static_assert(TABLE_BYTES == 2 * KEY_MULTIPLES * sizeof(Affine));

// 256 bits, the most significant byte first.
Scalar read_scalar(const std::uint8_t* bytes) {
  Scalar scalar;
  for (int i = 0; i < 4; i++) {
    u64 limb = 0;
    for (int j = 0; j < 8; j++) limb = limb << 8 | bytes[(3 - i) * 8 + j];
    scalar.limbs[i] = limb;
  }
  return scalar;
}

Field<1> read_field(const std::uint8_t* bytes) {
  const Scalar value = read_scalar(bytes);
  const u64* limbs = value.limbs;
  return {limbs[0] & LIMB, (limbs[0] >> 52 | limbs[1] << 12) & LIMB, (limbs[1] >> 40 | limbs[2] << 24) & LIMB,
          (limbs[2] >> 28 | limbs[3] << 36) & LIMB, limbs[3] >> 16};
}

constexpr std::uint8_t GENERATOR[64] = {
    0x79, 0xbe, 0x66, 0x7e, 0xf9, 0xdc, 0xbb, 0xac, 0x55, 0xa0, 0x62, 0x95, 0xce, 0x87, 0x0b, 0x07,
    0x02, 0x9b, 0xfc, 0xdb, 0x2d, 0xce, 0x28, 0xd9, 0x59, 0xf2, 0x81, 0x5b, 0x16, 0xf8, 0x17, 0x98,
    0x48, 0x3a, 0xda, 0x77, 0x26, 0xa3, 0xc4, 0x65, 0x5d, 0xa4, 0xfb, 0xfc, 0x0e, 0x11, 0x08, 0xa8,
    0xfd, 0x17, 0xb4, 0x48, 0xa6, 0x85, 0x54, 0x19, 0x9c, 0x47, 0xd0, 0x8f, 0xfb, 0x10, 0xd4, 0xb8,
};

Affine read_point(const std::uint8_t* bytes) { return {read_field(bytes), read_field(bytes + 32)}; }

// The multiples of `a`, then those of 2^128 a.
void fill_table(const Affine& a, Affine* table) {
  Point shifted(a);
  for (int i = 0; i < SCALAR_BITS; i++) shifted = twice(shifted);
  Affine high;
  to_affine({shifted}, &high);
  std::vector<Point> multiples;
  odd_multiples(a, KEY_MULTIPLES, multiples);
  odd_multiples(high, KEY_MULTIPLES, multiples);
  to_affine(multiples, table);
}

// The table of the generator, whose multiples every check needs.
const Affine* generator_table() {
  static const std::vector<Affine> table = [] {
    std::vector<Affine> filled(2 * KEY_MULTIPLES);
    fill_table(read_point(GENERATOR), filled.data());
    return filled;
  }();
  return table.data();
}

// A sum of multiples: digits stand beside each other by their place, so that each place is one pass.
class Sum {
 public:
  explicit Sum(std::size_t terms) : terms_(terms), tables_(terms), digits_(terms * DIGITS) {}

  // The multiple of a table's first point by the 128 bits of `low` and `high`.
  void add(const Affine* table, int window, u64 low, u64 high) {
    const u64 limbs[3] = {low, high, 0};
    const auto bits = [&limbs](int from, int count) {
      const u128 pair = u128{limbs[from / 64]} | u128{from / 64 < 2 ? limbs[from / 64 + 1] : 0} << 64;
      return static_cast<int>(static_cast<u64>(pair >> (from % 64)) & ((u64{1} << count) - 1));
    };
    int carry = 0;
    for (int place = 0; place < DIGITS;) {
      if (bits(place, 1) == carry) {
        place++;
        continue;
      }
      const int value = bits(place, window) + carry;
      carry = value >> (window - 1);
      digits_[place * terms_ + next_] = static_cast<std::int8_t>(value - (carry << window));
      place += window;
    }
    tables_[next_++] = table;
  }

  // The same for a scalar and a table that goes on with the multiples of 2^128 times its point.
  void add(const Affine* table, const Scalar& scalar) {
    add(table, KEY_WINDOW, scalar.limbs[0], scalar.limbs[1]);
    add(table + KEY_MULTIPLES, KEY_WINDOW, scalar.limbs[2], scalar.limbs[3]);
  }

  bool is_infinity() const {
    Point sum;
    for (int place = DIGITS - 1; place >= 0; place--) {
      sum = twice(sum);
      const std::int8_t* digits = &digits_[place * terms_];
      for (std::size_t i = 0; i < terms_; i++) {
        const int digit = digits[i];
        if (digit > 0) sum = sum + tables_[i][digit / 2];
        if (digit < 0) sum = sum - tables_[i][-digit / 2];
      }
    }
    return sum.is_infinity;
  }

 private:
  std::size_t terms_;
  std::size_t next_ = 0;
  std::vector<const Affine*> tables_;
  std::vector<std::int8_t> digits_;
};

struct Signature {
  Scalar hash, r, s;
  Affine point;
};

// False where recovering would find no key either.
bool read_signature(const std::uint8_t* bytes, Signature& out) {
  out.hash = least(read_scalar(bytes));
  out.r = read_scalar(bytes + 32);
  out.s = read_scalar(bytes + 64);
  if (is_zero(out.r) || is_zero(out.s) || !is_below_order(out.r.limbs) || !is_below_order(out.s.limbs)) return false;
  return bytes[96] <= 1 && lift(read_field(bytes + 32), bytes[96] == 1, out.point);
}

// 1 / s of each, by one inversion for all.
std::vector<Scalar> inverses(const std::vector<Signature>& signatures) {
  std::vector<Scalar> result(signatures.size());
  Scalar product = {{1, 0, 0, 0}};
  for (std::size_t i = 0; i < signatures.size(); i++) {
    result[i] = product;
    product = product * signatures[i].s;
  }
  Scalar rest = inverse(product);
  for (std::size_t i = signatures.size(); i-- > 0;) {
    result[i] = result[i] * rest;
    rest = rest * signatures[i].s;
  }
  return result;
}

}  // namespace

bool make_table(const std::uint8_t* key, std::uint8_t* table) {
  const Affine a = read_point(key);
  if (!is_on_curve(a)) return false;
  Affine filled[2 * KEY_MULTIPLES];
  fill_table(a, filled);
  std::memcpy(table, filled, TABLE_BYTES);
  return true;
}

bool check_signatures(const std::uint8_t* signatures, const std::uint32_t* key_of, std::size_t count,
                      const std::vector<const std::uint8_t*>& tables, const std::uint8_t* random) {
  std::vector<Signature> read(count);
  std::vector<Point> multiples;
  multiples.reserve(count * POINT_MULTIPLES);
  for (std::size_t i = 0; i < count; i++) {
    if (!read_signature(signatures + i * SIGNATURE_BYTES, read[i])) return false;
    odd_multiples(read[i].point, POINT_MULTIPLES, multiples);
  }
  std::vector<Affine> points(multiples.size());
  to_affine(multiples, points.data());

  const std::vector<Scalar> inverse = inverses(read);
  Scalar of_generator = {{0, 0, 0, 0}};
  std::vector<Scalar> of_key(tables.size(), of_generator);
  Sum sum(count + 2 * (1 + tables.size()));
  for (std::size_t i = 0; i < count; i++) {
    Scalar factor = {{0, 0, 0, 0}};
    std::memcpy(factor.limbs, random + i * RANDOM_BYTES, RANDOM_BYTES);
    sum.add(&points[i * POINT_MULTIPLES], POINT_WINDOW, factor.limbs[0], factor.limbs[1]);
    const Scalar scaled = factor * inverse[i];
    of_generator = of_generator + scaled * read[i].hash;
    of_key[key_of[i]] = of_key[key_of[i]] + scaled * read[i].r;
  }

  // Copied: a table is bytes to whoever keeps it, at any address.
  std::vector<Affine> of_tables(tables.size() * 2 * KEY_MULTIPLES);
  sum.add(generator_table(), negative(of_generator));
  for (std::size_t i = 0; i < tables.size(); i++) {
    Affine* table = &of_tables[i * 2 * KEY_MULTIPLES];
    std::memcpy(table, tables[i], TABLE_BYTES);
    sum.add(table, negative(of_key[i]));
  }
  return sum.is_infinity();
}

}  // namespace ogpu::secp256k1
