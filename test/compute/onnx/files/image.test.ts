import { PNG } from "pngjs";
import { describe, expect, it } from "vitest";
import { decodeImage, encodeImage } from "../../../../compute/onnx/files/image.ts";
import type { ImageOptions } from "../../../../compute/onnx/files/image-tensor.ts";
import { numbersOf, tensorOf } from "../../../../compute/onnx/tensor.ts";

const PLAIN: ImageOptions = { layout: undefined, scale: undefined, mean: [0], std: [1] };

/** 2 x 1 pixels: pure red, and half-transparent (10, 20, 30). */
function twoPixels(): Uint8Array {
  const image = new PNG({ width: 2, height: 1 });
  image.data.set([255, 0, 0, 255, 10, 20, 30, 128]);
  return new Uint8Array(PNG.sync.write(image));
}

describe("an image as a tensor", () => {
  it("has channels first or last, as the model's shape says", () => {
    const first = decodeImage(twoPixels(), { name: "x", type: "u8", shape: [1, 3, 1, 2] }, PLAIN);
    expect([first.shape, numbersOf(first)]).toEqual([
      [1, 3, 1, 2],
      [255, 10, 0, 20, 0, 30],
    ]);
    const last = decodeImage(twoPixels(), { name: "x", type: "u8", shape: ["n", "h", "w", 4] }, PLAIN);
    expect([last.shape, numbersOf(last)]).toEqual([
      [1, 1, 2, 4],
      [255, 0, 0, 255, 10, 20, 30, 128],
    ]);
  });

  it("is grey where the model wants one channel or none", () => {
    const grey = [Math.floor((299 * 255 + 500) / 1000), Math.floor((2990 + 11740 + 3420 + 500) / 1000)];
    expect(numbersOf(decodeImage(twoPixels(), { name: "x", type: "u8", shape: [1, 1, 1, 2] }, PLAIN))).toEqual(grey);
    expect(numbersOf(decodeImage(twoPixels(), { name: "x", type: "u8", shape: [1, 2] }, PLAIN))).toEqual(grey);
  });

  it("is scaled, and moved by mean and deviation of each channel", () => {
    const options = { ...PLAIN, scale: 1 / 255, mean: [0.5, 0.25, 0], std: [0.5, 0.25, 2] };
    const tensor = decodeImage(twoPixels(), { name: "x", type: "f32", shape: [3, 1, 2] }, options);
    const expected = [1, 10 / 255 / 0.5 - 1, -1, 20 / 255 / 0.25 - 1, 0, 30 / 255 / 2];
    numbersOf(tensor).forEach((value, i) => {
      expect(value).toBeCloseTo(expected[i] as number, 6);
    });
    const back = PNG.sync.read(Buffer.from(encodeImage(tensor, options)));
    expect([...back.data]).toEqual([255, 0, 0, 255, 10, 20, 30, 255]);
  });

  it("is refused with what the model wants when it does not fit, and when it is no image", () => {
    const wrong = (shape: readonly number[]): (() => unknown) => {
      return () => decodeImage(twoPixels(), { name: "x", type: "f32", shape }, PLAIN);
    };
    expect(wrong([1, 7, 1, 2])).toThrow(/wants 7 channels/);
    expect(wrong([5])).toThrow(/no image fits/);
    const png = twoPixels();
    for (const length of [0, 20, 40, png.length - 14]) {
      expect(() => decodeImage(png.slice(0, length), { name: "x", type: "u8", shape: [1, 2] }, PLAIN)).toThrow(
        expect.objectContaining({ code: "TENSOR_FORMAT" }),
      );
    }
    const bomb = png.slice();
    new DataView(bomb.buffer).setUint32(16, 0x7fffffff);
    expect(() => decodeImage(bomb, { name: "x", type: "u8", shape: [1, 2] }, PLAIN)).toThrow(/too large/);
  });

  it("is written from grey, clamped at both ends", () => {
    const bytes = encodeImage(tensorOf("f32", [1, 3], [-1, 0.5, 7]), PLAIN);
    expect([...PNG.sync.read(Buffer.from(bytes)).data]).toEqual([0, 0, 0, 255, 128, 128, 128, 255, 255, 255, 255, 255]);
    expect(() => encodeImage(tensorOf("f32", [5], [1, 2, 3, 4, 5]), PLAIN)).toThrow(/no image/);
  });
});
