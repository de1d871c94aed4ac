/** A model as the program for given inputs. */
import { CodedError, isCoded } from "../../base/errors.ts";
import { describeWanted } from "./describe-tensor.ts";
import { type ImportedModel, importModel } from "./import-model.ts";
import type { Model, ModelInput } from "./model.ts";
import type { Tensor } from "./tensor.ts";

/** Free sizes follow from what is given. */
export function importFor(
  model: Model,
  tensors: ReadonlyMap<string, Tensor>,
  sizes: Map<string, number>,
): ImportedModel {
  const inputs = model.inputs.map((input) => {
    const tensor = tensors.get(input.name);
    return tensor === undefined ? input : settled(input, tensor, sizes);
  });
  try {
    return importModel({ ...model, inputs }, { sizes });
  } catch (error) {
    if (!isCoded(error, "ONNX_DYNAMIC")) throw error;
    // Where a shape depends on values, the program is made for the values that are given.
    return importModel({ ...model, inputs }, { sizes, values: tensors });
  }
}

function settled(input: ModelInput, { type, shape }: Tensor, sizes: Map<string, number>): ModelInput {
  const fits =
    shape.length === input.shape.length &&
    input.shape.every((size, d) => {
      if (size === undefined) return true;
      if (typeof size === "string" && !sizes.has(size)) sizes.set(size, shape[d] as number);
      return (typeof size === "string" ? sizes.get(size) : size) === shape[d];
    });
  if (type === input.type && fits) return { ...input, shape };
  const names = input.shape.filter((size) => typeof size === "string");
  const known = names.flatMap((name) => (sizes.has(name) ? [`${name} = ${sizes.get(name)}`] : []));
  const where = known.length === 0 ? "" : ` with ${known.join(", ")}`;
  throw new CodedError(
    "TENSOR_MISMATCH",
    `input ${input.name}: the model wants ${describeWanted(input)}${where}, the file has ${describeWanted({ type, shape })}`,
    type === input.type ? {} : { hint: `Save it as ${input.type}: numpy's x.astype converts.` },
  );
}
