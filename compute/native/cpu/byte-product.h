// The product of byte matrices of compute/kernels/gemm-int8.cu, tuned: integers that wrap, so any order is the same. Two steps
// along k lie side by side, as the instruction that multiplies and adds pairs wants them.
#pragma once

#include "matrix-product.h"

namespace {

// Bytes less their zero, which have 16 bits then. Signed ones are unsigned ones with the top bit inverted, less 128.
struct Bytes {
  const uint8_t* data;
  int pitch;
  int flip, zero;

  Bytes(const uint8_t* bytes, int row, bool is_signed, int of_zero)
      : data(bytes), pitch(row), flip(is_signed ? 0x80 : 0), zero(is_signed ? of_zero + 0x80 : of_zero) {}

  int at(uint8_t byte) const { return (byte ^ flip) - zero; }
  int32_t pair(uint8_t low, uint8_t high) const { return join(at(low), at(high)); }
  int32_t pair(uint8_t low) const { return join(at(low), 0); }

 private:
  static int32_t join(int low, int high) {
    return static_cast<int32_t>(static_cast<uint32_t>(low) & 0xffff) | static_cast<int32_t>(static_cast<uint32_t>(high) << 16);
  }
};

// `k` and `depth` count pairs; of the last one, the second half may be beyond the `length` of the rows.
inline void pack_byte_rows(const Bytes& a, int length, int first, int rows, int k, int depth, int32_t* to) {
  for (int i = 0; i < rows; i++) {
    const uint8_t* from = a.data + static_cast<int64_t>(first + i) * a.pitch;
    for (int p = 0; p < depth; p++) {
      int at = 2 * (k + p);
      to[p * TILE_ROWS + i] = at + 1 < length ? a.pair(from[at], from[at + 1]) : a.pair(from[at]);
    }
  }
  for (int i = rows; i < TILE_ROWS; i++) {
    for (int p = 0; p < depth; p++) to[p * TILE_ROWS + i] = 0;
  }
}

inline void pack_byte_columns(const Bytes& b, int length, int first, int columns, int k, int depth, int32_t* to) {
  for (int p = 0; p < depth; p++, to += TILE_COLUMNS) {
    int at = 2 * (k + p);
    const uint8_t* low = b.data + static_cast<int64_t>(at) * b.pitch + first;
    if (at + 1 == length) {
      for (int j = 0; j < columns; j++) to[j] = b.pair(low[j]);
    } else if (columns == TILE_COLUMNS) {
      for (int j = 0; j < TILE_COLUMNS; j++) to[j] = b.pair(low[j], low[b.pitch + j]);
    } else {
      for (int j = 0; j < columns; j++) to[j] = b.pair(low[j], low[b.pitch + j]);
    }
    for (int j = columns; j < TILE_COLUMNS; j++) to[j] = 0;
  }
}

// c[rows x columns] at `c`, with `k` steps of bytes.
inline bool byte_product(Scratch& scratch, int rows, int columns, int k, const Bytes& a, const Bytes& b, int32_t* c,
                         size_t pitch) {
  return product_range<PairLanes>(
      scratch, rows, columns, (k + 1) / 2, c, pitch,
      [&](int first, int count, int start, int depth, int32_t* to) {
        pack_byte_rows(a, k, first, count, start, depth, to);
      },
      [&](int first, int count, int start, int depth, int32_t* to) {
        pack_byte_columns(b, k, first, count, start, depth, to);
      });
}

}  // namespace
