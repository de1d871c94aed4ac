/** What can be wrong with a model. The data of each error names the node and the operator. */
import { CodedError } from "../../base/errors.ts";

export type OnnxErrorCode =
  /** Bytes that are no model, or a model that contradicts itself. */
  | "ONNX_FORMAT"
  /** An operator, or a use of one, that is not built. */
  | "ONNX_UNSUPPORTED"
  /** Shapes or types that do not fit together. */
  | "ONNX_SHAPE"
  /** A shape that depends on values which are not known before the program runs. */
  | "ONNX_DYNAMIC"
  /** More of something than the limits allow. */
  | "ONNX_LIMIT";

export function onnxError(
  code: OnnxErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): CodedError<OnnxErrorCode> {
  return new CodedError<OnnxErrorCode>(code, message, data);
}

export function reject(code: OnnxErrorCode, message: string, data: Readonly<Record<string, unknown>> = {}): never {
  throw onnxError(code, message, data);
}
