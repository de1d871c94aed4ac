import { expect, it } from "vitest";
import { outputFiles } from "../../../cli/commands/job-result.ts";

it("takes a file for each output by its name, and a file alone where there is one output", () => {
  expect([...outputFiles(["odd=a.bin", "even=b=c.bin"], ["even", "odd"])]).toEqual([
    ["odd", "a.bin"],
    ["even", "b=c.bin"],
  ]);
  expect([...outputFiles(["a.bin"], ["out0"])]).toEqual([["out0", "a.bin"]]);
});

it("refuses a name that there is not, and a file that may be for several, and says what there is", () => {
  const usage = (message: string): unknown => expect.objectContaining({ code: "USAGE", message });
  expect(() => outputFiles(["digit=a.bin"], ["out0"])).toThrow(
    usage("--out digit=a.bin: expected name=file; there is out0"),
  );
  expect(() => outputFiles(["a.bin"], ["even", "odd"])).toThrow(
    usage("--out a.bin: expected name=file; there is even, odd"),
  );
});
