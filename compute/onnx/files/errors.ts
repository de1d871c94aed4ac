/** What can be wrong with a file that holds a tensor, or with the tensor for the place where it is to go. */
import { CodedError } from "../../../base/errors.ts";

export type TensorFileErrorCode =
  /** The file is not what its name says. */
  | "TENSOR_FORMAT"
  /** It is, but in a form that is not read. */
  | "TENSOR_UNSUPPORTED"
  /** The model wants another type or another shape. */
  | "TENSOR_MISMATCH";

export function reject(code: TensorFileErrorCode, message: string, hint?: string): never {
  throw new CodedError<TensorFileErrorCode>(code, message, hint === undefined ? {} : { hint });
}
