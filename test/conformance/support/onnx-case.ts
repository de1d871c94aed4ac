/** One of ONNX's node tests, in the form of the vectors: read, lowered to a program, run, and compared. */

import { runProgram } from "../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../compute/device/wasm-engine.ts";
import { bytesOf, ELEMENT_TYPES, type ElementType } from "../../../compute/onnx/element-types.ts";
import { onnxError } from "../../../compute/onnx/errors.ts";
import { importModel } from "../../../compute/onnx/import-model.ts";
import type { Attribute, Model } from "../../../compute/onnx/model.ts";
import { countOf, type Tensor } from "../../../compute/onnx/tensor.ts";
import { checkProgram } from "../../../compute/ptx/check-program.ts";
import { base64ToBytes } from "./base64.ts";

interface VectorTensor {
  readonly n: string;
  readonly t: ElementType;
  readonly s: readonly number[];
  readonly b: string;
}

type VectorAttribute =
  | number
  | string
  | readonly number[]
  | readonly string[]
  | { readonly tensor: Omit<VectorTensor, "n"> };

export interface OnnxCase {
  readonly name: string;
  readonly opset: number;
  readonly nodes: readonly {
    readonly op: string;
    readonly domain?: string;
    readonly in: readonly string[];
    readonly out: readonly string[];
    readonly attr?: Readonly<Record<string, VectorAttribute>>;
  }[];
  readonly init?: readonly VectorTensor[];
  readonly inputs: readonly VectorTensor[];
  readonly outputs: readonly VectorTensor[];
  readonly cmp: "exact" | "rtol1e-3";
}

function tensorOf({ t, s, b }: Omit<VectorTensor, "n">): Tensor {
  if (!ELEMENT_TYPES.includes(t)) throw onnxError("ONNX_UNSUPPORTED", `elements of type ${t}`);
  return { type: t, shape: s, bytes: base64ToBytes(b) };
}

/** JSON does not tell 1 from 1.0; whoever wants a float takes an integer as well. */
function attributeOf(value: VectorAttribute): Attribute {
  if (typeof value === "string") return { kind: "string", value };
  if (typeof value === "number") return { kind: Number.isInteger(value) ? "int" : "float", value };
  if (!Array.isArray(value)) {
    return typeof value === "object" && value !== null && "tensor" in value
      ? { kind: "tensor", value: tensorOf(value.tensor) }
      : { kind: "other" };
  }
  if (value.some((item) => typeof item === "string")) return { kind: "strings", value: value as readonly string[] };
  const numbers = value as readonly number[];
  return { kind: numbers.every(Number.isInteger) ? "ints" : "floats", value: numbers };
}

export function modelOf({ opset, nodes, init = [], inputs, outputs }: OnnxCase): Model {
  return {
    opset,
    nodes: nodes.map(({ op, domain = "", in: from, out, attr = {} }) => ({
      ...{ name: "", domain, operator: op, inputs: from, outputs: out },
      attributes: new Map(Object.entries(attr).map(([name, value]) => [name, attributeOf(value)])),
    })),
    inputs: inputs.map(({ n, t, s }) => ({ name: n, type: t, shape: s })),
    outputs: outputs.map(({ n }) => n),
    initializers: new Map(init.map((tensor) => [tensor.n, tensorOf(tensor)])),
  };
}

/** Throws what is wrong; coded errors with ONNX_UNSUPPORTED or ONNX_DYNAMIC mean that we do not claim to do this. */
export function checkOnnxCase(test: OnnxCase): void {
  const values = new Map(test.inputs.map((input) => [input.n, tensorOf(input)]));
  const imported = importModel(modelOf(test), { values });
  const contents = new Map(imported.constants);
  for (const { name, buffer } of imported.inputs) {
    if (buffer !== undefined) contents.set(buffer, values.get(name)?.bytes ?? new Uint8Array(0));
  }
  const results = imported.outputs.every(({ buffer }) => buffer === undefined)
    ? new Map<string, Uint8Array>()
    : run(imported.program, contents);
  test.outputs.forEach((expected, i) => {
    const { type, shape, buffer } = imported.outputs[i] as (typeof imported.outputs)[number];
    if (type !== expected.t || shape.join() !== expected.s.join()) {
      throw new Error(`output ${expected.n} is ${type}[${shape.join()}], not ${expected.t}[${expected.s.join()}]`);
    }
    const bytes = buffer === undefined ? new Uint8Array(0) : (results.get(buffer) as Uint8Array);
    compare(
      expected.n,
      { type, shape, bytes: bytes.subarray(0, countOf(shape) * bytesOf(type)) },
      tensorOf(expected),
      test.cmp,
    );
  });
}

function run(
  program: Parameters<typeof checkProgram>[0],
  inputs: ReadonlyMap<string, Uint8Array>,
): ReadonlyMap<string, Uint8Array> {
  const checked = checkProgram(program);
  const result = runProgram(checked, new WasmEngine(checked), inputs);
  if (result.kind === "trap") {
    const { launch, reason, line } = result.trap;
    const step = program.steps[launch];
    const entry = step?.kind === "launch" ? program.kernels[step.kernel]?.entry : "";
    throw new Error(`launch ${launch} (${entry}) traps: ${reason} in line ${line}`);
  }
  return result.outputs;
}

const RELATIVE = 1e-3;
const ABSOLUTE = 1e-7;

function compare(name: string, actual: Tensor, expected: Tensor, how: OnnxCase["cmp"]): void {
  const [got, wanted] = [floatsOf(actual), floatsOf(expected)];
  if (how === "exact" || wanted === undefined || got === undefined) {
    const element = firstDifference(actual, expected);
    if (element < 0) return;
    const shown = wanted === undefined ? "" : `: ${got?.[element]}, not ${wanted[element]}`;
    throw new Error(`output ${name} differs from element ${element} on${shown}`);
  }
  wanted.forEach((value, i) => {
    const found = got[i] as number;
    if (Object.is(found, value) || found === value) return;
    if (Math.abs(found - value) <= ABSOLUTE + RELATIVE * Math.abs(value)) return;
    throw new Error(`output ${name}, element ${i}: ${found}, not ${value}`);
  });
}

/**
 * The first element that is another number, or -1. ONNX compares numbers, not bits: of functions that are written out
 * as graphs, the files give the zeros of the function, which the graph may reach from the other side.
 */
function firstDifference(actual: Tensor, expected: Tensor): number {
  const [got, wanted, size] = [floatsOf(actual), floatsOf(expected), bytesOf(expected.type)];
  if (actual.bytes.length !== expected.bytes.length) return Math.min(actual.bytes.length, expected.bytes.length) / size;
  const differs = (element: number): boolean =>
    got === undefined || wanted === undefined || !isSameNumber(got[element], wanted[element]);
  const at = expected.bytes.findIndex((byte, i) => byte !== actual.bytes[i] && differs(Math.floor(i / size)));
  return at < 0 ? -1 : Math.floor(at / size);
}

/** Zeros of either sign are one number, and so is what is none. */
function isSameNumber(a: number | undefined, b: number | undefined): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

function floatsOf({ type, bytes }: Tensor): readonly number[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const each = (size: number, read: (at: number) => number): readonly number[] =>
    Array.from({ length: bytes.length / size }, (_, i) => read(i * size));
  if (type === "f32") return each(4, (at) => view.getFloat32(at, true));
  if (type === "f64") return each(8, (at) => view.getFloat64(at, true));
  return type === "f16" ? each(2, (at) => halfOf(view.getUint16(at, true))) : undefined;
}

function halfOf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}
