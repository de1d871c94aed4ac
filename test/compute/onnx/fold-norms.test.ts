import { expect, it } from "vitest";
import { decodeModel } from "../../../compute/onnx/decode-model.ts";
import { foldNorms } from "../../../compute/onnx/fold-norms.ts";
import { makeModel } from "./support/make-model.ts";
import { ModelMaker } from "./support/sample-models.ts";

type Change = (maker: ModelMaker, made: string, conv: string) => { nodes?: ModelMaker["nodes"]; outputs: string[] };

function operatorsAfter(change: Change): readonly string[] {
  const maker = new ModelMaker("norms");
  const made = maker.convolution("x", 3, 4, 3);
  const conv = maker.nodes[0]?.out[0] as string;
  const { nodes = maker.nodes, outputs } = change(maker, made, conv);
  const inputs = { x: [1, 3, 8, 8], s: [4] };
  const model = decodeModel(makeModel({ nodes, weights: maker.weights, inputs, outputs }));
  return foldNorms(model).nodes.map(({ operator }) => operator);
}

it("a norm of constants becomes part of the convolution that it follows", () => {
  expect(operatorsAfter((_, made) => ({ outputs: [made] }))).toEqual(["Conv"]);
});

it("a norm stays where somebody else reads the convolution, where it depends on inputs, and in training", () => {
  const changed =
    (patch: object): Change =>
    ({ nodes }, made) => ({ nodes: nodes.map((node, i) => (i === 1 ? { ...node, ...patch } : node)), outputs: [made] });
  const both = ["Conv", "BatchNormalization"];
  expect(operatorsAfter((_, made, conv) => ({ outputs: [made, conv] }))).toEqual(both);
  expect(operatorsAfter((maker, made, conv) => ({ outputs: [maker.node("Add", [made, conv])] }))).toEqual([
    ...both,
    "Add",
  ]);
  expect(operatorsAfter(changed({ int: { training_mode: 1 } }))).toEqual(both);
  const given: Change = (maker, made, conv) => {
    const names = maker.nodes[1]?.in.slice(2) as string[];
    return changed({ in: [conv, "s", ...names] })(maker, made, conv);
  };
  expect(operatorsAfter(given)).toEqual(both);
});

it("weights that would be no numbers any more are left alone", () => {
  const change: Change = (maker, made) => {
    const variance = maker.nodes[1]?.in[4] as string;
    maker.weights[variance] = { shape: [4], values: [1, 1, -1, 1] };
    return { outputs: [made] };
  };
  expect(operatorsAfter(change)).toEqual(["Conv", "BatchNormalization"]);
});
