// Points of secp256k1, y^2 = x^3 + 7 (SEC 2, section 2.4.1), and their sums as the textbooks have them: with every special
// case, since whoever signs chooses the points.
#pragma once

#include <cstddef>
#include <vector>

#include "field.h"

namespace ogpu::secp256k1 {

constexpr Field<1> ONE = {1, 0, 0, 0, 0};
constexpr Field<1> SEVEN = {7, 0, 0, 0, 0};

struct Affine {
  Field<1> x, y;
};

// (x / z^2, y / z^3).
struct Point {
  Field<6> x;
  Field<3> y;
  Field<1> z;
  bool is_infinity = true;

  Point() = default;
  Point(const Field<6>& x, const Field<3>& y, const Field<1>& z) : x(x), y(y), z(z), is_infinity(false) {}
  explicit Point(const Affine& a) : Point(a.x, a.y, ONE) {}
};

// With m = 3x^2 / 2 (half the slope's numerator) and t = -x y^2. No point has y = 0: the order is odd.
inline Point twice(const Point& p) {
  if (p.is_infinity) return p;
  const auto yy = square(p.y);
  const auto m = half(times<3>(square(p.x)));
  const auto t = negative(p.x * yy);
  const auto x = square(m) + times<2>(t);
  return {x, negative(m * (x + t) + square(yy)), p.y * p.z};
}

// The sum of `first` and another, whose x and y, brought to the same z, are (x1, y1) and (x2, y2).
template <int M, int N>
inline Point add_aligned(const Field<M>& x1, const Field<N>& y1, const Field<1>& x2, const Field<1>& y2,
                         const Field<1>& z, const Point& first) {
  const auto h = x2 - x1;
  const auto r = y2 - y1;
  if (is_zero(h)) return is_zero(r) ? twice(first) : Point();
  const auto hh = square(h);
  const auto hhh = hh * h;
  const auto v = x1 * hh;
  const auto x = square(r) - (hhh + times<2>(v));
  return {x, r * (v - x) - y1 * hhh, z * h};
}

inline Point add_affine(const Point& p, const Field<1>& x, const Field<2>& y) {
  if (p.is_infinity) return {x, y, ONE};
  const auto zz = square(p.z);
  return add_aligned(p.x, p.y, x * zz, y * (zz * p.z), p.z, p);
}

inline Point operator+(const Point& p, const Affine& q) { return add_affine(p, q.x, q.y); }
inline Point operator-(const Point& p, const Affine& q) { return add_affine(p, q.x, negative(q.y)); }

inline Point operator+(const Point& p, const Point& q) {
  if (p.is_infinity) return q;
  if (q.is_infinity) return p;
  const auto pp = square(p.z), qq = square(q.z);
  return add_aligned(p.x * qq, p.y * (qq * q.z), q.x * pp, q.y * (pp * p.z), p.z * q.z, p);
}

// The same points with z = 1, by one inversion for all. None is infinity.
inline void to_affine(const std::vector<Point>& points, Affine* out) {
  // Each has the product of all before it; then the inverse of the whole product is taken apart from the end.
  std::vector<Field<1>> before(points.size());
  Field<1> product = ONE;
  for (std::size_t i = 0; i < points.size(); i++) {
    before[i] = product;
    product = product * points[i].z;
  }
  Field<1> rest = inverse(product);
  for (std::size_t i = points.size(); i-- > 0;) {
    const auto z = rest * before[i];
    rest = rest * points[i].z;
    const auto zz = square(z);
    out[i] = {points[i].x * zz, points[i].y * (zz * z)};
  }
}

// a, 3a, 5a, ... : `count` of them, added to `out`. No small multiple of a point is infinity: the order is a prime.
inline void odd_multiples(const Affine& a, int count, std::vector<Point>& out) {
  const Point step = twice(Point(a));
  Point next(a);
  for (int i = 0; i < count; i++) {
    out.push_back(next);
    next = i == 0 ? step + a : next + step;
  }
}

inline bool is_on_curve(const Affine& a) { return is_zero(square(a.y) - (square(a.x) * a.x + SEVEN)); }

}  // namespace ogpu::secp256k1
