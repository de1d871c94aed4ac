import fc from "fast-check";
import { Packr, pack } from "msgpackr";
import { describe, expect, it } from "vitest";
import { equalBytes } from "../../../base/bytes.ts";
import { CodedError } from "../../../base/errors.ts";
import { MAX_DEPTH, MAX_ITEMS } from "../../../chain/wire/limits.ts";
import {
  big,
  boolean,
  bytes,
  decodeWire,
  encodeWire,
  hash,
  integer,
  list,
  mapped,
  optional,
  type Plain,
  record,
  type Schema,
  text,
  union,
  word,
} from "../../../chain/wire/schema.ts";

interface Point {
  readonly x: number;
  readonly note: string | undefined;
}

type Shape =
  | { readonly type: "dot"; readonly at: Point }
  | { readonly type: "cloud"; readonly points: readonly Point[]; readonly dense: boolean; readonly mass: bigint };

const point: Schema<Point> = record<Point>({ x: integer(), note: optional(text(40)) });
const shape: Schema<Shape> = union<Shape>({
  dot: [1, record({ at: point })],
  cloud: [2, record({ points: list(point, 5), dense: boolean, mass: big(32) })],
});

const ascii = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) });
const points = fc.record({
  x: fc.maxSafeNat(),
  note: fc.option(
    ascii.filter((t) => t.length <= 40),
    { nil: undefined },
  ),
});
const shapes: fc.Arbitrary<Shape> = fc.oneof(
  fc.record({ type: fc.constant("dot" as const), at: points }),
  fc.record({
    type: fc.constant("cloud" as const),
    points: fc.array(points, { maxLength: 5 }),
    dense: fc.boolean(),
    mass: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  }),
);

const raw = new Packr({ useRecords: false });
/** Takes whatever the scan lets through. */
const anything: Schema<Plain> = {
  write(value) {
    if (typeof value === "number") return integer().write(value);
    return Array.isArray(value) ? value.map((element: Plain) => anything.write(element)) : value;
  },
  read: (plain) => plain,
};

function codeOf(attempt: () => unknown): string {
  try {
    attempt();
    return "accepted";
  } catch (error) {
    return error instanceof CodedError ? error.code : `threw ${String(error)}`;
  }
}

function refuses(schema: Schema<unknown>, encoded: Uint8Array): void {
  expect(codeOf(() => decodeWire(schema, encoded, 1_000_000))).toBe("WIRE_INVALID");
}

describe("schemas", () => {
  it("give back what was written", () => {
    fc.assert(
      fc.property(shapes, (value) => {
        expect(decodeWire(shape, encodeWire(shape, value), 10_000)).toEqual(value);
      }),
    );
  });

  it("write records as arrays, without names", () => {
    expect(raw.unpack(encodeWire(shape, { type: "dot", at: { x: 7, note: undefined } }))).toEqual([1, [[7, null]]]);
  });

  it.each([0, 1, 63, 64, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1])(
    "carry the integer %d",
    (value) => {
      expect(decodeWire(integer(), encodeWire(integer(), value), 9)).toBe(value);
    },
  );

  it.each([0, 1, 255, 256, 65_535, 65_536])("carry byte strings of length %d", (length) => {
    const value = new Uint8Array(length).fill(7);
    expect(equalBytes(decodeWire(bytes(70_000), encodeWire(bytes(70_000), value), 80_000), value)).toBe(true);
  });

  it.each([0, 15, 16, 31, 32, 255, 256, 65_535])("carry lists and text of length %d", (length) => {
    const values = Array.from({ length }, (_, i) => i % 300);
    expect(decodeWire(list(integer(), 65_535), encodeWire(list(integer(), 65_535), values), 500_000)).toEqual(values);
    const letters = "a".repeat(length);
    expect(decodeWire(text(65_535), encodeWire(text(65_535), letters), 500_000)).toBe(letters);
  });
});

describe("decoding refuses", () => {
  it.each<[string, unknown]>([
    ["another kind of value", 5],
    ["a missing field", [1, []]],
    ["a field too many", [1, [[7, null], 0]]],
    ["a missing record", [1]],
    ["an unknown member of a union", [3, [[7, null]]]],
    ["nil where a value must be", [1, [[null, null]]]],
    ["a map instead of a record", [1, { at: [7, null] }]],
    ["a negative integer", [1, [[-1, null]]]],
    ["a fraction", [1, [[0.5, null]]]],
    ["text that is too long", [1, [[1, "a".repeat(41)]]]],
    ["text outside ASCII", [1, [[1, "ä"]]]],
    ["control characters", [1, [[1, "a\nb"]]]],
    ["a list that is too long", [2, [Array.from({ length: 6 }, () => [1, null]), true, new Uint8Array()]]],
    ["a big integer with a leading zero", [2, [[], true, new Uint8Array([0, 1])]]],
    ["a big integer that is too long", [2, [[], true, new Uint8Array(33).fill(1)]]],
    ["a date", [1, [[new Date(0), null]]]],
    ["undefined", [1, [[1, undefined]]]],
  ])("%s", (_, value) => {
    refuses(shape, raw.pack(value));
  });

  it("an integer outside its bounds", () => {
    refuses(integer(10), raw.pack(11));
    refuses(integer(10, 5), raw.pack(4));
    refuses(integer(), Uint8Array.of(0xd3, 0, 0x20, 0, 0, 0, 0, 0, 0));
    refuses(integer(), Uint8Array.of(0xd3, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0));
  });

  it("a hash that does not have 32 bytes", () => {
    refuses(hash, raw.pack(new Uint8Array(31)));
    refuses(hash, raw.pack(new Uint8Array(33)));
    refuses(hash, raw.pack("0x".padEnd(66, "0")));
  });

  it("a number that is no word", () => {
    const color = word({ red: 1, blue: 2 });
    expect(decodeWire(color, encodeWire(color, "blue"), 10)).toBe("blue");
    refuses(color, raw.pack(0));
    refuses(color, raw.pack("red"));
  });

  it("what a mapping refuses with a code, as its own error", () => {
    const even = mapped<number, number>(
      integer(),
      (value) => value,
      (value) => {
        if (value % 2 === 1) throw new CodedError("ODD", "odd");
        return value;
      },
    );
    expect(decodeWire(even, raw.pack(2), 10)).toBe(2);
    refuses(even, raw.pack(3));
  });

  it("more bytes than the caller allows, unread", () => {
    expect(codeOf(() => decodeWire(anything, new Uint8Array(11), 10))).toBe("WIRE_INVALID");
  });

  it("nothing at all, and bytes that follow the end", () => {
    refuses(anything, new Uint8Array());
    refuses(anything, Uint8Array.of(1, 2));
  });

  it.each([
    ["uint8", [0xcc, 0x7f]],
    ["uint16", [0xcd, 0, 0xff]],
    ["uint32", [0xce, 0, 0, 0xff, 0xff]],
    ["int64", [0xd3, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]],
    ["bin16", [0xc5, 0, 1, 7]],
    ["bin32", [0xc6, 0, 0, 0, 1, 7]],
    ["str8", [0xd9, 1, 0x61]],
    ["str16", [0xda, 0, 1, 0x61]],
    ["array16", [0xdc, 0, 1, 7]],
    ["array32", [0xdd, 0, 0, 0, 1, 7]],
  ])("a longer form than needed: %s", (_, encoded) => {
    refuses(anything, Uint8Array.from(encoded));
  });

  it("every token that we never write", () => {
    const never = [0xc1, 0xca, 0xcb, 0xcf, 0xdb, 0xde, 0xdf];
    for (let token = 0x80; token <= 0x8f; token++) never.push(token);
    for (let token = 0xc7; token <= 0xc9; token++) never.push(token);
    for (let token = 0xd0; token <= 0xd8; token++) if (token !== 0xd3) never.push(token);
    for (let token = 0xe0; token <= 0xff; token++) never.push(token);
    for (const token of never) refuses(anything, Uint8Array.from([token, ...new Uint8Array(40)]));
  });

  it("a record definition, which msgpackr would compile", () => {
    // Without the scan, this reads as an object whose reader was made by `new Function`.
    const definition = new Packr({ useRecords: true }).pack({ at: 1 });
    expect(definition[0]).toBe(0xd4);
    refuses(anything, definition);
  });

  it("lengths beyond the input, before anything is made for them", () => {
    refuses(anything, Uint8Array.of(0xdd, 0xff, 0xff, 0xff, 0xff));
    refuses(anything, Uint8Array.of(0xc6, 0xff, 0xff, 0xff, 0xff, 1));
    refuses(anything, Uint8Array.of(0xda, 0xff, 0xff, 0x61));
  });

  it("nesting beyond the limit", () => {
    const nested = (depth: number) => Uint8Array.from([...new Uint8Array(depth).fill(0x91), 1]);
    expect(codeOf(() => decodeWire(anything, nested(MAX_DEPTH), 1000))).toBe("accepted");
    refuses(anything, nested(MAX_DEPTH + 1));
    refuses(anything, nested(900_000));
  });

  it("more values than the limit", () => {
    const flat = (count: number) => pack(new Array<number>(count).fill(1));
    expect(codeOf(() => decodeWire(anything, flat(MAX_ITEMS - 1), 1_000_000))).toBe("accepted");
    refuses(anything, flat(MAX_ITEMS));
  });
});

describe("any bytes", () => {
  it("are refused with one code, or are the one encoding of what they say", () => {
    const encoded = fc.oneof(
      fc.uint8Array({ maxLength: 64 }),
      fc.tuple(shapes, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([value, at, byte]) => {
        const changed = Uint8Array.from(encodeWire(shape, value));
        changed[at % changed.length] = byte;
        return changed;
      }),
    );
    for (const schema of [shape, anything] as Schema<unknown>[]) {
      fc.assert(
        fc.property(encoded, (input) => {
          let value: unknown;
          try {
            value = decodeWire(schema, input, 1000);
          } catch (error) {
            expect(error).toBeInstanceOf(CodedError);
            expect((error as CodedError).code).toBe("WIRE_INVALID");
            return;
          }
          expect(Uint8Array.from(encodeWire(schema, value))).toEqual(Uint8Array.from(input));
        }),
        { numRuns: 2000 },
      );
    }
  });
});
