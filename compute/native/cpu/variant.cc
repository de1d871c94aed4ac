// The standard kernels for one instruction set: compiled once for every processor and once with AVX2 and FMA. Nothing in
// here may be shared with other files (no inline functions of the standard library), or the linker could pick code that this processor does not have.
#include <utility>

#include "kernel-code.h"

#include "../../kernels/elementwise.cu"
#include "../../kernels/rows.cu"
#include "byte-product.h"
#include "matrix-product.h"
#include "pooling.h"

namespace {

using ogpu::Launch;
using ogpu::Place;

template <class T>
T argument(const Launch& launch, int index) {
  T value;
  memcpy(&value, launch.arguments[index], sizeof value);
  return value;
}

// The sizes of a kernel's parameters, from its declaration.
template <class... Values>
struct Sizes {
  static constexpr uint8_t list[sizeof...(Values) + 1] = {sizeof(Values)..., 0};
};

// A kernel whose blocks are pieces: how it is called follows from its declaration.
template <auto KERNEL>
struct ByBlock;

template <class... Values, void (*KERNEL)(Place, Place, Values...)>
struct ByBlock<KERNEL> {
  using Parameters = Sizes<Values...>;

  static uint64_t pieces(const Launch& launch) {
    return static_cast<uint64_t>(launch.grid[0]) * launch.grid[1] * launch.grid[2];
  }


  template <size_t... I>
  static void call(const Launch& launch, Place at, Place grid, std::index_sequence<I...>) {
    KERNEL(at, grid, argument<Values>(launch, I)...);
  }

  static bool run(const Launch& launch, uint64_t piece) {
    Place grid{launch.grid[0], launch.grid[1], launch.grid[2]};
    Place at{static_cast<uint32_t>(piece % grid.x), static_cast<uint32_t>(piece / grid.x % grid.y),
             static_cast<uint32_t>(piece / grid.x / grid.y)};
    call(launch, at, grid, std::index_sequence_for<Values...>{});
    return true;
  }
};

// Matrices are cut into pieces of whole panels, about two for each thread, so that a thread that is late does not keep the
// others waiting, and the right side is brought into order few times.
struct Cut {
  int rows, columns;
  uint64_t down, across;

  Cut(int m, int n, uint64_t batch, unsigned threads) {
    columns = n < 4096 ? n : 4096;
    across = n == 0 ? 0 : (static_cast<uint64_t>(n) + columns - 1) / columns;
    uint64_t others = across * batch;
    uint64_t wanted = threads <= 1 || others == 0 ? 1 : (2 * threads + others - 1) / others;
    int64_t each = (static_cast<int64_t>(m) + wanted - 1) / wanted;
    int64_t most = 2 * PANEL_ROWS;
    if (each > most) each = most;
    rows = static_cast<int>((each + TILE_ROWS - 1) / TILE_ROWS * TILE_ROWS);
    down = m == 0 ? 0 : (static_cast<uint64_t>(m) + rows - 1) / rows;
  }
};

Scratch& scratch() {
  static thread_local Scratch own;
  return own;
}

struct Piece {
  uint64_t batch;
  int row, rows, column, columns;

  Piece(const Cut& cut, uint64_t piece, int m, int n) {
    column = static_cast<int>(piece % cut.across) * cut.columns;
    row = static_cast<int>(piece / cut.across % cut.down) * cut.rows;
    batch = piece / cut.across / cut.down;
    rows = m - row < cut.rows ? m - row : cut.rows;
    columns = n - column < cut.columns ? n - column : cut.columns;
  }
};

struct Gemm {
  using Parameters =
      Sizes<int, int, int, int, int, int, int, int, int, const float*, const float*, float*>;

  static uint64_t pieces(const Launch& launch) {
    Cut cut(argument<int>(launch, 0), argument<int>(launch, 1), launch.grid[2], launch.threads);
    return cut.down * cut.across * launch.grid[2];
  }

  static bool run(const Launch& launch, uint64_t piece) {
    int m = argument<int>(launch, 0), n = argument<int>(launch, 1), k = argument<int>(launch, 2);
    Piece at(Cut(m, n, launch.grid[2], launch.threads), piece, m, n);
    Strided a{argument<const float*>(launch, 9), argument<int>(launch, 4), argument<int>(launch, 5)};
    Strided b{argument<const float*>(launch, 10), argument<int>(launch, 7), argument<int>(launch, 8)};
    a.data += static_cast<int64_t>(at.batch) * argument<int>(launch, 3) + at.row * a.row;
    b.data += static_cast<int64_t>(at.batch) * argument<int>(launch, 6) + at.column * b.column;
    float* c = argument<float*>(launch, 11) + (static_cast<int64_t>(at.batch) * m + at.row) * n + at.column;
    return product_range(
        scratch(), at.rows, at.columns, k, c, n,
        [&](int first, int rows, int start, int depth, float* to) { pack_rows(a, first, rows, start, depth, to); },
        [&](int first, int columns, int start, int depth, float* to) {
          pack_columns(b, first, columns, start, depth, to);
        });
  }
};

// The image laid out as a matrix, as far as a panel of 16 pixels needs it.
struct Image {
  const float* data;
  int height, width, outWidth, kernelHeight, kernelWidth, strideY, strideX, padY, padX, dilationY, dilationX;

  void pack(int pixel, int columns, int start, int depth, float* to) const {
    int area = kernelHeight * kernelWidth;
    int tops[TILE_COLUMNS], lefts[TILE_COLUMNS];
    for (int j = 0; j < TILE_COLUMNS; j++) {
      int at = j < columns ? pixel + j : pixel;
      tops[j] = at / outWidth * strideY - padY;
      lefts[j] = at % outWidth * strideX - padX;
    }
    bool together = strideX == 1 && columns == TILE_COLUMNS && tops[0] == tops[TILE_COLUMNS - 1];
    int channel = start / area, ky = start % area / kernelWidth, kx = start % kernelWidth;
    for (int p = 0; p < depth; p++) {
      const float* plane = data + static_cast<int64_t>(channel) * height * width;
      int downY = ky * dilationY, downX = kx * dilationX;
      int first = lefts[0] + downX, row = tops[0] + downY;
      if (together && row >= 0 && row < height && first >= 0 && first + TILE_COLUMNS <= width) {
        memcpy(to + p * TILE_COLUMNS, plane + static_cast<int64_t>(row) * width + first, sizeof(float) * TILE_COLUMNS);
      } else {
        for (int j = 0; j < TILE_COLUMNS; j++) {
          int y = tops[j] + downY, x = lefts[j] + downX;
          bool there = y >= 0 && y < height && x >= 0 && x < width;
          to[p * TILE_COLUMNS + j] = there ? plane[static_cast<int64_t>(y) * width + x] : 0.0f;
        }
      }
      if (++kx == kernelWidth) {
        kx = 0;
        if (++ky == kernelHeight) ky = 0, channel++;
      }
    }
  }
};

struct Convolution {
  using Parameters = Sizes<int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, const float*,
                           const float*, float*>;

  static Cut cut(const Launch& launch) {
    int pixels = argument<int>(launch, 5) * argument<int>(launch, 6);
    return Cut(argument<int>(launch, 4), pixels, launch.grid[2], launch.threads);
  }

  static uint64_t pieces(const Launch& launch) {
    Cut whole = cut(launch);
    return whole.down * whole.across * launch.grid[2];
  }

  static bool run(const Launch& launch, uint64_t piece) {
    int values[15];
    for (int i = 0; i < 15; i++) values[i] = argument<int>(launch, i);
    int groups = values[0], channels = values[1], outputs = values[4], pixels = values[5] * values[6];
    int k = channels * values[7] * values[8];
    Piece at(cut(launch), piece, outputs, pixels);
    Image image{argument<const float*>(launch, 15), values[2],  values[3],  values[6],  values[7],
                values[8],                          values[9],  values[10], values[11], values[12],
                values[13],                         values[14]};
    image.data += static_cast<int64_t>(at.batch) * channels * values[2] * values[3];
    Strided weights{argument<const float*>(launch, 16), k, 1};
    weights.data += (static_cast<int64_t>(at.batch % groups) * outputs + at.row) * k;
    float* y = argument<float*>(launch, 17) + (static_cast<int64_t>(at.batch) * outputs + at.row) * pixels + at.column;
    return product_range(
        scratch(), at.rows, at.columns, k, y, pixels,
        [&](int first, int rows, int start, int depth, float* to) { pack_rows(weights, first, rows, start, depth, to); },
        [&](int first, int columns, int start, int depth, float* to) {
          image.pack(at.column + first, columns, start, depth, to);
        });
  }
};

struct GemmInt8 {
  using Parameters = Sizes<int, int, int, int, int, int, int, const uint8_t*, const uint8_t*, int*>;

  static Cut cut(const Launch& launch) {
    return Cut(argument<int>(launch, 0), 1, launch.grid[2], launch.threads);
  }

  static uint64_t pieces(const Launch& launch) { return cut(launch).down * launch.grid[2]; }

  static bool run(const Launch& launch, uint64_t piece) {
    int m = argument<int>(launch, 0), n = argument<int>(launch, 1), k = argument<int>(launch, 2);
    Piece at(cut(launch), piece, m, 1);
    static thread_local BytePanels panels;
    int64_t batch = static_cast<int64_t>(at.batch);
    Bytes a{argument<const uint8_t*>(launch, 7) + batch * m * k, argument<int>(launch, 3) != 0,
            argument<int>(launch, 5)};
    Bytes b{argument<const uint8_t*>(launch, 8) + batch * k * n, argument<int>(launch, 4) != 0,
            argument<int>(launch, 6)};
    return byte_product(panels, at.row, at.row + at.rows, n, k, a, b, argument<int*>(launch, 9) + batch * m * n);
  }
};

template <bool MAXIMUM>
struct Pool {
  using Parameters =
      Sizes<int, int, int, int, int, int, int, int, int, int, int, int, const float*, float*>;

  static uint64_t pieces(const Launch& launch) { return launch.grid[0]; }

  static bool run(const Launch& launch, uint64_t piece) {
    int values[12];
    for (int i = 0; i < 12; i++) values[i] = argument<int>(launch, i);
    PoolShape shape{values[1], values[2], values[3], values[4],  values[5], values[6],
                    values[7], values[8], values[9], values[10], values[11]};
    int64_t first = static_cast<int64_t>(piece) * OGPU_RUN;
    int64_t end = first + OGPU_RUN < values[0] ? first + OGPU_RUN : values[0];
    const float* x = argument<const float*>(launch, 12);
    float* y = argument<float*>(launch, 13);
    if (MAXIMUM) {
      pool_range(
          shape, first, end, x, y, -ogpu::infinity(), [](float a, float b) { return ogpu::larger(a, b); },
          [](float sum, int) { return sum; });
    } else {
      pool_range(
          shape, first, end, x, y, 0.0f, [](float a, float b) { return ogpu::add(a, b); },
          [](float sum, int count) { return ogpu::div(sum, static_cast<float>(count)); });
    }
    return true;
  }
};

#define CODE(name, how) {#name, how::Parameters::list, how::pieces, how::run}
#define BLOCKS(name) {#name, ByBlock<name>::Parameters::list, ByBlock<name>::pieces, ByBlock<name>::run}

const ogpu::KernelCode KERNELS[] = {
    CODE(gemm, Gemm),
    CODE(conv, Convolution),
    CODE(gemm_int8, GemmInt8),
    BLOCKS(negate),
    BLOCKS(absolute),
    BLOCKS(reciprocal),
    BLOCKS(square_root),
    BLOCKS(relu),
    BLOCKS(exponential),
    BLOCKS(logarithm),
    BLOCKS(hyperbolic_tangent),
    BLOCKS(error_function),
    BLOCKS(sigmoid),
    BLOCKS(gelu),
    BLOCKS(add),
    BLOCKS(subtract),
    BLOCKS(multiply),
    BLOCKS(divide),
    BLOCKS(minimum),
    BLOCKS(maximum),
    BLOCKS(reduce_sum),
    BLOCKS(reduce_mean),
    BLOCKS(reduce_sum_square),
    BLOCKS(reduce_product),
    BLOCKS(reduce_max),
    BLOCKS(reduce_min),
    BLOCKS(softmax),
    BLOCKS(layer_norm),
    BLOCKS(rms_norm),
    CODE(max_pool, Pool<true>),
    CODE(average_pool, Pool<false>),
};

}  // namespace

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
#define JOIN_OF(a, b) a##b
#define JOIN(a, b) JOIN_OF(a, b)

const ogpu::Variant ogpu::JOIN(OGPU_VARIANT, _variant) = {TEXT(OGPU_VARIANT), KERNELS, sizeof KERNELS / sizeof *KERNELS};
