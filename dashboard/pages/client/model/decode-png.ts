/**
 * PNG (ISO/IEC 15948) of up to 8 bits, without a canvas: what a canvas gives back is blended with its alpha, converted between
 * colour spaces, or blurred against fingerprints, and an input must be the file's own bytes.
 */
import { reject } from "../../../../compute/onnx/files/errors.ts";
import type { Pixels } from "../../../../compute/onnx/files/image-tensor.ts";
import { checkPngHeader, type PngHeader } from "../../../../compute/onnx/files/png-header.ts";

/** Colour type -> samples of a pixel. */
const SAMPLES: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
]);
const PALETTE = 3;
const FIRST_CHUNK = 8;

function broken(why: string): never {
  return reject("TENSOR_FORMAT", `the PNG image cannot be read: ${why}`);
}

interface Chunks {
  readonly data: readonly Uint8Array[];
  readonly palette: Uint8Array;
  readonly transparency: Uint8Array;
}

function chunksOf(bytes: Uint8Array): Chunks {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const data: Uint8Array[] = [];
  let [palette, transparency] = [new Uint8Array(0), new Uint8Array(0)];
  for (let at = FIRST_CHUNK; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    if (at + 12 + length > bytes.length) broken("it ends within a chunk");
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const contents = bytes.slice(at + 8, at + 8 + length);
    if (name === "IDAT") data.push(contents);
    else if (name === "PLTE") palette = contents;
    else if (name === "tRNS") transparency = contents;
    else if (name === "IEND") break;
    at += 12 + length;
  }
  return { data, palette, transparency };
}

/** Exactly so many bytes: a file that would become more is refused before it does. */
async function inflate(parts: readonly Uint8Array[], length: number): Promise<Uint8Array> {
  const source = new Blob(parts as Uint8Array<ArrayBuffer>[]).stream();
  const reader = source.pipeThrough(new DecompressionStream("deflate")).getReader();
  const made = new Uint8Array(length);
  let at = 0;
  try {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      if (value === undefined) continue;
      if (at + value.length > length) broken("it has more rows than it says");
      made.set(value, at);
      at += value.length;
    }
  } catch (error) {
    // A checksum that is missing at the end does no harm when all rows are there.
    if (at !== length) broken(error instanceof Error ? error.message : "its data is damaged");
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  return at === length ? made : broken("rows are missing");
}

/** Undoes the filter of each row in place (section 9.2); `step` bytes lie between neighbours. */
function unfilter(raw: Uint8Array, rows: number, rowBytes: number, step: number): void {
  const at = (index: number): number => raw[index] ?? 0;
  for (let row = 0; row < rows; row++) {
    const start = row * (rowBytes + 1) + 1;
    const filter = at(start - 1);
    if (filter > 4) broken(`filter ${filter}`);
    for (let i = 0; i < rowBytes; i++) {
      const left = i < step ? 0 : at(start + i - step);
      const above = row === 0 ? 0 : at(start + i - rowBytes - 1);
      const corner = row === 0 || i < step ? 0 : at(start + i - step - rowBytes - 1);
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter] ?? 0;
      raw[start + i] = at(start + i) + guess;
    }
  }
}

function paeth(left: number, above: number, corner: number): number {
  const [a, b, c] = [Math.abs(above - corner), Math.abs(left - corner), Math.abs(left + above - 2 * corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}

export async function decodePng(bytes: Uint8Array): Promise<Pixels> {
  const header = checkPngHeader(bytes);
  const { width, height, depth, colourType, isInterlaced } = header;
  const samples = SAMPLES.get(colourType) ?? broken(`colour type ${colourType}`);
  if (![1, 2, 4, 8].includes(depth)) broken(`${depth} bits`);
  if (isInterlaced) {
    return reject("TENSOR_UNSUPPORTED", "interlaced images are not read here", "Save it without interlacing.");
  }
  const chunks = chunksOf(bytes);
  const rowBytes = Math.ceil((width * samples * depth) / 8);
  const raw = await inflate(chunks.data, height * (rowBytes + 1));
  unfilter(raw, height, rowBytes, Math.max(1, (samples * depth) >> 3));
  const data = new Uint8Array(4 * width * height);
  const colour = colourReader(header, chunks);
  for (let row = 0; row < height; row++) {
    const start = row * (rowBytes + 1) + 1;
    for (let column = 0; column < width; column++) {
      const values = Array.from({ length: samples }, (_, s) => sampleAt(raw, start, column * samples + s, depth));
      data.set(colour(values), 4 * (row * width + column));
    }
  }
  return { width, height, data };
}

function sampleAt(raw: Uint8Array, start: number, index: number, depth: number): number {
  const bit = index * depth;
  const byte = raw[start + (bit >> 3)] ?? 0;
  return (byte >> (8 - depth - (bit & 7))) & ((1 << depth) - 1);
}

/** From samples to red, green, blue, alpha. */
function colourReader({ depth, colourType }: PngHeader, { palette, transparency }: Chunks) {
  const scale = 255 / ((1 << depth) - 1);
  // One colour may stand for nothing at all; its samples are written with 16 bits.
  const hidden = Array.from({ length: transparency.length >> 1 }, (_, i) => transparency[2 * i + 1]);
  const alphaOf = (values: readonly number[]): number =>
    hidden.length === values.length && values.every((value, i) => value === hidden[i]) ? 0 : 255;
  return (values: readonly number[]): readonly number[] => {
    const [first = 0, second = 0, third = 0, fourth = 0] = values;
    if (colourType === PALETTE) {
      if (3 * first + 2 >= palette.length) broken("a colour is not in its palette");
      return [...palette.subarray(3 * first, 3 * first + 3), transparency[first] ?? 255];
    }
    const grey = first * scale;
    if (colourType === 0) return [grey, grey, grey, alphaOf(values)];
    if (colourType === 4) return [first, first, first, second];
    return colourType === 2 ? [first, second, third, alphaOf(values)] : [first, second, third, fourth];
  };
}
