/** Tensors as JSON: lists in lists, whose type is the one that the model wants. NaN and infinities are strings. */
import { type ElementType, isFloating, rangeOf } from "../element-types.ts";
import { checkShape, type Shape, type Tensor, tensorOf } from "../tensor.ts";
import { readElements } from "./elements.ts";
import { reject } from "./errors.ts";

const NOT_FINITE: ReadonlyMap<unknown, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);

export function decodeJsonTensor(text: string, type: ElementType): Tensor {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return reject("TENSOR_FORMAT", `the file is no JSON: ${(error as Error).message}`);
  }
  if (type === "f16") reject("TENSOR_UNSUPPORTED", "halves are not read from JSON", "Give an npy file of type '<f2'.");
  const shape: number[] = [];
  for (let at = value; Array.isArray(at); at = at[0]) shape.push(at.length);
  checkShape(shape);
  const numbers: number[] = [];
  collect(value, shape, 0, type, numbers);
  return tensorOf(type, shape, numbers);
}

function collect(value: unknown, shape: Shape, depth: number, type: ElementType, numbers: number[]): void {
  if (depth === shape.length) {
    numbers.push(numberOf(value, type));
    return;
  }
  if (!Array.isArray(value) || value.length !== shape[depth]) {
    reject("TENSOR_FORMAT", `the lists do not all have the shape [${shape.join(", ")}] of the first ones`);
  }
  for (const element of value) collect(element, shape, depth + 1, type, numbers);
}

function numberOf(value: unknown, type: ElementType): number {
  const number = typeof value === "boolean" ? Number(value) : (NOT_FINITE.get(value) ?? value);
  if (typeof number !== "number") return reject("TENSOR_FORMAT", `${JSON.stringify(value)} is no number`);
  if (isFloating(type)) return number;
  const [least, most] =
    type === "bool"
      ? [0, 1]
      : type.endsWith("64")
        ? [-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
        : rangeOf(type);
  if (!Number.isInteger(number) || number < least || number > most) {
    return reject("TENSOR_MISMATCH", `${number} is not of type ${type}, which the model wants`);
  }
  return number;
}

export function encodeJsonTensor(tensor: Tensor): string {
  const elements = readElements(tensor).map((value): unknown => {
    if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
    if (tensor.type === "bool") return value !== 0;
    return Number.isFinite(value) ? value : String(value);
  });
  let lists: readonly unknown[] = elements;
  for (const size of tensor.shape.slice(1).reverse()) {
    lists = Array.from({ length: size === 0 ? 0 : lists.length / size }, (_, i) =>
      lists.slice(i * size, (i + 1) * size),
    );
  }
  return `${JSON.stringify(tensor.shape.length === 0 ? elements[0] : lists)}\n`;
}
