import { describe, expect, it } from "vitest";
import type { Attribute } from "../../../../compute/onnx/model.ts";
import { floats, int, integers, runNode, text } from "../support/run-nodes.ts";

const ints = (...value: readonly number[]): Attribute => ({ kind: "ints", value });

describe("DeformConv", () => {
  it("takes nothing of the neighbours of a pixel that it hits, whatever the size of the image", () => {
    for (const size of [3, 5, 6, 7]) {
      // One pixel is huge: any part of it would show.
      const image = Array.from({ length: size * size }, (_, i) => (i === size + 1 ? 2 ** 100 : i));
      const [y] = runNode({
        op: "DeformConv",
        inputs: [
          floats([1, 1, size, size], image),
          floats([1, 1, 1, 1], [1]),
          floats([1, 2, size, size], image.map(() => 0).concat(image.map(() => 0))),
        ],
        attributes: { kernel_shape: ints(1, 1) },
      });
      expect(y?.values).toEqual(image);
    }
  });

  it("goes half way between two pixels, and beyond the edge to nothing", () => {
    const offsets = [0.5, 0.5, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    const [y] = runNode({
      op: "DeformConv",
      inputs: [
        floats([1, 1, 3, 3], [1, 2, 3, 4, 5, 6, 7, 8, 9]),
        floats([1, 1, 1, 1], [2]),
        floats([1, 2, 3, 3], offsets),
      ],
      attributes: { kernel_shape: ints(1, 1) },
    });
    expect(y?.values).toEqual([5, 7, 0, 8, 10, 12, 14, 16, 18]);
  });
});

describe("RoiAlign", () => {
  const regions = floats([1, 4], [0, 0, 2, 2]);
  const image = floats([1, 1, 3, 3], [1, 2, 3, 4, 50, 6, 7, 8, 9]);
  const attributes = {
    ...{ output_height: int(1), output_width: int(1), sampling_ratio: int(1) },
    coordinate_transformation_mode: text("output_half_pixel"),
  };

  it("takes the mean of its samples", () => {
    const [y] = runNode({ op: "RoiAlign", inputs: [image, regions, integers([1], [0])], attributes });
    expect(y?.values).toEqual([50]);
  });

  it("takes the largest of weighed neighbours instead, where it is asked to", () => {
    const more = { ...attributes, mode: text("max"), sampling_ratio: int(2) };
    const [y] = runNode({ op: "RoiAlign", inputs: [image, regions, integers([1], [0])], attributes: more });
    // Samples lie at 0.5 and 1.5 both ways: the pixel in the middle counts a quarter in each.
    expect(y?.values).toEqual([12.5]);
  });
});
