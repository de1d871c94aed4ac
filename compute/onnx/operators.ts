/** Every operator that is lowered, by its name in the standard domain. */
import type { Lowering } from "./node-context.ts";
import { ATTENTION } from "./operators/attention.ts";
import { CONTROL_FLOW } from "./operators/control-flow.ts";
import { ELEMENTWISE } from "./operators/elementwise.ts";
import { FOLDING } from "./operators/folding.ts";
import { GRAMS } from "./operators/grams.ts";
import { INDEXING } from "./operators/indexing.ts";
import { LOSSES } from "./operators/losses.ts";
import { NORMALISATION } from "./operators/normalisation.ts";
import { PRODUCTS } from "./operators/products.ts";
import { RECURRENT } from "./operators/recurrent.ts";
import { SAMPLING } from "./operators/sampling.ts";
import { SELECTION } from "./operators/selection.ts";
import { SHAPES } from "./operators/shapes.ts";
import { VARIOUS } from "./operators/various.ts";
import { WARPED } from "./operators/warped.ts";
import { WINDOWS } from "./operators/windows.ts";

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
    ...CONTROL_FLOW,
  }),
);
