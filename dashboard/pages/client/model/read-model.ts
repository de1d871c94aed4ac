/** Questions to the worker that reads models. */
import type { ImageOptions, WantedTensor } from "../../../../compute/onnx/files/image-tensor.ts";
import type { Tensor } from "../../../../compute/onnx/tensor.ts";
import { WorkerDesk } from "../../../workers/worker-desk.ts";
import type { Answer, MadeProgram, NamedFile, Question } from "./messages.ts";
import workerUrl from "./model-worker.ts?worker&url";

const desk = new WorkerDesk<Question, Answer>(workerUrl);

export async function readModel(model: Uint8Array): Promise<Extract<Answer, { kind: "read" }>> {
  return (await desk.ask({ kind: "read", model })) as Extract<Answer, { kind: "read" }>;
}

export async function readInput(file: NamedFile, wanted: WantedTensor, images: ImageOptions): Promise<Tensor> {
  return ((await desk.ask({ kind: "tensor", file, wanted, images })) as Extract<Answer, { kind: "tensor" }>).tensor;
}

export async function makeProgram(model: NamedFile, tensors: ReadonlyMap<string, Tensor>): Promise<MadeProgram> {
  return ((await desk.ask({ kind: "make", model, tensors })) as Extract<Answer, { kind: "make" }>).made;
}
