import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PNG } from "pngjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../cli/commands.ts";
import { readConfig } from "../../cli/config.ts";
import { runCommandLine } from "../../cli/run.ts";
import { decodeNpy, encodeNpy } from "../../compute/onnx/files/npy.ts";
import { numbersOf, tensorOf } from "../../compute/onnx/tensor.ts";
import { makeModel } from "../compute/onnx/support/make-model.ts";
import { residualNetwork } from "../compute/onnx/support/sample-models.ts";
import { buildStandIn } from "../native/stand-in.ts";

let folder = "";
const at = (name: string): string => join(folder, name);

async function run(...words: readonly string[]): Promise<{ code: number; out: string; err: string; bars: string[] }> {
  const [out, err, bars]: string[][] = [[], [], []];
  const terminal = {
    out: (text: string) => out?.push(text),
    err: (text: string) => err?.push(text),
    bar: (text: string) => bars?.push(text),
    signal: new AbortController().signal,
  };
  const code = await runCommandLine(["compute", "run", ...words], COMMANDS, readConfig({}), terminal);
  return { code, out: (out ?? []).join("\n"), err: (err ?? []).join("\n"), bars: bars ?? [] };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "compute-run-"));
  const sum = {
    nodes: [{ op: "Add", in: ["x", "y"], out: ["z"] }],
    inputs: { x: ["rows", 2], y: ["rows", 2] },
    ...{ outputs: ["z"], weights: {} },
  };
  await writeFile(at("sum.onnx"), makeModel(sum));
  await writeFile(at("classes.onnx"), makeModel(residualNetwork(1, 12, 4)));
  await writeFile(at("x.npy"), encodeNpy(tensorOf("f32", [3, 2], [1, 2, 3, 4, 5, 6])));
  await writeFile(at("y.json"), "[[10, 20], [30, 40], [50, 60]]");
  const image = new PNG({ width: 12, height: 12 });
  image.data.forEach((_, i) => void image.data.writeUInt8((i * 37) % 256, i));
  await writeFile(at("image.png"), PNG.sync.write(image));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe("ogpu compute run model.onnx", () => {
  it("takes npy and JSON, works out free sizes, and writes npy and JSON", async () => {
    const inputs = ["--input", `x=${at("x.npy")}`, "--input", `y=${at("y.json")}`];
    const { code, out } = await run(at("sum.onnx"), ...inputs, "--out", at("z.npy"), "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ outcome: "done", outputs: [{ name: "z", type: "f32[3, 2]", most: 66 }] });
    const z = decodeNpy(new Uint8Array(await readFile(at("z.npy"))));
    expect([z.shape, numbersOf(z)]).toEqual([
      [3, 2],
      [11, 22, 33, 44, 55, 66],
    ]);
    await run(at("sum.onnx"), ...inputs, "--out", `z=${at("z.json")}`);
    expect(JSON.parse(await readFile(at("z.json"), "utf8"))).toEqual([
      [11, 22],
      [33, 44],
      [55, 66],
    ]);
  });

  it("gives the same bits and the same commitment natively and in WebAssembly, and the five best classes", async () => {
    const words = [at("classes.onnx"), "--input", at("image.png"), "--commit"];
    const [native, wasm] = [await run(...words, "--json"), await run(...words, "--json", "--device", "wasm")];
    const [one, two] = [JSON.parse(native.out), JSON.parse(wasm.out)];
    expect(one.outputs).toEqual(two.outputs);
    expect(one.commitment).toMatch(/^0x[0-9a-f]{64}$/);
    expect([one.commitment, one.program]).toEqual([two.commitment, two.program]);
    const shares: readonly number[] = one.outputs[0].best.map(({ share }: { share: number }) => share);
    expect(shares).toHaveLength(5);
    expect([...shares].sort((a, b) => b - a)).toEqual(shares);
    await writeFile(at("labels.txt"), Array.from({ length: 10 }, (_, i) => `name-${i}`).join("\n"));
    const { out, bars } = await run(...words, "--labels", at("labels.txt"));
    expect(out).toContain(`${one.outputs[0].best[0].class} name-${one.outputs[0].best[0].class}`);
    expect(bars.at(-1)).toBe("");
  });

  it("gives the same bits through the CUDA driver's stand-in", async () => {
    const library = buildStandIn();
    const words = [at("classes.onnx"), "--input", at("image.png"), "--json"];
    const cuda = ["--device", "cuda:1", "--cuda-library", library ?? ""];
    const [cpu, gpu] = [await run(...words), await run(...words, ...(library === undefined ? [] : cuda))];
    expect(JSON.parse(gpu.out).outputs).toEqual(JSON.parse(cpu.out).outputs);
    if (library !== undefined) expect(JSON.parse(gpu.out).device).toContain("emulator");
  });

  it("says what the model wants when types, shapes or files are wrong", async () => {
    await writeFile(at("double.npy"), encodeNpy(tensorOf("f64", [3, 2], [1, 2, 3, 4, 5, 6])));
    await writeFile(at("long.npy"), encodeNpy(tensorOf("f32", [4, 2], [1, 2, 3, 4, 5, 6, 7, 8])));
    const sum = (...words: readonly string[]): ReturnType<typeof run> => run(at("sum.onnx"), ...words);
    const double = await sum("--input", `x=${at("double.npy")}`, "--input", `y=${at("y.json")}`);
    expect([double.code, double.err]).toEqual([
      1,
      expect.stringMatching(/wants f32\[rows, 2\] with rows = 3, the file has f64\[3, 2\]/),
    ]);
    const long = await sum("--input", `x=${at("long.npy")}`, "--input", `y=${at("y.json")}`);
    expect([long.code, long.err]).toEqual([1, expect.stringMatching(/with rows = 4, the file has f32\[3, 2\]/)]);
    const missing = await sum("--input", `x=${at("x.npy")}`);
    expect([missing.code, missing.err]).toEqual([2, expect.stringMatching(/x: f32\[rows, 2\]; y: f32\[rows, 2\]/)]);
    const image = await run(at("sum.onnx"), "--input", `x=${at("image.png")}`, "--input", `y=${at("y.json")}`);
    expect([image.code, image.err]).toEqual([1, expect.stringContaining("TENSOR_MISMATCH")]);
  });

  it.each([
    ["no model and no kernel", []],
    ["a device that is none", ["MODEL", "--device", "tpu"]],
    ["a file of another kind", ["MODEL", "--input", "x=a.txt", "--input", "y=b.npy"]],
    ["an output that the model has not", ["MODEL", "--out", "w=a.npy"]],
    ["a scale that is no number", ["MODEL", "--scale", "one"]],
  ])("refuses %s with exit code 2", async (_, words) => {
    expect((await run(...words.map((word) => (word === "MODEL" ? at("sum.onnx") : word)))).code).toBe(2);
  });

  it("tells a GPU that is not there, and a file that is no model, with exit code 1", async () => {
    const words = [at("sum.onnx"), "--device", "cuda:0", "--cuda-library", at("none.so")];
    expect(await run(...words)).toMatchObject({ code: 1, err: expect.stringContaining("DEVICE_ABSENT") });
    expect(await run(at("y.json"))).toMatchObject({ code: 1, err: expect.stringContaining("ONNX_FORMAT") });
  });

  it("says how a kernel is given to whoever gives it as a model", async () => {
    await writeFile(at("kernel.ptx"), ".version 7.0\n.target sm_70\n");
    const { code, err } = await run(at("kernel.ptx"));
    expect(code).toBe(1);
    expect(err).toMatch(/kernel\.ptx: the file is no ONNX model.*\n.*--ptx <file> --entry <name>/);
  });
});
