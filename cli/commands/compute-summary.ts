/** What an output looks like, for people. */
import type { TensorSummary } from "../../compute/onnx/describe-tensor.ts";
import { columns, factTable } from "../table.ts";

export function tensorText({ name, type, address, best, ...facts }: TensorSummary): string {
  const { least, most, mean, notFinite, first } = facts;
  const number = (value: number | undefined): string =>
    value === undefined ? "" : String(Number(value.toPrecision(7)));
  const about = factTable([
    ["output", `${name}: ${type}`],
    ["contents", address],
    ["least, mean, most", `${number(least)}, ${number(mean)}, ${number(most)}`],
    ...(notFinite > 0 ? [["NaN or infinite", String(notFinite)] as const] : []),
    ["first elements", first.join(", ")],
  ]);
  if (best.length === 0) return about;
  const rows = best.map(({ row, class: at, label, share }) => [
    ...[String(row), label === undefined ? String(at) : `${at} ${label}`, `${(100 * share).toFixed(2)} %`],
  ]);
  return `${about}\n\n${columns(["row", "class", "share"], rows)}`;
}
