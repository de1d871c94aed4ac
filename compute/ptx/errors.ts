/** What can be wrong with a kernel, as errors that name the line of the PTX text. */
import { CodedError } from "../../base/errors.ts";

export type PtxErrorCode =
  /** Text that is not PTX. */
  | "PTX_SYNTAX"
  /** A name that is not declared, or declared twice. */
  | "PTX_NAME"
  /** PTX that we have not built, though it could have one answer. */
  | "PTX_UNSUPPORTED"
  /** PTX whose answer depends on the machine: it can never be verified. */
  | "PTX_REFUSED"
  /** Operands that do not fit their instruction. */
  | "PTX_TYPE"
  /** A register that may be read before it is written. */
  | "PTX_UNASSIGNED"
  /** An address that is used as a number, or whose buffer cannot be told. */
  | "PTX_POINTER"
  /** More of something than the limits allow. */
  | "PTX_LIMIT";

/** A place in the PTX text; both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export function ptxError(code: PtxErrorCode, message: string, place: Place): CodedError<PtxErrorCode> {
  const { line, column } = place;
  return new CodedError<PtxErrorCode>(code, `line ${line}, column ${column}: ${message}`, { line, column });
}

export function fail(code: PtxErrorCode, message: string, place: Place): never {
  throw ptxError(code, message, place);
}
