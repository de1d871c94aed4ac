import { expect, it } from "vitest";
import { tensorOf } from "../../../../compute/onnx/tensor.ts";
import { codeOf } from "../../../base/support/code-of.ts";
import { int, runNode } from "../support/run-nodes.ts";

const X: readonly number[] = [1, -2, 700, 3, 0.5, -1000];
const inputs = [tensorOf("f64", [2, 3], X)];

it.each([0, 1])("Softmax and its logarithm of doubles are those of doubles, along axis %i", (axis) => {
  const [soft] = runNode({ op: "Softmax", inputs, attributes: { axis: int(axis) } });
  const [logs] = runNode({ op: "LogSoftmax", inputs, attributes: { axis: int(axis) } });
  X.forEach((value, i) => {
    const group = X.filter((_, j) => (axis === 0 ? j % 3 === i % 3 : Math.floor(j / 3) === Math.floor(i / 3)));
    const most = Math.max(...group);
    const sum = group.reduce((all, other) => all + Math.exp(other - most), 0);
    expect(soft?.values[i]).toBeCloseTo(Math.exp(value - most) / sum, 14);
    expect(logs?.values[i]).toBeCloseTo(value - most - Math.log(sum), 12);
  });
});

it("Hardmax of doubles is not built", () => {
  expect(codeOf(() => runNode({ op: "Hardmax", inputs }))).toBe("ONNX_UNSUPPORTED");
});
