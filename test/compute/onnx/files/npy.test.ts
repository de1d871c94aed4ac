import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesOf, ELEMENT_TYPES, type ElementType } from "../../../../compute/onnx/element-types.ts";
import { decodeNpy, encodeNpy } from "../../../../compute/onnx/files/npy.ts";
import { countOf, tensorOf } from "../../../../compute/onnx/tensor.ts";

/** As numpy writes it, spaces and all. */
function npy(header: string, contents: Uint8Array, version: 1 | 2 = 1): Uint8Array {
  const text = new TextEncoder().encode(header);
  const size = new Uint8Array(version === 1 ? 2 : 4);
  size[0] = text.length & 0xff;
  size[1] = text.length >> 8;
  return Uint8Array.of(0x93, ...new TextEncoder().encode("NUMPY"), version, 0, ...size, ...text, ...contents);
}

const floats = new Uint8Array(Float32Array.of(1, 2, 3, 4, 5, 6).buffer);

describe("npy files", () => {
  it("come back as they went, whatever the type and the shape", () => {
    const shapes = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 5 });
    fc.assert(
      fc.property(fc.constantFrom(...ELEMENT_TYPES), shapes, (type: ElementType, shape) => {
        const bytes = new Uint8Array(countOf(shape) * bytesOf(type)).map((_, i) => (type === "bool" ? i % 2 : i * 37));
        const file = encodeNpy({ type, shape, bytes });
        expect((file.length - bytes.length) % 64).toBe(0);
        expect(decodeNpy(file)).toEqual({ type, shape, bytes });
      }),
    );
  });

  it("are read in versions 1 and 2, with the header that numpy writes", () => {
    for (const version of [1, 2] as const) {
      const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n";
      expect(decodeNpy(npy(header, floats, version))).toEqual(tensorOf("f32", [2, 3], [1, 2, 3, 4, 5, 6]));
    }
  });

  it.each([
    ["Fortran order", "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", "TENSOR_UNSUPPORTED", /ascontig/],
    ["big-endian", "{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3), }", "TENSOR_UNSUPPORTED", /astype/],
    ["complex", "{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", "TENSOR_UNSUPPORTED", /astype/],
  ] as const)("in a form that is not read are refused with what to do: %s", (_, header, code, hint) => {
    let caught: unknown;
    try {
      decodeNpy(npy(header, floats));
    } catch (error) {
      caught = error;
    }
    expect(caught).toMatchObject({ code, data: { hint: expect.stringMatching(hint) } });
  });

  it("that are cut, padded or lie about their size are refused with a code, never with a fault", () => {
    const whole = encodeNpy(tensorOf("i32", [3], [1, 2, 3]));
    for (let length = 0; length < whole.length; length++) {
      expect(() => decodeNpy(whole.slice(0, length))).toThrow(expect.objectContaining({ code: "TENSOR_FORMAT" }));
    }
    expect(() => decodeNpy(Uint8Array.of(...whole, 0))).toThrow(expect.objectContaining({ code: "TENSOR_FORMAT" }));
    const huge = "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999, 99999999), }";
    expect(() => decodeNpy(npy(huge, floats))).toThrow(expect.objectContaining({ code: "ONNX_LIMIT" }));
  });
});
