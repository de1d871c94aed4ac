import { expect, it } from "vitest";
import { float, floats, integers, runNode } from "../support/run-nodes.ts";

const domain = "ai.onnx.ml";

it("ArrayFeatureExtractor takes columns by their numbers, of a row as of many", () => {
  const columns = integers([1, 2], [2, 0]);
  const [many] = runNode({
    op: "ArrayFeatureExtractor",
    domain,
    inputs: [floats([2, 3], [1, 2, 3, 4, 5, 6]), columns],
  });
  expect([many?.shape, many?.values]).toEqual([
    [2, 2],
    [3, 1, 6, 4],
  ]);
  const [one] = runNode({ op: "ArrayFeatureExtractor", domain, inputs: [floats([3], [1, 2, 3]), columns] });
  expect([one?.shape, one?.values]).toEqual([
    [1, 2],
    [3, 1],
  ]);
});

it("Binarizer says what is more than the threshold, not what equals it", () => {
  const [y] = runNode({
    ...{ op: "Binarizer", domain, attributes: { threshold: float(1.5) } },
    inputs: [floats([3], [1, 1.5, 2])],
  });
  expect(y?.values).toEqual([0, 0, 1]);
});
