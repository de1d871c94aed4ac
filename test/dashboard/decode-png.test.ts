import fc from "fast-check";
import { PNG } from "pngjs";
import { describe, expect, it } from "vitest";
import { decodePng } from "../../dashboard/pages/client/model/decode-png.ts";

/** As pngjs takes them: grey, colours, both with alpha; every way of filtering rows. */
const image = fc.record({
  width: fc.integer({ min: 1, max: 17 }),
  height: fc.integer({ min: 1, max: 9 }),
  seed: fc.uint8Array({ minLength: 4, maxLength: 64 }),
  colorType: fc.constantFrom(0, 2, 4, 6),
  filterType: fc.constantFrom(-1, 0, 1, 2, 3, 4),
});

describe("PNG images in the page", () => {
  it("have the pixels that the command line reads, whatever their colours and filters", async () => {
    await fc.assert(
      fc.asyncProperty(image, async ({ width, height, seed, colorType, filterType }) => {
        const png = new PNG({ width, height });
        for (let i = 0; i < png.data.length; i++) png.data[i] = ((seed[i % seed.length] ?? 0) + i * 7) & 255;
        const file = PNG.sync.write(png, { colorType: colorType as 6, filterType });
        const expected = PNG.sync.read(file);
        expect(await decodePng(new Uint8Array(file))).toEqual({
          ...{ width, height, data: new Uint8Array(expected.data) },
        });
      }),
      { numRuns: 200 },
    );
  });

  it("that are damaged are refused with a code", async () => {
    const file = new Uint8Array(PNG.sync.write(new PNG({ width: 5, height: 5 })));
    const cases = [file.slice(0, 20), file.slice(0, 50), new Uint8Array(100)];
    for (const bytes of cases) await expect(decodePng(bytes)).rejects.toMatchObject({ code: "TENSOR_FORMAT" });
    const deep = file.slice();
    deep[24] = 16;
    await expect(decodePng(deep)).rejects.toMatchObject({ code: "TENSOR_UNSUPPORTED" });
    const interlaced = file.slice();
    interlaced[28] = 1;
    await expect(decodePng(interlaced)).rejects.toMatchObject({ code: "TENSOR_UNSUPPORTED" });
    const tall = file.slice();
    tall[23] = 6;
    await expect(decodePng(tall)).rejects.toMatchObject({ code: "TENSOR_FORMAT" });
  });
});
