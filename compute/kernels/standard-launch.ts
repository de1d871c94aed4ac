/**
 * How a standard kernel is launched: from its numbers follow the grid, the tiles, the least length of each buffer, and bounds
 * of what a tile uses. Programs are built with it, and the CPU device runs a launch natively only when the
 * launch is at least what is said here: then it can neither leave a buffer nor trap.
 */
import type { Extent, TileAssignment, TileSpec } from "../program/types.ts";

export interface StandardLaunch {
  readonly grid: Extent;
  readonly block: Extent;
  readonly tiles: readonly TileAssignment[];
  /** Upper bounds for one tile. */
  readonly fuel: number;
  readonly bytes: number;
  /** Parameter -> bytes that its buffer has; exactly so where the launch writes, at least so where it reads. */
  readonly buffers: ReadonlyMap<number, number>;
}

/** What each parameter is: an integer, a float, a buffer that is read, a buffer that is written. */
export type ParameterKinds = string;

interface Description {
  readonly kinds: ParameterKinds;
  /** `numbers` are the scalars in order; `batch` is the grid along z, where the kernel has one. */
  launch(numbers: readonly number[], batch: number): StandardLaunch | undefined;
}

const THREADS: Extent = [256, 1, 1];
const CHUNK = 1024;
const SIDE = 64;
const RUN = 1024;
const ROWS = 8;
/** Indices are 32-bit in the kernels, with some room for the last block's. */
const MAX_COUNT: number = 2 ** 31 - 2 ** 16;

function positive(...values: readonly (number | undefined)[]): boolean {
  return values.every((value) => value !== undefined && Number.isInteger(value) && value >= 1 && value <= MAX_COUNT);
}

/** Chunks that a part of a buffer can lie in: so many pieces of so many bytes in a row. */
function chunks(pieces: number, bytes: number): number {
  return pieces * (Math.ceil(bytes / CHUNK) + 1);
}

/** Of `rows` by `columns` floats, steps apart. */
function matrixChunks(rows: number, columns: number, rowStep: number, columnStep: number): number {
  const scattered = rows * columns;
  const byRows = columnStep <= 1 ? chunks(rows, 4 * columns) : scattered;
  const byColumns = rowStep <= 1 ? chunks(columns, 4 * rows) : scattered;
  return Math.min(scattered, byRows, byColumns);
}

function matrixTile(rows: number, columns: number): TileSpec {
  return { kind: "rows", pitch: 4 * columns, width: 4 * SIDE, rows: SIDE, plane: rows };
}

function matrixGrid(rows: number, columns: number, batch: number): Extent {
  return [Math.ceil(columns / SIDE), Math.ceil(rows / SIDE), batch];
}

/** A thread brings 4 elements of each side for every 16 steps, and makes 16 multiply-adds in each of them. */
function productFuel(k: number, bring: number): number {
  return 256 * (1_000 + Math.ceil(k / 16) * (4 * bring + 16 * 190 + 40));
}

function gemm(numbers: readonly number[], batch: number): StandardLaunch | undefined {
  const [m = 0, n = 0, k = 0, aBatch = 0, aRow = 0, aColumn = 0, bBatch = 0, bRow = 0, bColumn = 0] = numbers;
  if (!positive(m, n, k, batch, m * n * batch)) return undefined;
  if ([aBatch, aRow, aColumn, bBatch, bRow, bColumn].some((step) => step < 0)) return undefined;
  const last = (batchStep: number, ...steps: readonly (readonly [number, number])[]): number =>
    4 * (1 + steps.reduce((sum, [count, step]) => sum + (count - 1) * step, (batch - 1) * batchStep));
  const touched = [
    matrixChunks(Math.min(m, SIDE), k, aRow, aColumn),
    matrixChunks(k, Math.min(n, SIDE), bRow, bColumn),
    chunks(SIDE, 4 * SIDE),
  ];
  return {
    ...{ grid: matrixGrid(m, n, batch), block: THREADS, tiles: [{ parameter: 11, tile: matrixTile(m, n) }] },
    fuel: productFuel(k, 180),
    bytes: CHUNK * touched.reduce((sum, count) => sum + count),
    buffers: new Map([
      [9, last(aBatch, [m, aRow], [k, aColumn])],
      [10, last(bBatch, [k, bRow], [n, bColumn])],
      [11, 4 * m * n * batch],
    ]),
  };
}

function conv(numbers: readonly number[], batch: number): StandardLaunch | undefined {
  const [groups = 0, channels = 0, height = 0, width = 0, outputs = 0, outHeight = 0, outWidth = 0, ...window] =
    numbers;
  const [kernelHeight = 0, kernelWidth = 0, strideY = 0, strideX = 0, padY = 0, padX = 0, ...dilation] = window;
  const [dilationY = 0, dilationX = 0] = dilation;
  const k = channels * kernelHeight * kernelWidth;
  const pixels = outHeight * outWidth;
  if (!positive(groups, k, height * width, outputs, pixels, strideY, strideX, dilationY, dilationX, batch)) {
    return undefined;
  }
  // Nothing computed on the way is beyond 32 bits.
  const reaches = [
    (outHeight + 1) * strideY,
    (outWidth + 1) * strideX,
    kernelHeight * dilationY,
    kernelWidth * dilationX,
  ];
  const counts = [channels * height * width * batch, outputs * pixels * batch, outputs * k * groups];
  if (!positive(...reaches, ...counts) || padY < 0 || padX < 0 || padY > 2 ** 30 || padX > 2 ** 30) return undefined;
  if (batch % groups !== 0) return undefined;
  const touched = [
    chunks(Math.min(outputs, SIDE), 4 * k),
    Math.min(Math.ceil((4 * channels * height * width) / CHUNK) + 1, k * Math.min(pixels, SIDE)),
    chunks(SIDE, 4 * SIDE),
  ];
  return {
    ...{ grid: matrixGrid(outputs, pixels, batch), block: THREADS },
    tiles: [{ parameter: 17, tile: matrixTile(outputs, pixels) }],
    fuel: productFuel(k, 300),
    bytes: CHUNK * touched.reduce((sum, count) => sum + count),
    buffers: new Map([
      [15, 4 * channels * height * width * batch],
      [16, 4 * outputs * k * groups],
      [17, 4 * outputs * pixels * batch],
    ]),
  };
}

function gemmInt8(numbers: readonly number[], batch: number): StandardLaunch | undefined {
  const [m = 0, n = 0, k = 0, , , aZero = 0, bZero = 0] = numbers;
  if (!positive(m, n, k, batch, m * n * batch, m * k * batch, k * n * batch)) return undefined;
  // A byte less its zero has 16 bits then.
  if ([aZero, bZero].some((zero) => zero < -255 || zero > 255)) return undefined;
  const touched = chunks(Math.min(m, SIDE), k) + chunks(k, Math.min(n, SIDE)) + chunks(SIDE, 4 * SIDE);
  return {
    ...{ grid: matrixGrid(m, n, batch), block: THREADS, tiles: [{ parameter: 9, tile: matrixTile(m, n) }] },
    fuel: productFuel(k, 180),
    bytes: CHUNK * touched,
    buffers: new Map([
      [7, m * k * batch],
      [8, k * n * batch],
      [9, 4 * m * n * batch],
    ]),
  };
}

function run(n: number, each: number, output: number, inputs: readonly (readonly [number, number])[]): StandardLaunch {
  return {
    ...{ grid: [Math.ceil(n / RUN), 1, 1], block: THREADS },
    tiles: [{ parameter: output, tile: { kind: "run", bytes: 4 * RUN } }],
    fuel: 256 * (200 + 4 * each),
    bytes: CHUNK * (5 + inputs.reduce((sum, [, bytes]) => sum + Math.min(RUN, Math.ceil(bytes / CHUNK) + 1), 0)),
    buffers: new Map([...inputs, [output, 4 * n]]),
  };
}

function binary([n = 0, xEach = 0, xCount = 0, yEach = 0, yCount = 0]: readonly number[]): StandardLaunch | undefined {
  if (!positive(n, xEach, xCount, yEach, yCount)) return undefined;
  const used = (each: number, count: number): number => 4 * Math.min(count, Math.ceil(n / each));
  return run(n, 120, 7, [
    [5, used(xEach, xCount)],
    [6, used(yEach, yCount)],
  ]);
}

function pool(numbers: readonly number[]): StandardLaunch | undefined {
  const [n = 0, height = 0, width = 0, outHeight = 0, outWidth = 0, ...window] = numbers;
  const [kernelHeight = 0, kernelWidth = 0, strideY = 0, strideX = 0, padY = -1, padX = -1] = window;
  const planes = Math.ceil(n / (outHeight * outWidth));
  const sizes = [n, outHeight * outWidth, kernelHeight * kernelWidth, strideY, strideX, height * width * planes];
  const reaches = [(outHeight + 1) * strideY + kernelHeight, (outWidth + 1) * strideX + kernelWidth];
  if (!positive(...sizes, ...reaches) || padY < 0 || padX < 0 || padY > 2 ** 30 || padX > 2 ** 30) return undefined;
  return run(n, 200 + 80 * kernelHeight * (kernelWidth + 1), 13, [[12, 4 * height * width * planes]]);
}

/** A block has 8 rows, one warp each. */
function byRows(rows: number, columns: number, each: number): Pick<StandardLaunch, "grid" | "block" | "fuel"> {
  const fuel = 256 * (1_000 + Math.ceil(columns / 32) * each);
  return { grid: [Math.ceil(rows / ROWS), 1, 1], block: THREADS, fuel };
}

function reduce([rows = 0, columns = 0, inner = 0]: readonly number[]): StandardLaunch | undefined {
  if (!positive(rows, columns, inner, rows * columns) || rows % inner !== 0) return undefined;
  const input = 4 * rows * columns;
  const touched = Math.min(Math.ceil(input / CHUNK) + 1, inner === 1 ? chunks(ROWS, 4 * columns) : ROWS * columns);
  return {
    ...byRows(rows, columns, 60),
    tiles: [{ parameter: 4, tile: { kind: "run", bytes: 4 * ROWS } }],
    bytes: CHUNK * (touched + 2),
    buffers: new Map([
      [3, input],
      [4, 4 * rows],
    ]),
  };
}

function normalise(each: number, extras: number, firstBuffer: number): Description["launch"] {
  return ([rows = 0, columns = 0]) => {
    if (!positive(rows, columns, rows * columns)) return undefined;
    const output = firstBuffer + 1 + extras;
    const vectors = Array.from({ length: extras }, (_, i) => [firstBuffer + 1 + i, 4 * columns] as const);
    return {
      ...byRows(rows, columns, each),
      tiles: [{ parameter: output, tile: { kind: "run", bytes: 4 * ROWS * columns } }],
      bytes: CHUNK * (2 * chunks(1, 4 * ROWS * columns) + extras * chunks(1, 4 * columns)),
      buffers: new Map([[firstBuffer, 4 * rows * columns], ...vectors, [output, 4 * rows * columns]]),
    };
  };
}

/** `each` is the fuel of one element. */
function unary(each: number): Description {
  return { kinds: "ibw", launch: ([n = 0]) => (positive(n) ? run(n, each, 2, [[1, 4 * n]]) : undefined) };
}

const BINARY: Description = { kinds: "iiiiibbw", launch: binary };
const REDUCE: Description = { kinds: "iiibw", launch: reduce };
const POOL: Description = { kinds: "iiiiiiiiiiiibw", launch: pool };

const DESCRIPTIONS: ReadonlyMap<string, Description> = new Map<string, Description>([
  ["gemm", { kinds: "iiiiiiiiibbw", launch: gemm }],
  ["conv", { kinds: "iiiiiiiiiiiiiiibbw", launch: conv }],
  ["gemm_int8", { kinds: "iiiiiiibbw", launch: gemmInt8 }],
  ...["negate", "absolute", "reciprocal", "square_root", "relu"].map((name) => [name, unary(60)] as const),
  ...["exponential", "logarithm", "sigmoid"].map((name) => [name, unary(200)] as const),
  ...["hyperbolic_tangent", "error_function", "gelu"].map((name) => [name, unary(400)] as const),
  ...["add", "subtract", "multiply", "divide", "minimum", "maximum"].map((name) => [name, BINARY] as const),
  ...["sum", "mean", "sum_square", "product", "max", "min"].map((name) => [`reduce_${name}`, REDUCE] as const),
  ["softmax", { kinds: "iibw", launch: normalise(450, 0, 2) }],
  ["layer_norm", { kinds: "iifbbbw", launch: normalise(300, 2, 3) }],
  ["rms_norm", { kinds: "iifbbw", launch: normalise(160, 1, 3) }],
  ["max_pool", POOL],
  ["average_pool", POOL],
]);

export function parameterKinds(name: string): ParameterKinds | undefined {
  return DESCRIPTIONS.get(name)?.kinds;
}

/** `undefined` when the numbers make no launch that is certain to be right. */
export function standardLaunch(name: string, numbers: readonly number[], batch = 1): StandardLaunch | undefined {
  return DESCRIPTIONS.get(name)?.launch(numbers, batch);
}
