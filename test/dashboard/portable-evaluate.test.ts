import { expect, it, vi } from "vitest";
import { decodeModel } from "../../compute/onnx/decode-model.ts";
import { importModel } from "../../compute/onnx/import-model.ts";
import * as portable from "../../dashboard/portable/evaluate.ts";
import { makeModel } from "../compute/onnx/support/make-model.ts";

type Evaluate = typeof portable.evaluateLaunch;
const seen = vi.hoisted(() => ({ launches: 0 }));

/** Whatever lowering works out is worked out twice. */
vi.mock("../../compute/onnx/evaluate.ts", async (importOriginal) => {
  const { evaluateLaunch } = await importOriginal<{ evaluateLaunch: Evaluate }>();
  const both: Evaluate = (launch, contents) => {
    const copy = new Map([...contents].map(([store, bytes]) => [store, bytes.slice()]));
    evaluateLaunch(launch, contents);
    portable.evaluateLaunch(launch, copy);
    expect(copy).toEqual(contents);
    seen.launches++;
  };
  return { evaluateLaunch: both };
});

it("shapes are worked out in the page as they are on the command line", () => {
  const nodes = [
    { op: "Shape", in: ["x"], out: ["shape"] },
    { op: "Gather", in: ["shape", "first"], out: ["rows"], int: { axis: 0 } },
    { op: "Mul", in: ["rows", "rows"], out: ["squared"] },
    { op: "Concat", in: ["squared", "rest"], out: ["wanted"], int: { axis: 0 } },
    { op: "Reshape", in: ["x", "wanted"], out: ["y"] },
  ];
  const weights = {
    first: { shape: [1], values: [0], integers: true },
    rest: { shape: [1], values: [-1], integers: true },
  };
  const model = makeModel({ nodes, weights, inputs: { x: [4, 12] }, outputs: ["y"] });
  expect(importModel(decodeModel(model)).outputs).toMatchObject([{ shape: [16, 3] }]);
  expect(seen.launches).toBeGreaterThan(0);
});
