// A signature (r, s) of the hash z was made by the key Q that recovering gives exactly when
//
//   (z / s) G + (r / s) Q
//
// is the point whose x is r and whose y has the parity told. Both scalars are cut into pieces of 32 bits, and for each piece
// there is a table of odd multiples of 2^32i G or 2^32i Q. So the whole is one sum of multiples of 32 bits, which share their
// doublings (Strauss), digit by digit in non-adjacent form.
#include "known-keys.h"

#include <cstring>

#include "point.h"
#include "scalar.h"

namespace ogpu::secp256k1 {

namespace {

constexpr int PIECE_BITS = 32;
constexpr int PIECES = 256 / PIECE_BITS;
// The form of an integer may have one digit more than it has bits.
constexpr int PLACES = PIECE_BITS + 1;

// Digits are odd and below 2^(window - 1), so 2^(window - 2) multiples of each piece's point are at hand.
constexpr int multiples_of(int window) { return 1 << (window - 2); }
// A larger one saves a few per cent and takes twice the memory, which each key takes.
constexpr int KEY_WINDOW = 6;
// There is one generator.
constexpr int GENERATOR_WINDOW = 10;

static_assert(TABLE_BYTES == PIECES * multiples_of(KEY_WINDOW) * sizeof(Affine));
static_assert(TABLE_ALIGNMENT == alignof(Affine));

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

Field<1> read_field(const std::uint8_t* bytes) { return from_words(read_scalar(bytes).limbs); }

constexpr std::uint8_t GENERATOR[64] = {
    0x79, 0xbe, 0x66, 0x7e, 0xf9, 0xdc, 0xbb, 0xac, 0x55, 0xa0, 0x62, 0x95, 0xce, 0x87, 0x0b, 0x07,
    0x02, 0x9b, 0xfc, 0xdb, 0x2d, 0xce, 0x28, 0xd9, 0x59, 0xf2, 0x81, 0x5b, 0x16, 0xf8, 0x17, 0x98,
    0x48, 0x3a, 0xda, 0x77, 0x26, 0xa3, 0xc4, 0x65, 0x5d, 0xa4, 0xfb, 0xfc, 0x0e, 0x11, 0x08, 0xa8,
    0xfd, 0x17, 0xb4, 0x48, 0xa6, 0x85, 0x54, 0x19, 0x9c, 0x47, 0xd0, 0x8f, 0xfb, 0x10, 0xd4, 0xb8,
};

Affine read_point(const std::uint8_t* bytes) { return {read_field(bytes), read_field(bytes + 32)}; }

// For each piece, the odd multiples of 2^32i `a`.
void fill_table(const Affine& a, int window, Affine* table) {
  std::vector<Point> shifted = {Point(a)};
  while (shifted.size() < PIECES) {
    Point next = shifted.back();
    for (int i = 0; i < PIECE_BITS; i++) next = twice(next);
    shifted.push_back(next);
  }
  Affine firsts[PIECES];
  to_affine(shifted, firsts);
  std::vector<Point> multiples;
  for (const Affine& first : firsts) odd_multiples(first, multiples_of(window), multiples);
  to_affine(multiples, table);
}

// The table of the generator, whose multiples every check needs.
const Affine* generator_table() {
  static const std::vector<Affine> table = [] {
    std::vector<Affine> filled(PIECES * multiples_of(GENERATOR_WINDOW));
    fill_table(read_point(GENERATOR), GENERATOR_WINDOW, filled.data());
    return filled;
  }();
  return table.data();
}

// A scalar's pieces, digit by digit.
class Digits {
 public:
  Digits(const Scalar& scalar, int window) {
    for (int piece = 0; piece < PIECES; piece++) {
      u64 rest = scalar.limbs[piece / 2] >> (piece % 2 * PIECE_BITS) & 0xffffffff;
      for (int place = 0; rest != 0; place += window) {
        const int zeros = __builtin_ctzll(rest);
        rest >>= zeros;
        place += zeros;
        const int value = static_cast<int>(rest & ((u64{1} << window) - 1));
        const int carry = value >> (window - 1);
        digits_[place][piece] = static_cast<std::int16_t>(value - (carry << window));
        rest = (rest >> window) + carry;
      }
    }
  }

  // Adds to `sum` what the digits at that place say, of multiples from the table.
  void add_to(Point& sum, int place, const Affine* table, int window) const {
    for (int piece = 0; piece < PIECES; piece++) {
      const int digit = digits_[place][piece];
      if (digit > 0) sum = sum + table[piece * multiples_of(window) + digit / 2];
      if (digit < 0) sum = sum - table[piece * multiples_of(window) + -digit / 2];
    }
  }

 private:
  std::int16_t digits_[PLACES][PIECES] = {};
};

// g G + k Q.
Point sum_of_multiples(const Scalar& g, const Scalar& k, const Affine* key_table) {
  const Digits of_generator(g, GENERATOR_WINDOW);
  const Digits of_key(k, KEY_WINDOW);
  Point sum;
  for (int place = PLACES - 1; place >= 0; place--) {
    sum = twice(sum);
    of_generator.add_to(sum, place, generator_table(), GENERATOR_WINDOW);
    of_key.add_to(sum, place, key_table, KEY_WINDOW);
  }
  return sum;
}

struct Signature {
  std::size_t index;
  Scalar hash, r, s;
  Field<1> x;
  bool is_odd;
};

// False where recovering would find no key either.
bool read_signature(const std::uint8_t* bytes, Signature& out) {
  out.hash = least(read_scalar(bytes));
  out.r = read_scalar(bytes + 32);
  out.s = read_scalar(bytes + 64);
  out.x = read_field(bytes + 32);
  out.is_odd = bytes[96] == 1;
  return bytes[96] <= 1 && !is_zero(out.r) && !is_zero(out.s) && is_below_order(out.r.limbs) && is_below_order(out.s.limbs);
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
  // Of two forms of one key, one is another key's to whoever hashes it.
  if (!is_below_prime(a.x) || !is_below_prime(a.y) || !is_on_curve(a)) return false;
  std::vector<Affine> filled(PIECES * multiples_of(KEY_WINDOW));
  fill_table(a, KEY_WINDOW, filled.data());
  std::memcpy(table, filled.data(), TABLE_BYTES);
  return true;
}

void check_signatures(const std::uint8_t* signatures, const std::uint32_t* key_of, std::size_t count,
                      const std::vector<const std::uint8_t*>& tables, std::uint8_t* results) {
  std::memset(results, 0, count);
  std::vector<Signature> read;
  for (std::size_t i = 0; i < count; i++) {
    Signature signature;
    signature.index = i;
    if (read_signature(signatures + i * SIGNATURE_BYTES, signature)) read.push_back(signature);
  }
  const std::vector<Scalar> inverse = inverses(read);
  std::vector<Point> sums;
  std::vector<const Signature*> signature_of;
  for (std::size_t i = 0; i < read.size(); i++) {
    const Signature& signature = read[i];
    const auto table = reinterpret_cast<const Affine*>(tables[key_of[signature.index]]);
    const Point sum = sum_of_multiples(signature.hash * inverse[i], signature.r * inverse[i], table);
    if (sum.is_infinity) continue;
    sums.push_back(sum);
    signature_of.push_back(&signature);
  }
  std::vector<Affine> points(sums.size());
  to_affine(sums, points.data());
  for (std::size_t i = 0; i < points.size(); i++) {
    const Signature& signature = *signature_of[i];
    const bool is_odd = (least(points[i].y).limbs[0] & 1) == 1;
    results[signature.index] = is_zero(points[i].x - signature.x) && is_odd == signature.is_odd;
  }
}

}  // namespace ogpu::secp256k1
