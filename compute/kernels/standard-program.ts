/** A program that launches one standard kernel once. */
import { assert } from "../../base/errors.ts";
import { type ArgumentSpec, type BufferSpec, ENGINE_VERSION, type Program } from "../program/types.ts";
import { standardKernel } from "./standard-kernels.ts";
import { parameterKinds, standardLaunch } from "./standard-launch.ts";

export interface StandardCase {
  readonly kernel: string;
  /** The scalars in order. */
  readonly numbers: readonly number[];
  readonly batch?: number;
}

/** Buffers are named after their parameter: `p3`. What the kernel writes is the output. */
export function standardProgram({ kernel, numbers, batch = 1 }: StandardCase): Program {
  const kinds = parameterKinds(kernel) ?? "";
  const launch = standardLaunch(kernel, numbers, batch);
  assert(launch !== undefined, `${kernel} of ${numbers.join(", ")} is a launch`);
  const { buffers: lengths, ...shape } = launch;
  const buffers: BufferSpec[] = [];
  let next = 0;
  const bound = [...kinds].map((kind, parameter): ArgumentSpec => {
    if (kind === "i" || kind === "f") return { kind: "scalar", bytes: scalar(numbers[next++] ?? 0, kind) };
    const bytes = lengths.get(parameter) ?? 0;
    buffers.push({ name: `p${parameter}`, kind: kind === "w" ? "zero" : "input", bytes });
    return { kind: "buffer", buffer: buffers.length - 1 };
  });
  return {
    ...{ engine: ENGINE_VERSION, kernels: [standardKernel(kernel)], buffers },
    steps: [{ kind: "launch", kernel: 0, dynamicShared: 0, ...shape, arguments: bound }],
    outputs: [buffers.length - 1],
  };
}

function scalar(value: number, kind: "i" | "f"): Uint8Array {
  const bytes = new Uint8Array(4);
  const view = new DataView(bytes.buffer);
  if (kind === "i") view.setInt32(0, value, true);
  else view.setFloat32(0, value, true);
  return bytes;
}

const IMAGE = [2, 3, 9, 20, 5] as const;

/** One launch of each standard kernel, small and with odd edges: what a device must get right before it takes jobs. */
export const GOLDEN_CASES: readonly StandardCase[] = [
  { kernel: "gemm", numbers: [70, 66, 35, 0, 35, 1, 0, 1, 35], batch: 2 },
  { kernel: "conv", numbers: [...IMAGE, 5, 20, 3, 3, 2, 1, 1, 1, 1, 1], batch: 4 },
  { kernel: "gemm_int8", numbers: [66, 70, 35, 1, 0, 3, -7] },
  ...["negate", "absolute", "reciprocal", "square_root", "relu"].map((kernel) => ({ kernel, numbers: [1500] })),
  ...["exponential", "logarithm", "sigmoid"].map((kernel) => ({ kernel, numbers: [1500] })),
  ...["hyperbolic_tangent", "error_function", "gelu"].map((kernel) => ({ kernel, numbers: [1500] })),
  ...["add", "subtract", "multiply", "divide", "minimum", "maximum"].map((kernel) => ({
    ...{ kernel, numbers: [1500, 1, 1500, 30, 50] },
  })),
  ...["sum", "mean", "sum_square", "product", "max", "min"].map((name) => ({
    ...{ kernel: `reduce_${name}`, numbers: [21, 75, 3] },
  })),
  { kernel: "softmax", numbers: [11, 75] },
  { kernel: "layer_norm", numbers: [11, 75, 1e-5] },
  { kernel: "rms_norm", numbers: [11, 75, 1e-5] },
  ...["max_pool", "average_pool"].map((kernel) => ({
    ...{ kernel, numbers: [180, 9, 12, 5, 6, 3, 3, 2, 2, 1, 1, 0] },
  })),
];
