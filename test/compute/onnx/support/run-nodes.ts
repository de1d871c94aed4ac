/** A few nodes as a program, on the engine that defines results. */
import { runProgram } from "../../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../../compute/device/wasm-engine.ts";
import type { ElementType } from "../../../../compute/onnx/element-types.ts";
import { importModel } from "../../../../compute/onnx/import-model.ts";
import type { Attribute } from "../../../../compute/onnx/model.ts";
import { numbersOf, type Shape, type Tensor, tensorOf } from "../../../../compute/onnx/tensor.ts";
import { checkProgram } from "../../../../compute/ptx/check-program.ts";

export interface NodeUse {
  readonly op: string;
  readonly domain?: string;
  readonly in: readonly string[];
  readonly out: readonly string[];
  readonly attributes?: Readonly<Record<string, Attribute>>;
}

export interface Uses {
  readonly opset?: number;
  readonly nodes: readonly NodeUse[];
  readonly inputs: Readonly<Record<string, Tensor>>;
  readonly outputs: readonly string[];
}

export interface Numbers {
  readonly type: ElementType;
  readonly shape: Shape;
  readonly values: readonly number[];
}

export function int(value: number): Attribute {
  return { kind: "int", value };
}

export function float(value: number): Attribute {
  return { kind: "float", value };
}

export function text(value: string): Attribute {
  return { kind: "string", value };
}

/** Of single precision. */
export function floats(shape: Shape, values: readonly number[]): Tensor {
  return tensorOf("f32", shape, values);
}

export function integers(shape: Shape, values: readonly number[]): Tensor {
  return tensorOf("i64", shape, values);
}

/** The outputs by their places. Inputs may decide shapes. */
export function runNodes({ opset = 22, nodes, inputs, outputs }: Uses): readonly Numbers[] {
  const imported = importModel(
    {
      opset,
      nodes: nodes.map(({ op, domain = "", in: from, out, attributes = {} }) => ({
        ...{ name: "", domain, operator: op, inputs: from, outputs: out },
        attributes: new Map(Object.entries(attributes)),
      })),
      inputs: Object.entries(inputs).map(([name, { type, shape }]) => ({ name, type, shape })),
      outputs,
      initializers: new Map(),
    },
    { values: new Map(Object.entries(inputs)) },
  );
  const contents = new Map(imported.constants);
  for (const { name, buffer } of imported.inputs) {
    if (buffer !== undefined) contents.set(buffer, inputs[name]?.bytes ?? new Uint8Array(0));
  }
  const checked = checkProgram(imported.program);
  const result = runProgram(checked, new WasmEngine(checked), contents);
  if (result.kind === "trap") throw new Error(`a launch traps: ${result.trap.reason}`);
  return imported.outputs.map(({ type, shape, buffer }) => {
    const bytes = result.outputs.get(buffer ?? "")?.slice() ?? new Uint8Array(0);
    return { type, shape, values: numbersOf({ type, shape, bytes }) };
  });
}

/** One node with inputs in its order, named by their places; what is left out is not given. */
export function runNode(
  node: Omit<NodeUse, "in" | "out"> & { readonly inputs: readonly (Tensor | undefined)[]; readonly outputs?: number },
  opset = 22,
): readonly Numbers[] {
  const names = node.inputs.map((tensor, i) => (tensor === undefined ? "" : `x${i}`));
  const out = Array.from({ length: node.outputs ?? 1 }, (_, i) => `y${i}`);
  const given = node.inputs.flatMap((tensor, i) => (tensor === undefined ? [] : [[`x${i}`, tensor] as const]));
  return runNodes({ opset, nodes: [{ ...node, in: names, out }], inputs: Object.fromEntries(given), outputs: out });
}
