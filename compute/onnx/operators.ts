/** Every operator that is lowered, by its domain and name. */
import type { Lowering } from "./node-context.ts";
import { ATTENTION, PREVIEW_ATTENTION } from "./operators/attention.ts";
import { CONTROL_FLOW } from "./operators/control-flow.ts";
import { ELEMENTWISE } from "./operators/elementwise.ts";
import { FEATURES } from "./operators/features.ts";
import { FOLDING } from "./operators/folding.ts";
import { GRAMS } from "./operators/grams.ts";
import { INDEXING } from "./operators/indexing.ts";
import { LOSSES } from "./operators/losses.ts";
import { NORMALISATION } from "./operators/normalisation.ts";
import { OPTIMISERS } from "./operators/optimisers.ts";
import { PRODUCTS } from "./operators/products.ts";
import { RECURRENT } from "./operators/recurrent.ts";
import { SAMPLING } from "./operators/sampling.ts";
import { SELECTION } from "./operators/selection.ts";
import { SHAPES } from "./operators/shapes.ts";
import { SPECTRA } from "./operators/spectra.ts";
import { VARIOUS } from "./operators/various.ts";
import { WARPED } from "./operators/warped.ts";
import { WINDOWS } from "./operators/windows.ts";

/** Of the standard domain. */
export const OPERATORS: ReadonlyMap<string, Lowering> = new Map(
  Object.entries({
    ...ELEMENTWISE,
    ...SHAPES,
    ...INDEXING,
    ...FOLDING,
    ...WINDOWS,
    ...PRODUCTS,
    ...NORMALISATION,
    ...ATTENTION,
    ...LOSSES,
    ...SAMPLING,
    ...RECURRENT,
    ...VARIOUS,
    ...SELECTION,
    ...GRAMS,
    ...WARPED,
    ...SPECTRA,
    ...CONTROL_FLOW,
  }),
);

/** Of the other domains of the standard. */
export const DOMAINS: ReadonlyMap<string, ReadonlyMap<string, Lowering>> = new Map([
  ["ai.onnx.ml", new Map(Object.entries(FEATURES))],
  ["ai.onnx.preview", new Map(Object.entries(PREVIEW_ATTENTION))],
  ["ai.onnx.preview.training", new Map(Object.entries(OPTIMISERS))],
]);

export function loweringOf(domain: string, operator: string): Lowering | undefined {
  const operators = domain === "" || domain === "ai.onnx" ? OPERATORS : DOMAINS.get(domain);
  return operators?.get(operator);
}
