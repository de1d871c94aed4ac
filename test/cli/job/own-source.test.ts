import { expect, it } from "vitest";
import type { Hex } from "../../../base/bytes.ts";
import { requireSourceOf } from "../../../cli/job/own-source.ts";

const OWN: Hex = `0x${"ab".repeat(32)}`;
const OTHER: Hex = `0x${"cd".repeat(32)}`;

it("refuses a source that there is not, or of another program", () => {
  expect(() => requireSourceOf(OWN, 9n, { id: 0n, program: `0x${"00".repeat(32)}` })).toThrow(
    expect.objectContaining({ code: "SOURCE_UNKNOWN", message: "there is no source 9" }),
  );
  expect(() => requireSourceOf(OWN, 1n, { id: 1n, program: OTHER })).toThrow(
    expect.objectContaining({
      code: "SOURCE_OTHER_PROGRAM",
      message: `source 1 is of program ${OTHER}, not of ${OWN}`,
    }),
  );
  expect(() => requireSourceOf(OWN, 1n, { id: 1n, program: OWN })).not.toThrow();
});
