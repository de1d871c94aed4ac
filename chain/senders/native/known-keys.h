// Whether signatures were made by keys that are known: by one sum for all of them, which takes a fraction of what recovering
// their keys does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ogpu::secp256k1 {

// What makes multiples of a key quick to find: odd multiples of the key, and of 2^128 times the key.
constexpr std::size_t TABLE_BYTES = 2560;

// Hash, r and s, of 32 bytes each with the most significant first, and the parity of y.
constexpr std::size_t SIGNATURE_BYTES = 97;

// Unpredictable bytes for each signature.
constexpr std::size_t RANDOM_BYTES = 16;

// Of a key's 64 bytes (x, y). False when that is no point of the curve.
bool make_table(const std::uint8_t* key, std::uint8_t* table);

// True when recovering from each signature gives exactly the key that it names. False when one does not, or might not;
// wrongly true with a chance of 2^-128, however the signatures were chosen, if `random` was chosen after them.
bool check_signatures(const std::uint8_t* signatures, const std::uint32_t* key_of, std::size_t count,
                      const std::vector<const std::uint8_t*>& tables, const std::uint8_t* random);

}  // namespace ogpu::secp256k1
