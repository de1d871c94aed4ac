#include "tile-addresses.h"

#include <stdlib.h>
#include <string.h>

#include "sha256.h"

namespace ogpu {

namespace {

constexpr size_t HASH = 32, PAIR = 64, CHUNK = 1024;
// Of a chunk's root, in words of 32 bytes.
constexpr int CHUNK_HEIGHT = 5;
// Bytes that make a piece worth taking.
constexpr uint64_t PIECE_BYTES = 1 << 16;

// Roots of trees of zeros, by their height.
struct ZeroRoots {
  uint8_t at[64][HASH] = {};
  ZeroRoots() {
    for (int height = 1; height < 64; height++) {
      uint8_t pair[PAIR];
      memcpy(pair, at[height - 1], HASH);
      memcpy(pair + HASH, at[height - 1], HASH);
      hash_pairs(at[height], pair, 1);
    }
  }
};

struct Scratch {
  uint8_t* bytes = nullptr;
  size_t length = 0;

  bool reserve(size_t wanted) {
    if (length >= wanted) return true;
    free(bytes);
    bytes = static_cast<uint8_t*>(malloc(wanted));
    length = bytes == nullptr ? 0 : wanted;
    return bytes != nullptr;
  }

  ~Scratch() { free(bytes); }
};

struct Tile {
  uint64_t start, width, rows, pitch;
};

enum Kind : uint32_t { WHOLE, RUN, ROWS };

struct Order {
  uint64_t length, pitch, width, rows, plane;
  uint32_t kind;
  const uint8_t* contents;
  uint8_t* addresses;
  const uint32_t* grid;

  template <class T>
  static T argument(const Launch& launch, int index) {
    T value;
    memcpy(&value, launch.arguments[index], sizeof value);
    return value;
  }

  explicit Order(const Launch& launch)
      : length(argument<uint64_t>(launch, 0)),
        pitch(argument<uint64_t>(launch, 2)),
        width(argument<uint64_t>(launch, 3)),
        rows(argument<uint64_t>(launch, 4)),
        plane(argument<uint64_t>(launch, 5)),
        kind(argument<uint32_t>(launch, 1)),
        contents(argument<const uint8_t*>(launch, 6)),
        addresses(argument<uint8_t*>(launch, 7)),
        grid(launch.grid) {}

  uint64_t tiles() const { return kind == WHOLE ? 1 : static_cast<uint64_t>(grid[0]) * grid[1] * grid[2]; }

  uint64_t each() const {
    uint64_t bytes = kind == WHOLE ? length : kind == RUN ? width : width * rows;
    return bytes >= PIECE_BYTES ? 1 : PIECE_BYTES / (bytes == 0 ? 1 : bytes);
  }

  Tile tile(uint64_t index) const {
    if (kind == WHOLE) return {0, length, 1, length};
    if (kind == RUN) {
      uint64_t start = index * width;
      return {start, length - start < width ? length - start : width, 1, width};
    }
    uint64_t column = index % grid[0] * width, row = index / grid[0] % grid[1] * rows, z = index / grid[0] / grid[1];
    return {(z * plane + row) * pitch + column, pitch - column < width ? pitch - column : width,
            plane - row < rows ? plane - row : rows, pitch};
  }
};

// The first level of a tile's tree, of its rows as they lie where they are whole pairs, else of a copy. Returns its nodes.
size_t first_level(const uint8_t* contents, const Tile& tile, uint8_t* to) {
  if (tile.width % PAIR == 0) {
    size_t pairs = tile.width / PAIR;
    for (uint64_t row = 0; row < tile.rows; row++) {
      hash_pairs(to + row * pairs * HASH, contents + tile.start + row * tile.pitch, pairs);
    }
    return pairs * tile.rows;
  }
  size_t bytes = tile.width * tile.rows, pairs = (bytes + PAIR - 1) / PAIR;
  for (uint64_t row = 0; row < tile.rows; row++) {
    memcpy(to + row * tile.width, contents + tile.start + row * tile.pitch, tile.width);
  }
  memset(to + bytes, 0, pairs * PAIR - bytes);
  hash_pairs(to, to, pairs);
  return pairs;
}

bool address_of(const Order& order, const Tile& tile, uint8_t* address) {
  static const ZeroRoots zeros;
  static thread_local Scratch scratch;
  uint64_t bytes = tile.width * tile.rows;
  if (!scratch.reserve(bytes + 2 * PAIR)) return false;
  uint64_t chunks = bytes <= CHUNK ? 1 : (bytes + CHUNK - 1) / CHUNK;
  int heights = CHUNK_HEIGHT;
  while ((uint64_t{1} << (heights - CHUNK_HEIGHT)) < chunks) heights++;
  uint8_t* level = scratch.bytes;
  // Nothing is a chunk of zeros.
  if (bytes == 0) memset(level, 0, PAIR), hash_pairs(level, level, 1);
  size_t nodes = bytes == 0 ? 1 : first_level(order.contents, tile, level);
  for (int height = 1; height < heights; height++) {
    if (nodes % 2 == 1) memcpy(level + nodes++ * HASH, zeros.at[height], HASH);
    nodes /= 2;
    hash_pairs(level, level, nodes);
  }
  memset(level + HASH, 0, HASH);
  for (int i = 0; i < 8; i++) level[HASH + i] = static_cast<uint8_t>(bytes >> (8 * i));
  hash_pairs(address, level, 1);
  return true;
}

uint64_t pieces(const Launch& launch) {
  Order order(launch);
  return (order.tiles() + order.each() - 1) / order.each();
}

bool run(const Launch& launch, uint64_t piece) {
  Order order(launch);
  uint64_t first = piece * order.each(), end = first + order.each();
  for (uint64_t i = first; i < end && i < order.tiles(); i++) {
    if (!address_of(order, order.tile(i), order.addresses + i * HASH)) return false;
  }
  return true;
}

constexpr uint8_t SIZES[] = {8, 4, 8, 8, 8, 8, 8, 8, 0};

}  // namespace

const KernelCode TILE_ADDRESSES = {"tile_addresses", SIZES, pieces, run, nullptr, nullptr};

}  // namespace ogpu
