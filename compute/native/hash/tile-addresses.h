// The content address of every tile of a buffer (docs/spec/job-program.md, "Commitments"), as work for the threads of the
// pool beside the kernels'.
#pragma once

#include "../cpu/kernel-code.h"

namespace ogpu {

// tile_addresses(bytes of the buffer, kind: 0 whole, 1 run, 2 rows; pitch, width, rows, plane of a tile; contents, addresses).
// For a run, `width` is its bytes. The launch's grid is the one that wrote the buffer.
extern const KernelCode TILE_ADDRESSES;

}  // namespace ogpu
