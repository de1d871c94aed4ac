import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { exactFma32 } from "../../../compute/ptx/exact-fma.ts";
import type { Triple } from "../../../compute/ptx/wasm/machine.ts";
import { bytesOf, words32, words64 } from "./support/bit-patterns.ts";
import { buffer, float32, int32, kernelText, runBoth, uint64 } from "./support/both-engines.ts";

const FILES = ["elementwise", "gemm", "reduce", "integer", "physics", "varied", "calls", "math"];
/** Jump tables from 40 cases in a hundred numbers on; by default the compiler never makes one. */
const MORE_FLAGS: Readonly<Record<string, readonly string[]>> = { calls: ["-jtd", "40"] };

function run(start: number, bytes: number): { readonly kind: "run"; readonly start: number; readonly bytes: number } {
  return { kind: "run", start, bytes };
}

/** Each block owns the next `bytes` of the buffer behind the parameter. */
function runs(...parameters: readonly (readonly [number, number, number])[]): (block: Triple) => Map<number, never> {
  return ([x]) =>
    new Map(
      parameters.map(([parameter, bytes, length]) => [
        parameter,
        run(x * bytes, Math.max(0, Math.min(bytes, length - x * bytes))),
      ]),
    ) as Map<number, never>;
}

describe("kernels as nvcc compiles them give the same bits compiled and interpreted", () => {
  it("for saxpy over edges of the float format, with an odd length", () => {
    const prng = new Prng("saxpy");
    const n = 77;
    for (const a of [1.5, -0, Number.POSITIVE_INFINITY, 1e-40]) {
      runBoth({
        ...{ text: kernelText("elementwise"), entry: "saxpy", grid: [3, 1, 1], block: [32, 1, 1] },
        arguments: [int32(n), float32(a), buffer(0), buffer(1)],
        buffers: [bytesOf(words32(prng, n)), bytesOf(words32(prng, n))],
        windows: runs([3, 128, 4 * n]),
      });
    }
  });

  it("for mixed precision, division, square roots and comparisons", () => {
    const prng = new Prng("mixed");
    const n = 200;
    runBoth({
      ...{ text: kernelText("elementwise"), entry: "mixed", grid: [4, 1, 1], block: [64, 1, 1] },
      arguments: [int32(n), buffer(0), buffer(1), buffer(2), buffer(3)],
      buffers: [bytesOf(words32(prng, n)), new Uint8Array(4 * n), new Uint8Array(8 * n), new Uint8Array(n)],
      windows: runs([2, 256, 4 * n], [3, 512, 8 * n], [4, 64, n]),
    });
  });

  it("for vector loads and stores, minimum, maximum, sign and magnitude", () => {
    const prng = new Prng("vectors");
    runBoth({
      ...{ text: kernelText("elementwise"), entry: "vectors", grid: [2, 1, 1], block: [64, 1, 1] },
      arguments: [buffer(0), buffer(1), uint64(0xfedcba9876543210n)],
      buffers: [bytesOf(words32(prng, 512)), new Uint8Array(2048)],
      windows: runs([1, 1024, 2048]),
    });
  });

  it("for conversions from float to integers of every width", () => {
    const prng = new Prng("conversions");
    const n = 256;
    runBoth({
      ...{ text: kernelText("elementwise"), entry: "conversions", grid: [2, 1, 1], block: [128, 1, 1] },
      arguments: [int32(n), buffer(0), buffer(1), buffer(2), buffer(3)],
      buffers: [bytesOf(words32(prng, n)), new Uint8Array(4 * n), new Uint8Array(8 * n), new Uint8Array(2 * n)],
      windows: runs([2, 512, 4 * n], [3, 1024, 8 * n], [4, 256, 2 * n]),
    });
  });

  it("for a sum by shuffles and shared memory", () => {
    const prng = new Prng("blocksum");
    runBoth({
      ...{ text: kernelText("reduce"), entry: "blocksum", grid: [3, 1, 1], block: [96, 1, 1] },
      arguments: [buffer(0), buffer(1), int32(150)],
      buffers: [bytesOf(Float32Array.from({ length: 450 }, () => prng.below(1000) / 7)), new Uint8Array(12)],
      windows: runs([1, 4, 12]),
    });
  });

  it("for a scan in dynamic shared memory, which is the running sum", () => {
    const prng = new Prng("scan");
    const input = Uint32Array.from({ length: 100 }, () => prng.uint32());
    const { buffers } = runBoth({
      ...{ text: kernelText("reduce"), entry: "scan", grid: [2, 1, 1], block: [50, 1, 1], dynamicShared: 200 },
      arguments: [buffer(0), buffer(1)],
      buffers: [bytesOf(input), new Uint8Array(400)],
      windows: runs([1, 200, 400]),
    });
    const sums = new Uint32Array((buffers[1] as Uint8Array).buffer);
    let sum = 0;
    input.forEach((value, i) => {
      sum = ((i % 50 === 0 ? 0 : sum) + value) >>> 0;
      expect(sums[i]).toBe(sum);
    });
  });

  it("for votes, matches and shuffles of a warp", () => {
    const prng = new Prng("votes");
    runBoth({
      ...{ text: kernelText("reduce"), entry: "votes", grid: [3, 1, 1], block: [64, 1, 1] },
      arguments: [buffer(0), buffer(1)],
      buffers: [bytesOf(Uint32Array.from({ length: 192 }, () => prng.below(2000))), new Uint8Array(768)],
      windows: runs([1, 256, 768]),
    });
  });

  it("for SHA-256, which is SHA-256", () => {
    const message = new Uint8Array(12).map((_, i) => i * 17 + 1);
    const { buffers } = runBoth({
      ...{ text: kernelText("integer"), entry: "sha256", grid: [2, 1, 1], block: [4, 1, 1] },
      arguments: [buffer(0), buffer(1)],
      buffers: [message, new Uint8Array(32)],
      windows: runs([1, 16, 32]),
    });
    for (let nonce = 0; nonce < 8; nonce++) {
      const bytes = Buffer.alloc(16);
      for (let i = 0; i < 3; i++) bytes.writeUInt32BE(Buffer.from(message).readUInt32LE(4 * i), 4 * i);
      bytes.writeUInt32BE(nonce, 12);
      const first = createHash("sha256").update(bytes).digest().readUInt32BE(0);
      expect(Buffer.from(buffers[1] as Uint8Array).readUInt32LE(4 * nonce)).toBe(first);
    }
  });

  it("for 64-bit mixing with division, and for bit tricks", () => {
    const prng = new Prng("mix");
    runBoth({
      ...{ text: kernelText("integer"), entry: "mix", grid: [1, 1, 1], block: [64, 1, 1] },
      arguments: [int32(5), buffer(0), buffer(1)],
      buffers: [bytesOf(words64(prng, 64)), new Uint8Array(512)],
    });
    runBoth({
      ...{ text: kernelText("integer"), entry: "bits", grid: [2, 1, 1], block: [128, 1, 1] },
      arguments: [buffer(0), buffer(1)],
      buffers: [bytesOf(words32(prng, 512)), new Uint8Array(1024)],
      windows: runs([1, 512, 1024]),
    });
  });

  it("for a histogram by atomics, which counts", () => {
    const input = new Prng("histogram").bytes(500);
    const { buffers } = runBoth({
      ...{ text: kernelText("integer"), entry: "histogram", grid: [3, 1, 1], block: [64, 1, 1] },
      arguments: [int32(500), buffer(0), buffer(1)],
      buffers: [input, new Uint8Array(256)],
    });
    const counts = new Uint32Array((buffers[1] as Uint8Array).buffer);
    for (let bin = 0; bin < 64; bin++) expect(counts[bin]).toBe(input.filter((byte) => (byte & 63) === bin).length);
  });

  it("for n-body and for a stencil in double precision", () => {
    const prng = new Prng("physics");
    const bodies = Float32Array.from({ length: 4 * 70 }, () => prng.below(10_000) / 997 - 5);
    runBoth({
      ...{ text: kernelText("physics"), entry: "nbody", grid: [2, 1, 1], block: [64, 1, 1] },
      arguments: [int32(70), float32(0.01), buffer(0), buffer(1)],
      buffers: [bytesOf(bodies), bytesOf(bodies.map((value) => value / 3))],
      windows: runs([3, 1024, 1120]),
    });
    runBoth({
      ...{ text: kernelText("physics"), entry: "heat", grid: [2, 1, 1], block: [128, 1, 1] },
      arguments: [int32(4), buffer(0), buffer(1)],
      buffers: [bytesOf(words64(prng, 256)), new Uint8Array(2048)],
      windows: runs([2, 1024, 2048]),
    });
  });
});

describe("matrix multiplication", () => {
  it("is one chain of fused multiply-adds in the order of k, for odd shapes and all bit patterns", () => {
    const prng = new Prng("gemm");
    for (const [m, n, k] of [[17, 33, 5] as const, [16, 16, 16] as const, [1, 3, 37] as const]) {
      const a = words32(prng, m * k);
      const b = words32(prng, k * n);
      const { buffers } = runBoth({
        ...{ text: kernelText("gemm"), entry: "gemm", block: [16, 16, 1] },
        grid: [Math.ceil(n / 16), Math.ceil(m / 16), 1],
        arguments: [int32(m), int32(n), int32(k), buffer(0), buffer(1), buffer(2)],
        buffers: [bytesOf(a), bytesOf(b), new Uint8Array(4 * m * n)],
        windows: ([x, y]) =>
          new Map([
            [
              5,
              {
                ...{ kind: "rows", pitch: 4 * n, row: 16 * y, rows: Math.min(16, m - 16 * y) },
                ...{ column: 64 * x, width: Math.min(64, 4 * n - 64 * x) },
              } as const,
            ],
          ]),
      });
      const c = new Uint32Array((buffers[2] as Uint8Array).buffer);
      for (let row = 0; row < m; row++) {
        for (let column = 0; column < n; column++) {
          let sum = 0n;
          for (let i = 0; i < k; i++) {
            sum = exactFma32(BigInt(a[row * k + i] as number), BigInt(b[i * n + column] as number), sum);
          }
          expect(c[row * n + column]).toBe(Number(sum));
        }
      }
    }
  });
});

function hasNvcc(): boolean {
  try {
    execFileSync("nvcc", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe.runIf(hasNvcc())("where nvcc is installed", () => {
  it.each(FILES)("%s.ptx is what nvcc makes of its source", (name) => {
    const folder = mkdtempSync(join(tmpdir(), "ptx-"));
    try {
      const source = fileURLToPath(new URL(`./kernels/${name}.cu`, import.meta.url));
      const output = join(folder, "out.ptx");
      const flags = ["-ptx", "-arch=compute_75", "-fmad=false", ...(MORE_FLAGS[name] ?? [])];
      execFileSync("nvcc", [...flags, source, "-o", output]);
      // Comments carry the build of the compiler.
      const code = (text: string): string => text.replace(/^\/\/.*\n/gm, "");
      expect(code(readFileSync(output, "utf8"))).toBe(code(kernelText(name)));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
