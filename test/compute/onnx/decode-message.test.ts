import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeMessage } from "../../../compute/onnx/decode-message.ts";
import { MODEL } from "./support/make-model.ts";

const wide = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String);
const bytes = fc.uint8Array({ maxLength: 20 });
const float = fc.float({ noNaN: true });

const tensor = fc.record(
  {
    dims: fc.array(wide, { maxLength: 3 }),
    dataType: fc.integer(),
    floatData: fc.array(float, { maxLength: 4 }),
    int32Data: fc.array(fc.integer(), { maxLength: 4 }),
    int64Data: fc.array(wide, { maxLength: 4 }),
    doubleData: fc.array(fc.double({ noNaN: true }), { maxLength: 4 }),
    uint64Data: fc.array(fc.bigInt(0n, 2n ** 64n - 1n).map(String), { maxLength: 4 }),
    rawData: bytes,
    name: fc.string({ unit: "grapheme" }),
  },
  { requiredKeys: [] },
);
const { graph } = fc.letrec((tie) => ({
  attribute: fc.record(
    { name: fc.string(), i: wide, f: float, s: bytes, t: tensor, g: tie("graph"), strings: fc.array(bytes) },
    { requiredKeys: [] },
  ),
  node: fc.record(
    { input: fc.array(fc.string(), { maxLength: 3 }), attribute: fc.array(tie("attribute"), { maxLength: 2 }) },
    { requiredKeys: [] },
  ),
  graph: fc.record(
    { node: fc.array(tie("node"), { maxLength: 2 }), initializer: fc.array(tensor, { maxLength: 2 }) },
    { requiredKeys: [] },
  ),
}));
const model = fc.record({ irVersion: wide, graph, opsetImport: fc.array(fc.record({ version: wide })) });

/** Both sides as plain text: inherited members, 64-bit numbers and bytes are held in other ways by each. */
function plain(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return [...value].map(String);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object") return Object.is(value, -0) ? "-0" : String(value);
  if ("low" in value) return String(value);
  const members: [string, unknown][] = [];
  for (const name in value) members.push([name, plain((value as Record<string, unknown>)[name])]);
  return Object.fromEntries(members.filter(([, member]) => member !== null));
}

describe("messages by the schema", () => {
  it("come out as the published decoder reads them, whatever is in them", () => {
    fc.assert(
      fc.property(model, (made) => {
        const encoded = MODEL.encode(MODEL.fromObject(made)).finish();
        const expected = MODEL.toObject(MODEL.decode(encoded), { defaults: true, arrays: true });
        expect(plain(decodeMessage(encoded, "ModelProto"))).toEqual(plain(expected));
      }),
      { numRuns: 300 },
    );
  });

  it("skip what the schema does not have, and what has another form than it says", () => {
    // Field 30 as a number, field 8 (a message) as a number, field 1 (a number) as bytes; then field 1 as it should be.
    const encoded = Uint8Array.of(0xf0, 0x01, 5, 0x40, 7, 0x0a, 2, 1, 1, 0x08, 9);
    expect(plain(decodeMessage(encoded, "ModelProto"))).toMatchObject({ irVersion: "9", opsetImport: [] });
  });
});
