// SHA-256 of many 64-byte inputs, which nodes of hash trees are: two blocks each, the second of which is always the same.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ogpu {

// The hash of each of `count` inputs of 64 bytes. `to` may be `from`: hashes never lie beyond the inputs they are made of.
void hash_pairs(uint8_t* to, const uint8_t* from, size_t count);

}  // namespace ogpu
