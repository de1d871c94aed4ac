/** An ONNX model with files as its inputs and outputs. */
import { readFile, writeFile } from "node:fs/promises";
import { bytesToHex } from "../../base/bytes.ts";
import { CodedError, isCoded } from "../../base/errors.ts";
import { chooseDevice } from "../../compute/device/choose-device.ts";
import type { Device } from "../../compute/device/device.ts";
import { decodeModel } from "../../compute/onnx/decode-model.ts";
import { describeTensor, describeWanted } from "../../compute/onnx/describe-tensor.ts";
import type { ImageOptions } from "../../compute/onnx/files/image-tensor.ts";
import { importFor } from "../../compute/onnx/import-for.ts";
import type { ImportedModel } from "../../compute/onnx/import-model.ts";
import type { Model } from "../../compute/onnx/model.ts";
import type { Tensor } from "../../compute/onnx/tensor.ts";
import { encodeProgram } from "../../compute/program/codec.ts";
import { contentAddress } from "../../compute/program/merkle.ts";
import { checkProgram } from "../../compute/ptx/check-program.ts";
import type { CommandContext, ExitCode } from "../command.ts";
import { usageError } from "../failure.ts";
import { factTable } from "../table.ts";
import { runWithBar } from "./compute-progress.ts";
import { tensorText } from "./compute-summary.ts";
import { assignFiles, type ImageWords, imageOptions, readTensor, tensorWriter } from "./compute-tensors.ts";

const HINT = "See: ogpu compute run --help";

/** What is said of a model and its files, wherever it runs. */
export interface ModelFiles extends ImageWords {
  readonly input: readonly string[];
  readonly out: readonly string[];
  readonly size: readonly string[];
  readonly labels: string | undefined;
}

export interface ModelOptions extends ModelFiles {
  readonly device: string;
  readonly cudaLibrary: string | undefined;
  readonly commit: boolean;
}

/** A model with its inputs, as a program. */
export interface LoadedModel {
  readonly imported: ImportedModel;
  /** By the names of the program's buffers. */
  readonly inputs: ReadonlyMap<string, Uint8Array>;
  /** Writes the outputs where they were asked for, and describes them. */
  finish(outputs: ReadonlyMap<string, Uint8Array>): Promise<readonly ReturnType<typeof describeTensor>[]>;
}

export async function loadModel(file: string, options: ModelFiles): Promise<LoadedModel> {
  const images = imageOptions(options);
  const model = modelOf(file, new Uint8Array(await readFile(file)));
  const labels =
    options.labels === undefined ? undefined : (await readFile(options.labels, "utf8")).trimEnd().split("\n");
  const targets = [...assignFiles("out", options.out, model.outputs)].map(([name, target]) => ({
    ...{ name, target, encode: tensorWriter(target, images) },
  }));
  const tensors = await readInputs(model, options.input, images);
  const imported = importFor(model, tensors, sizesOf(options.size));
  const inputs = new Map(
    imported.inputs.flatMap(({ name, buffer }) => {
      const tensor = tensors.get(name);
      return buffer === undefined || tensor === undefined ? [] : [[buffer, tensor.bytes] as const];
    }),
  );
  const finish: LoadedModel["finish"] = async (contents) => {
    const outputs = outputTensors(imported, contents);
    for (const { name, target, encode } of targets) await writeFile(target, encode(outputs.get(name) as Tensor));
    return [...outputs].map(([name, tensor]) => describeTensor(name, tensor, labels));
  };
  return { imported, inputs, finish };
}

/** Decodes it; a file whose name is not a model's either is told with how to give it. */
function modelOf(file: string, bytes: Uint8Array): Model {
  try {
    return decodeModel(bytes);
  } catch (error) {
    if (!isCoded(error, "ONNX_FORMAT") || /\.onnx$/i.test(file)) throw error;
    const hint = /\.(ptx|cu)$/i.test(file)
      ? "A kernel is given as PTX: --ptx <file> --entry <name> (docs/kernels.md)."
      : "A model comes as an .onnx file, its inputs with --input, a kernel with --ptx.";
    throw new CodedError(error.code, `${file}: ${error.message}`, { hint, ...error.data });
  }
}

export async function runModel(file: string, options: ModelOptions, context: CommandContext): Promise<ExitCode> {
  const device = deviceOf(options.device, options.cudaLibrary);
  const { imported, inputs, finish } = await loadModel(file, options);
  const checked = checkProgram(imported.program);
  const prepared = device.prepare(checked, imported.constants);
  const { result, ...run } = await runWithBar(imported.program, context, options.commit, (how) =>
    prepared.run(inputs, how),
  );
  const facts = {
    program: bytesToHex(contentAddress(encodeProgram(imported.program))),
    ...{ device: device.name, launches: run.launches, milliseconds: run.milliseconds },
    ...(imported.bound.length > 0 ? { madeForTheValuesOf: imported.bound.join(", ") } : {}),
    ...(run.commitment === undefined ? {} : { commitment: run.commitment }),
  };
  const text = (more: Readonly<Record<string, unknown>>): string =>
    factTable(Object.entries({ ...facts, ...more }).map(([name, fact]) => [name, String(fact)]));
  if (result.kind === "trap") {
    context.report({ ...facts, outcome: "trap", ...result.trap }, text({ outcome: "trap", ...result.trap }));
    return 1;
  }
  const described = await finish(result.outputs);
  context.report(
    { ...facts, outcome: "done", outputs: described },
    [text({}), ...described.map(tensorText)].join("\n\n"),
  );
  return 0;
}

export function deviceOf(word: string, cudaLibrary: string | undefined): Device {
  const device = chooseDevice(word, cudaLibrary);
  if (device === undefined) throw usageError(`--device ${word}: expected cpu, wasm or cuda:N, as in cuda:0`, HINT);
  return device;
}

function sizesOf(words: readonly string[]): Map<string, number> {
  return new Map(
    words.map((word) => {
      const found = /^(.+)=(\d{1,9})$/.exec(word);
      if (found === null) throw usageError(`--size ${word}: expected name=number`, HINT);
      return [found[1] as string, Number(found[2])] as const;
    }),
  );
}

async function readInputs(
  model: Model,
  words: readonly string[],
  images: ImageOptions,
): Promise<ReadonlyMap<string, Tensor>> {
  const wanted = model.inputs.filter(({ name }) => !model.initializers.has(name));
  const files = assignFiles(
    "input",
    words,
    wanted.map(({ name }) => name),
  );
  const tensors = new Map<string, Tensor>();
  for (const input of wanted) {
    const file = files.get(input.name);
    if (file === undefined) {
      const list = wanted.map((each) => `${each.name}: ${describeWanted(each)}`).join("; ");
      throw usageError(`input ${input.name} has no file; the model wants ${list}`, "Give each as --input name=file.");
    }
    tensors.set(input.name, await readTensor(file, input, images));
  }
  return tensors;
}

function outputTensors(
  imported: ImportedModel,
  contents: ReadonlyMap<string, Uint8Array>,
): ReadonlyMap<string, Tensor> {
  return new Map(
    imported.outputs.map(({ name, type, shape, buffer }) => {
      const bytes = buffer === undefined ? new Uint8Array(0) : (contents.get(buffer) ?? new Uint8Array(0));
      return [name, { type, shape, bytes }] as const;
    }),
  );
}
