import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { halfOf } from "../../../../compute/onnx/files/elements.ts";
import { decodeJsonTensor, encodeJsonTensor } from "../../../../compute/onnx/files/json-tensor.ts";
import { tensorOf } from "../../../../compute/onnx/tensor.ts";

describe("tensors as JSON", () => {
  it("come back as they went", () => {
    // Minus zero is the one number that JSON does not keep.
    const numbers = fc.float().map((value) => (value === 0 ? 0 : value));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(numbers, { minLength: 1, maxLength: 9 }), (copies, row) => {
        const tensor = tensorOf("f32", [copies, 1, row.length], Array.from({ length: copies }, () => row).flat());
        expect(decodeJsonTensor(encodeJsonTensor(tensor), "f32")).toEqual(tensor);
      }),
    );
  });

  it("keep 64-bit integers that JSON numbers cannot hold as text", () => {
    const bytes = new Uint8Array(BigInt64Array.of(5n, -(2n ** 63n)).buffer);
    expect(encodeJsonTensor({ type: "i64", shape: [2], bytes })).toBe('[5,"-9223372036854775808"]\n');
  });

  it.each([
    ["no JSON", "[1, 2", "f32", "TENSOR_FORMAT"],
    ["rows of different lengths", "[[1, 2], [3]]", "f32", "TENSOR_FORMAT"],
    ["text", '["one"]', "f32", "TENSOR_FORMAT"],
    ["a fraction for an integer", "[1.5]", "i64", "TENSOR_MISMATCH"],
    ["more than the type holds", "[256]", "u8", "TENSOR_MISMATCH"],
  ] as const)("are refused with a code: %s", (_, text, type, code) => {
    expect(() => decodeJsonTensor(text, type)).toThrow(expect.objectContaining({ code }));
  });
});

it("a half is read as IEEE 754 says", () => {
  const cases = [
    [0x3c00, 1],
    [0xc000, -2],
    [0x0001, 2 ** -24],
    [0x7bff, 65504],
    [0x7c00, Infinity],
    [0x3555, 0.333251953125],
  ];
  for (const [bits, value] of cases) expect(halfOf(bits as number)).toBe(value);
  expect(halfOf(0x7e00)).toBeNaN();
});
