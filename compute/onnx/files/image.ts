/** PNG images of 8 bits as tensors and back. */
import { PNG } from "pngjs";
import type { Tensor } from "../tensor.ts";
import { reject } from "./errors.ts";
import { type ImageOptions, imageTensor, type Pixels, tensorPixels, type WantedTensor } from "./image-tensor.ts";
import { checkPngHeader } from "./png-header.ts";

function decodePng(bytes: Uint8Array): Pixels {
  checkPngHeader(bytes);
  try {
    return PNG.sync.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (error) {
    return reject("TENSOR_FORMAT", `the PNG image cannot be read: ${(error as Error).message}`);
  }
}

export function decodeImage(bytes: Uint8Array, wanted: WantedTensor, options: ImageOptions): Tensor {
  return imageTensor(decodePng(bytes), wanted, options);
}

export function encodeImage(tensor: Tensor, options: ImageOptions): Uint8Array {
  const { width, height, data } = tensorPixels(tensor, options);
  const image = new PNG({ width, height });
  image.data.set(data);
  return new Uint8Array(PNG.sync.write(image));
}
