import { expect, it } from "vitest";
import { floats, runNode } from "../support/run-nodes.ts";

it("PRelu had one slope for each channel before version 7, and repeats slopes from the last dimension since", () => {
  const x = floats([1, 2, 2], [-1, -2, -3, 4]);
  const slopes = floats([2], [10, 100]);
  expect(runNode({ op: "PRelu", inputs: [x, slopes] }, 6)[0]?.values).toEqual([-10, -20, -300, 4]);
  expect(runNode({ op: "PRelu", inputs: [x, slopes] }, 9)[0]?.values).toEqual([-10, -200, -30, 4]);
});
