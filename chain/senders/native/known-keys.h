// Whether signatures were made by keys that are known: with tables of their multiples that takes a fraction of what recovering
// them does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ogpu::secp256k1 {

// What makes multiples of a key quick to find.
constexpr std::size_t TABLE_BYTES = 10'240;
constexpr std::size_t TABLE_ALIGNMENT = 8;

// Hash, r and s, of 32 bytes each with the most significant first, and the parity of y.
constexpr std::size_t SIGNATURE_BYTES = 97;

// Of a key's 64 bytes (x, y), both below the field's prime. False when that is no point of the curve.
bool make_table(const std::uint8_t* key, std::uint8_t* table);

// For each signature, 1 when recovering from it gives exactly the key that it names, or else 0. Of several together each
// takes less time: they share two inversions.
void check_signatures(const std::uint8_t* signatures, const std::uint32_t* key_of, std::size_t count,
                      const std::vector<const std::uint8_t*>& tables, std::uint8_t* results);

}  // namespace ogpu::secp256k1
