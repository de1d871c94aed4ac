// The standard kernels for one instruction set: compiled for every processor, with AVX2 and FMA, and with AVX-512. Nothing in
// here may be shared with other files (no inline functions of the standard library), or the linker could pick code that this processor does not have.
#include <utility>

#include "kernel-code.h"

#include "../../kernels/elementwise.cu"
#include "../../kernels/rows.cu"
#include "byte-product.h"
#include "convolution.h"
#include "matrix-product.h"
#include "pooling.h"

namespace {

using ogpu::Launch;
using ogpu::Place;
using ogpu::Region;

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

// Of `each` elements in a row, where the last piece may be cut off.
inline Region run_region(uint64_t piece, int64_t each, int64_t all) {
  int64_t first = static_cast<int64_t>(piece) * each;
  return {first, first + each < all ? each : all - first, 0, 1};
}

struct Elements {
  static Region region(const Launch& launch, uint64_t piece) {
    return run_region(piece, OGPU_RUN, argument<int>(launch, 0));
  }
};

// One result for each row, and a whole row for each row.
struct Folded {
  static Region region(const Launch& launch, uint64_t piece) {
    return run_region(piece, OGPU_ROWS, argument<int>(launch, 0));
  }
};

struct Rows {
  static Region region(const Launch& launch, uint64_t piece) {
    int64_t columns = argument<int>(launch, 1);
    return run_region(piece, OGPU_ROWS * columns, argument<int>(launch, 0) * columns);
  }
};

using UnaryKernel = void (*)(Place, Place, int, const float*, float*);
using BinaryKernel = void (*)(Place, Place, int, int, int, int, int, const float*, const float*, float*);

constexpr Place ONE{1, 1, 1};
constexpr Place ORIGIN{0, 0, 0};

template <UnaryKernel KERNEL>
void unary_range(const Launch&, int64_t, int count, const float* value, float* to) {
  KERNEL(ORIGIN, ONE, count, value, to);
}

// An operand from some element on: it stands still, or goes on by one for as long as the run lasts.
struct Operand {
  const float* from;
  bool moves;
  int64_t run;

  Operand(const Launch& launch, int index, int64_t at, const float* value) {
    if (launch.chained & (1u << index)) {
      from = value, moves = true, run = INT64_MAX;
      return;
    }
    ogpu::Repeated repeated{argument<uint32_t>(launch, 1 + 2 * index), argument<uint32_t>(launch, 2 + 2 * index)};
    from = argument<const float*>(launch, 5 + index) + repeated.at(static_cast<int>(at));
    moves = repeated.each == 1 && repeated.count > 1;
    run = ogpu::run_of(repeated, at);
  }
};

template <BinaryKernel KERNEL>
void binary_range(const Launch& launch, int64_t first, int count, const float* value, float* to) {
  for (int done = 0; done < count;) {
    Operand x(launch, 0, first + done, value + done), y(launch, 1, first + done, value + done);
    int64_t length = count - done;
    if (x.run < length) length = x.run;
    if (y.run < length) length = y.run;
    int n = static_cast<int>(length);
    KERNEL(ORIGIN, ONE, n, 1, x.moves ? n : 1, 1, y.moves ? n : 1, x.from, y.from, to + done);
    done += n;
  }
}

// Matrices are cut into pieces of whole tiles, about two for each thread, so that a thread that is late does not keep the
// others waiting; along the longer side, because each piece brings the whole other side into order for itself.
struct Cut {
  int rows, columns;
  uint64_t down, across;

  Cut(int m, int n, int k, uint64_t batch, unsigned threads) {
    uint64_t wanted = threads <= 1 || batch >= 2 * threads ? 1 : (2 * threads + batch - 1) / batch;
    columns = part(n, n > m ? wanted : 1, TILE_COLUMNS, 4096);
    // A piece is what a job that is cancelled still waits for.
    int64_t most = MOST_STEPS / (static_cast<int64_t>(columns) * k);
    if (most > MOST_ROWS) most = MOST_ROWS;
    rows = part(m, n > m ? 1 : wanted, TILE_ROWS, most < 2 * PANEL_ROWS ? 2 * PANEL_ROWS : static_cast<int>(most));
    down = (static_cast<uint64_t>(m) + rows - 1) / rows;
    across = (static_cast<uint64_t>(n) + columns - 1) / columns;
  }

 private:
  static constexpr int64_t MOST_STEPS = int64_t{1} << 33;
  static constexpr int64_t MOST_ROWS = 16 * PANEL_ROWS;

  static int part(int length, uint64_t parts, int tile, int most) {
    int64_t each = (static_cast<int64_t>(length) + parts - 1) / parts;
    if (each < 1) each = 1;
    if (each > most) each = most;
    return static_cast<int>((each + tile - 1) / tile * tile);
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

  Region region(int m, int n) const {
    return {(static_cast<int64_t>(batch) * m + row) * n + column, columns, n, rows};
  }
};

struct Gemm {
  using Parameters =
      Sizes<int, int, int, int, int, int, int, int, int, const float*, const float*, float*>;

  static Cut cut(const Launch& launch) {
    return Cut(argument<int>(launch, 0), argument<int>(launch, 1), argument<int>(launch, 2), launch.grid[2], launch.threads);
  }

  static uint64_t pieces(const Launch& launch) {
    Cut whole = cut(launch);
    return whole.down * whole.across * launch.grid[2];
  }

  static Region region(const Launch& launch, uint64_t piece) {
    int m = argument<int>(launch, 0), n = argument<int>(launch, 1);
    return Piece(cut(launch), piece, m, n).region(m, n);
  }

  static bool run(const Launch& launch, uint64_t piece) {
    int m = argument<int>(launch, 0), n = argument<int>(launch, 1), k = argument<int>(launch, 2);
    Piece at(cut(launch), piece, m, n);
    Strided a{argument<const float*>(launch, 9), argument<int>(launch, 4), argument<int>(launch, 5)};
    Strided b{argument<const float*>(launch, 10), argument<int>(launch, 7), argument<int>(launch, 8)};
    a.data += static_cast<int64_t>(at.batch) * argument<int>(launch, 3) + at.row * a.row;
    b.data += static_cast<int64_t>(at.batch) * argument<int>(launch, 6) + at.column * b.column;
    float* c = argument<float*>(launch, 11) + (static_cast<int64_t>(at.batch) * m + at.row) * n + at.column;
    return product_range<FloatLanes>(
        scratch(), at.rows, at.columns, k, c, n,
        [&](int first, int rows, int start, int depth, float* to) { pack_rows(a, first, rows, start, depth, to); },
        [&](int first, int columns, int start, int depth, float* to) {
          pack_columns(b, first, columns, start, depth, to);
        });
  }
};

struct Convolution {
  using Parameters = Sizes<int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, const float*,
                           const float*, float*>;

  static Cut cut(const Launch& launch) {
    int pixels = argument<int>(launch, 5) * argument<int>(launch, 6);
    int k = argument<int>(launch, 1) * argument<int>(launch, 7) * argument<int>(launch, 8);
    return Cut(argument<int>(launch, 4), pixels, k, launch.grid[2], launch.threads);
  }

  static uint64_t pieces(const Launch& launch) {
    Cut whole = cut(launch);
    return whole.down * whole.across * launch.grid[2];
  }

  static Region region(const Launch& launch, uint64_t piece) {
    int outputs = argument<int>(launch, 4), pixels = argument<int>(launch, 5) * argument<int>(launch, 6);
    return Piece(cut(launch), piece, outputs, pixels).region(outputs, pixels);
  }

  static bool run(const Launch& launch, uint64_t piece) {
    int values[15];
    for (int i = 0; i < 15; i++) values[i] = argument<int>(launch, i);
    int groups = values[0], channels = values[1], outputs = values[4], pixels = values[5] * values[6];
    int k = channels * values[7] * values[8];
    Piece at(cut(launch), piece, outputs, pixels);
    Shape shape{channels,  values[2],  values[3],  values[5],  values[6],  values[7], values[8],
                values[9], values[10], values[11], values[12], values[13], values[14]};
    static thread_local PaddedImage copy;
    Image image{nullptr, 0, 0, 0, shape};
    const float* x = argument<const float*>(launch, 15) + static_cast<int64_t>(at.batch) * channels * values[2] * values[3];
    int bottom = (at.column + at.columns - 1) / shape.outWidth + 1;
    if (!see(image, copy, x, at.column / shape.outWidth, bottom)) return false;
    Strided weights{argument<const float*>(launch, 16), k, 1};
    weights.data += (static_cast<int64_t>(at.batch % groups) * outputs + at.row) * k;
    float* y = argument<float*>(launch, 17) + (static_cast<int64_t>(at.batch) * outputs + at.row) * pixels + at.column;
    return product_range<FloatLanes>(
        scratch(), at.rows, at.columns, k, y, pixels,
        [&](int first, int rows, int start, int depth, float* to) { pack_rows(weights, first, rows, start, depth, to); },
        [&](int first, int columns, int start, int depth, float* to) {
          image.pack(at.column + first, columns, start, depth, to);
        });
  }
};

struct GemmInt8 {
  using Parameters = Sizes<int, int, int, int, int, int, int, const uint8_t*, const uint8_t*, int*>;

  static uint64_t pieces(const Launch& launch) { return Gemm::pieces(launch); }

  static Region region(const Launch& launch, uint64_t piece) { return Gemm::region(launch, piece); }

  static bool run(const Launch& launch, uint64_t piece) {
    int m = argument<int>(launch, 0), n = argument<int>(launch, 1), k = argument<int>(launch, 2);
    Piece at(Gemm::cut(launch), piece, m, n);
    int64_t batch = static_cast<int64_t>(at.batch);
    Bytes a(argument<const uint8_t*>(launch, 7) + (batch * m + at.row) * k, k, argument<int>(launch, 3) != 0,
            argument<int>(launch, 5));
    Bytes b(argument<const uint8_t*>(launch, 8) + batch * k * n + at.column, n, argument<int>(launch, 4) != 0,
            argument<int>(launch, 6));
    int* c = argument<int*>(launch, 9) + (batch * m + at.row) * n + at.column;
    return byte_product(scratch(), at.rows, at.columns, k, a, b, c, n);
  }
};

template <bool MAXIMUM>
struct Pool {
  using Parameters =
      Sizes<int, int, int, int, int, int, int, int, int, int, int, int, const float*, float*>;

  static uint64_t pieces(const Launch& launch) { return launch.grid[0]; }

  static Region region(const Launch& launch, uint64_t piece) { return Elements::region(launch, piece); }

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

#define CODE(name, how) {#name, how::Parameters::list, how::pieces, how::run, how::region, nullptr}
#define BLOCKS(name, shape, range) \
  {#name, ByBlock<name>::Parameters::list, ByBlock<name>::pieces, ByBlock<name>::run, shape::region, range}
#define UNARY_CODE(name) BLOCKS(name, Elements, unary_range<name>)
#define BINARY_CODE(name) BLOCKS(name, Elements, binary_range<name>)
#define FOLD_CODE(name) BLOCKS(name, Folded, nullptr)
#define ROW_CODE(name) BLOCKS(name, Rows, nullptr)

const ogpu::KernelCode KERNELS[] = {
    CODE(gemm, Gemm),
    CODE(conv, Convolution),
    CODE(gemm_int8, GemmInt8),
    UNARY_CODE(negate),
    UNARY_CODE(absolute),
    UNARY_CODE(reciprocal),
    UNARY_CODE(square_root),
    UNARY_CODE(relu),
    UNARY_CODE(exponential),
    UNARY_CODE(logarithm),
    UNARY_CODE(hyperbolic_tangent),
    UNARY_CODE(error_function),
    UNARY_CODE(sigmoid),
    UNARY_CODE(gelu),
    BINARY_CODE(add),
    BINARY_CODE(subtract),
    BINARY_CODE(multiply),
    BINARY_CODE(divide),
    BINARY_CODE(minimum),
    BINARY_CODE(maximum),
    FOLD_CODE(reduce_sum),
    FOLD_CODE(reduce_mean),
    FOLD_CODE(reduce_sum_square),
    FOLD_CODE(reduce_product),
    FOLD_CODE(reduce_max),
    FOLD_CODE(reduce_min),
    ROW_CODE(softmax),
    ROW_CODE(layer_norm),
    ROW_CODE(rms_norm),
    CODE(max_pool, Pool<true>),
    CODE(average_pool, Pool<false>),
};

}  // namespace

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
#define JOIN_OF(a, b) a##b
#define JOIN(a, b) JOIN_OF(a, b)

const ogpu::Variant ogpu::JOIN(OGPU_VARIANT, _variant) = {TEXT(OGPU_VARIANT), KERNELS, sizeof KERNELS / sizeof *KERNELS};
