/** Reads models, their inputs, and makes programs of them, on a thread of its own: a large model takes seconds. */
import { bytesToHex } from "../../../../base/bytes.ts";
import { decodeModel } from "../../../../compute/onnx/decode-model.ts";
import { reject } from "../../../../compute/onnx/files/errors.ts";
import { imageTensor } from "../../../../compute/onnx/files/image-tensor.ts";
import { decodeJsonTensor } from "../../../../compute/onnx/files/json-tensor.ts";
import { decodeNpy } from "../../../../compute/onnx/files/npy.ts";
import { importFor } from "../../../../compute/onnx/import-for.ts";
import type { ImportedModel } from "../../../../compute/onnx/import-model.ts";
import type { Model } from "../../../../compute/onnx/model.ts";
import type { Tensor } from "../../../../compute/onnx/tensor.ts";
import { encodeProgram } from "../../../../compute/program/codec.ts";
import { contentAddress } from "../../../../compute/program/merkle.ts";
import { checkProgram } from "../../../../compute/ptx/check-program.ts";
import { serveQuestions } from "../../../workers/serve-questions.ts";
import { decodePng } from "./decode-png.ts";
import type { Answer, Contents, MadeProgram, NamedFile, Question } from "./messages.ts";

function contents(name: string, bytes: Uint8Array): Contents {
  return { name, bytes, address: bytesToHex(contentAddress(bytes)) };
}

function wantedInputs({ inputs, initializers }: Model): Model["inputs"] {
  return inputs.filter(({ name }) => !initializers.has(name));
}

async function readTensor({ file, wanted, images }: Extract<Question, { kind: "tensor" }>): Promise<Tensor> {
  const { name, bytes } = file;
  const ending = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase();
  if (ending === "npy") return decodeNpy(bytes);
  if (ending === "png") return imageTensor(await decodePng(bytes), wanted, images);
  if (ending === "json") return decodeJsonTensor(new TextDecoder().decode(bytes), wanted.type);
  return reject("TENSOR_UNSUPPORTED", `${name} has none of the endings .npy, .json and .png`);
}

function make({ name, bytes }: NamedFile, tensors: ReadonlyMap<string, Tensor>): MadeProgram {
  const imported = importFor(decodeModel(bytes), tensors, new Map());
  const { program } = checkProgram(imported.program);
  return {
    program: contents(`${name}.program`, encodeProgram(program)),
    inputs: inputContents(imported, tensors),
    constants: buffersOf(imported, "constant").map((buffer) =>
      contents(buffer, imported.constants.get(buffer) ?? new Uint8Array(0)),
    ),
    outputs: program.outputs.flatMap((index) => {
      const output = imported.outputs.find(({ buffer }) => buffer === program.buffers[index]?.name);
      return output === undefined ? [] : [{ name: output.name, type: output.type, shape: output.shape }];
    }),
    bound: imported.bound,
  };
}

function buffersOf({ program }: ImportedModel, kind: string): readonly string[] {
  return program.buffers.flatMap((buffer) => (buffer.kind === kind ? [buffer.name] : []));
}

function inputContents(imported: ImportedModel, tensors: ReadonlyMap<string, Tensor>): readonly Contents[] {
  return buffersOf(imported, "input").map((buffer) => {
    const input = imported.inputs.find((each) => each.buffer === buffer);
    const tensor = input && tensors.get(input.name);
    if (tensor === undefined) return reject("TENSOR_MISMATCH", `input ${input?.name ?? buffer} has no contents`);
    return contents(buffer, tensor.bytes);
  });
}

async function answer(question: Question): Promise<Answer> {
  switch (question.kind) {
    case "read": {
      const model = decodeModel(question.model);
      return { kind: "read", inputs: wantedInputs(model), outputs: model.outputs };
    }
    case "tensor":
      return { kind: "tensor", tensor: await readTensor(question) };
    case "make":
      return { kind: "make", made: make(question.model, question.tensors) };
  }
}

serveQuestions(answer);
