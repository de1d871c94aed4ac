/** Files of tensors, by the endings of their names, and the words of `ogpu compute run` that name them. */
import { readFile, stat } from "node:fs/promises";
import { CodedError } from "../../base/errors.ts";
import { decodeImage, encodeImage } from "../../compute/onnx/files/image.ts";
import type { ImageOptions, WantedTensor } from "../../compute/onnx/files/image-tensor.ts";
import { decodeJsonTensor, encodeJsonTensor } from "../../compute/onnx/files/json-tensor.ts";
import { MAX_FILE_BYTES } from "../../compute/onnx/files/limits.ts";
import { decodeNpy, encodeNpy } from "../../compute/onnx/files/npy.ts";
import type { Tensor } from "../../compute/onnx/tensor.ts";
import { usageError } from "../failure.ts";

const HINT = "See: ogpu compute run --help";

export interface ImageWords {
  readonly layout: string | undefined;
  readonly scale: string | undefined;
  readonly mean: string;
  readonly std: string;
}

export function imageOptions({ layout, scale, mean, std }: ImageWords): ImageOptions {
  return {
    layout: layout === "nchw" || layout === "nhwc" ? layout : undefined,
    scale: scale === undefined ? undefined : numbers("scale", scale)[0],
    ...{ mean: numbers("mean", mean), std: numbers("std", std) },
  };
}

/** Numbers and fractions, with commas between them. */
function numbers(option: string, text: string): readonly number[] {
  const list = text.split(",").map((part) => {
    const [above = "", below = "1", ...more] = part.trim().split("/");
    return above === "" || below === "" || more.length > 0 ? Number.NaN : Number(above) / Number(below);
  });
  const isWrong = list.some((number) => !Number.isFinite(number) || (option !== "mean" && number === 0));
  if (isWrong || ![1, 3, 4].includes(list.length)) {
    throw usageError(`--${option} ${text}: expected numbers as in 0.5 or 1/255, one or one for each channel`, HINT);
  }
  return list;
}

function endingOf(file: string): string {
  return /\.([A-Za-z]+)$/.exec(file)?.[1]?.toLowerCase() ?? "";
}

/** Reads what `wanted` describes; says what the model wants when the file holds something else. */
export async function readTensor(file: string, wanted: WantedTensor, options: ImageOptions): Promise<Tensor> {
  const ending = endingOf(file);
  if (!["npy", "json", "png"].includes(ending)) {
    throw usageError(`--input ${file}: expected a file that ends in .npy, .json or .png`, HINT);
  }
  if ((await stat(file)).size > MAX_FILE_BYTES) {
    throw new CodedError("TENSOR_UNSUPPORTED", `${file} is larger than ${MAX_FILE_BYTES} bytes`);
  }
  const bytes = new Uint8Array(await readFile(file));
  try {
    if (ending === "npy") return decodeNpy(bytes);
    if (ending === "png") return decodeImage(bytes, wanted, options);
    return decodeJsonTensor(new TextDecoder().decode(bytes), wanted.type);
  } catch (error) {
    if (error instanceof CodedError) throw new CodedError(error.code, `${file}: ${error.message}`, error.data);
    throw error;
  }
}

/** What gives the bytes of a file for a tensor; a wrong ending is told before anything runs. */
export function tensorWriter(file: string, options: ImageOptions): (tensor: Tensor) => Uint8Array {
  const ending = endingOf(file);
  if (ending === "npy") return encodeNpy;
  if (ending === "png") return (tensor) => encodeImage(tensor, options);
  if (ending === "json") return (tensor) => new TextEncoder().encode(encodeJsonTensor(tensor));
  throw usageError(`--out ${file}: expected a file that ends in .npy, .json or .png`, HINT);
}

/** `name=file`, or a file alone where there is only one that it can be for. */
export function assignFiles(
  option: string,
  words: readonly string[],
  names: readonly string[],
): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const word of words) {
    const named = names.find((name) => word.startsWith(`${name}=`));
    const name = named ?? (names.length === 1 ? names[0] : undefined);
    const list = names.length === 0 ? "none" : names.join(", ");
    if (name === undefined || (named === undefined && /^[\w.]+=/.test(word))) {
      throw usageError(`--${option} ${word}: expected name=file; the model has ${list}`, HINT);
    }
    if (files.has(name)) throw usageError(`--${option} ${word}: ${name} has a file already`, HINT);
    files.set(name, named === undefined ? word : word.slice(named.length + 1));
  }
  return files;
}
