/** What an output looks like, for people: its range, and the best of it where it is a distribution. */
import { bytesToHex } from "../../base/bytes.ts";
import { contentAddress } from "../program/merkle.ts";
import { type ElementType, isFloating } from "./element-types.ts";
import { readElements } from "./files/elements.ts";
import type { Tensor } from "./tensor.ts";

/** Rows of a distribution that are shown, and classes of each. */
const MOST_ROWS = 4;
const BEST = 5;
/** Elements that are shown one by one. */
const SHOWN = 8;

export interface DescribedTensor {
  readonly type: ElementType;
  readonly shape: readonly (number | string | undefined)[];
}

export interface BestClass {
  readonly row: number;
  readonly class: number;
  readonly label: string | undefined;
  readonly share: number;
}

export interface TensorSummary {
  readonly name: string;
  readonly type: string;
  readonly address: string;
  /** Of the elements that are numbers; `undefined` when there is none. */
  readonly least: number | undefined;
  readonly most: number | undefined;
  readonly mean: number | undefined;
  /** Elements that are NaN or infinite. */
  readonly notFinite: number;
  readonly first: readonly string[];
  readonly best: readonly BestClass[];
}

export function describeTensor(name: string, tensor: Tensor, labels: readonly string[] | undefined): TensorSummary {
  const elements = readElements(tensor);
  const numbers = elements.map(Number);
  const finite = numbers.filter(Number.isFinite);
  const [least, most, sum] = finite.reduce(
    ([low, high, all], value) => [Math.min(low, value), Math.max(high, value), all + value],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0],
  );
  const some = finite.length > 0;
  return {
    ...{ name, type: describeWanted(tensor), address: bytesToHex(contentAddress(tensor.bytes)) },
    ...{ least: some ? least : undefined, most: some ? most : undefined },
    ...{ mean: some ? sum / finite.length : undefined, notFinite: numbers.length - finite.length },
    first: elements.slice(0, SHOWN).map(String),
    best: bestClasses(tensor, numbers, labels),
  };
}

/** Rows that are shares of one: none is negative, and together they make 1 as far as single precision goes. */
function bestClasses(tensor: Tensor, numbers: readonly number[], labels: readonly string[] | undefined): BestClass[] {
  const classes = tensor.shape.at(-1) ?? 0;
  if (!isFloating(tensor.type) || classes < 2) return [];
  const rows = Array.from({ length: numbers.length / classes }, (_, i) =>
    numbers.slice(i * classes, (i + 1) * classes),
  );
  const isShares = (row: readonly number[]): boolean =>
    row.every((share) => share >= 0) && Math.abs(row.reduce((a, b) => a + b, 0) - 1) < 1e-3;
  if (!rows.every(isShares)) return [];
  return rows.slice(0, MOST_ROWS).flatMap((shares, row) =>
    shares
      .map((share, at) => ({ row, class: at, label: labels?.[at]?.trim(), share }))
      .sort((a, b) => b.share - a.share || a.class - b.class)
      .slice(0, BEST),
  );
}

/** `f32[1, 3, height, ?]`. */
export function describeWanted({ type, shape }: DescribedTensor): string {
  return `${type}[${shape.map((size) => size ?? "?").join(", ")}]`;
}
