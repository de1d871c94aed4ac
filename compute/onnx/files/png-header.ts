/** The first chunk of a PNG image (ISO/IEC 15948, 11.2.1), so that a small file cannot ask for gigabytes. */
import { reject } from "./errors.ts";
import { MAX_PIXELS } from "./limits.ts";

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] as const;

export interface PngHeader {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly colourType: number;
  readonly isInterlaced: boolean;
}

export function checkPngHeader(bytes: Uint8Array): PngHeader {
  if (bytes.length < 33 || SIGNATURE.some((byte, i) => bytes[i] !== byte)) {
    return reject("TENSOR_FORMAT", "the file is no PNG image");
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height, depth] = [view.getUint32(16), view.getUint32(20), view.getUint8(24)];
  if (width * height > MAX_PIXELS) return reject("TENSOR_UNSUPPORTED", `an image of ${width} x ${height} is too large`);
  if (depth === 16) return reject("TENSOR_UNSUPPORTED", "images of 16 bits are not read", "Save it with 8 bits.");
  return { width, height, depth, colourType: view.getUint8(25), isInterlaced: view.getUint8(28) !== 0 };
}
