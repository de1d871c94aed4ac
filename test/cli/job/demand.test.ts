import { expect, it } from "vitest";
import { outputPlace, statePlace } from "../../../cli/job/demand.ts";
import { mixProgram } from "../../compute/support/sample-programs.ts";

const PATH = "ogpu job demand";
/** Its outputs, even and odd, have 2,048 bytes: two chunks. */
const program = mixProgram(256, 7);
const words = { output: undefined, state: undefined, tile: 0, chunk: undefined };

it("names an output and one of its chunks, a random one unless told", () => {
  expect(outputPlace(program, { ...words, output: "odd", chunk: 1 }, PATH)).toMatchObject({
    ...{ kind: 2, item: 1, chunk: 1n },
  });
  const drawn = new Set(Array.from({ length: 100 }, () => outputPlace(program, words, PATH).chunk));
  expect([...drawn].sort()).toEqual([0n, 1n]);
});

it("names a buffer of the state with tile and chunk in one number, as the market counts", () => {
  const place = statePlace(program, "odd", { ...words, tile: 3, chunk: 1 }, PATH);
  expect(place).toMatchObject({ kind: 3, item: 2, chunk: (3n << 32n) | 1n });
});

it("refuses what the program has not, and says what it has", () => {
  const usage = (message: string): unknown => expect.objectContaining({ code: "USAGE", message });
  expect(() => outputPlace(program, { ...words, output: "x" }, PATH)).toThrow(usage("--output x: there is even, odd"));
  expect(() => outputPlace(program, { ...words, chunk: 2 }, PATH)).toThrow(
    usage("--chunk 2: there are 2, counted from 0"),
  );
  expect(() => statePlace(program, "x", words, PATH)).toThrow(usage("--state x: there is start, even, odd"));
});
