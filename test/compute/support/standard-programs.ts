/** Launches of standard kernels: odd shapes, edges, and sizes beyond one tile. */
import type { Prng } from "../../../base/prng.ts";
import { parameterKinds } from "../../../compute/kernels/standard-launch.ts";
import type { StandardCase } from "../../../compute/kernels/standard-program.ts";

const pick = (prng: Prng, most: number): number => 1 + prng.below(most);

function gemmCase(prng: Prng): Omit<StandardCase, "kernel"> {
  const [m, n, k, batch] = [pick(prng, 90), pick(prng, 90), pick(prng, 70), pick(prng, 2)];
  const a = prng.below(2) === 0 ? [m * k, k, 1] : [0, 1, m];
  const b = prng.below(2) === 0 ? [k * n, n, 1] : [0, 1, k];
  return { numbers: [m, n, k, ...a, ...b], batch };
}

function convCase(prng: Prng): Omit<StandardCase, "kernel"> {
  const [groups, channels, outputs] = [pick(prng, 2), pick(prng, 3), pick(prng, 9)];
  const [height, width, kernelHeight, kernelWidth] = [
    4 + prng.below(18),
    4 + prng.below(30),
    pick(prng, 3),
    pick(prng, 3),
  ];
  const [strideY, strideX, padY, padX] = [pick(prng, 2), pick(prng, 2), prng.below(3), prng.below(3)];
  const [dilationY, dilationX] = [pick(prng, 2), pick(prng, 2)];
  const out = (size: number, pad: number, kernel: number, stride: number, dilation: number): number =>
    Math.max(1, Math.floor((size + 2 * pad - dilation * (kernel - 1) - 1) / stride) + 1);
  const outHeight = out(height, padY, kernelHeight, strideY, dilationY);
  const outWidth = out(width, padX, kernelWidth, strideX, dilationX);
  const window = [kernelHeight, kernelWidth, strideY, strideX, padY, padX, dilationY, dilationX];
  return { numbers: [groups, channels, height, width, outputs, outHeight, outWidth, ...window], batch: 2 * groups };
}

function poolCase(prng: Prng): Omit<StandardCase, "kernel"> {
  const [height, width, kernelHeight, kernelWidth] = [pick(prng, 20), pick(prng, 20), pick(prng, 3), pick(prng, 3)];
  const [strideY, strideX, padY, padX, count] = [
    pick(prng, 3),
    pick(prng, 3),
    prng.below(2),
    prng.below(2),
    prng.below(2),
  ];
  const outHeight = Math.max(1, Math.floor((height + 2 * padY - kernelHeight) / strideY) + 1);
  const outWidth = Math.max(1, Math.floor((width + 2 * padX - kernelWidth) / strideX) + 1);
  const n = pick(prng, 4) * outHeight * outWidth;
  const window = [kernelHeight, kernelWidth, strideY, strideX, padY, padX, count];
  return { numbers: [n, height, width, outHeight, outWidth, ...window] };
}

function binaryCase(prng: Prng): Omit<StandardCase, "kernel"> {
  const n = pick(prng, 3000);
  const forms = [
    [1, n],
    [1, 1],
    [1, pick(prng, 40)],
    [pick(prng, 40), pick(prng, 10)],
  ] as const;
  const form = (): readonly number[] => forms[prng.below(4)] as readonly number[];
  return { numbers: [n, ...form(), ...form()] };
}

function reduceCase(prng: Prng): Omit<StandardCase, "kernel"> {
  const inner = prng.below(2) === 0 ? 1 : pick(prng, 5);
  return { numbers: [inner * pick(prng, 12), pick(prng, 150), inner] };
}

/** A launch of the kernel that is odd in some way. */
export function randomCase(kernel: string, prng: Prng): StandardCase {
  const kinds = parameterKinds(kernel) ?? "";
  if (kernel === "gemm") return { kernel, ...gemmCase(prng) };
  if (kernel === "conv") return { kernel, ...convCase(prng) };
  if (kernel.endsWith("_pool")) return { kernel, ...poolCase(prng) };
  if (kernel.startsWith("reduce_")) return { kernel, ...reduceCase(prng) };
  if (kernel === "gemm_int8") {
    const [m, n, k] = [pick(prng, 90), pick(prng, 90), pick(prng, 70)];
    const signs = [prng.below(2), prng.below(2), prng.below(256) - 128, prng.below(256) - 128];
    return { kernel, numbers: [m, n, k, ...signs], batch: pick(prng, 2) };
  }
  if (kinds === "ibw") return { kernel, numbers: [pick(prng, 3000)] };
  if (kinds === "iiiiibbw") return { kernel, ...binaryCase(prng) };
  const epsilon = kinds.includes("f") ? [1e-5] : [];
  return { kernel, numbers: [pick(prng, 20), pick(prng, 150), ...epsilon] };
}
