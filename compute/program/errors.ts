/** What can be wrong with a program. The data of each error names the launch, buffer or kernel. */
import { CodedError } from "../../base/errors.ts";

export type ProgramErrorCode =
  /** Bytes that are no program in its only form. */
  | "PROGRAM_ENCODING"
  /** More of something than the limits allow. */
  | "PROGRAM_LIMIT"
  /** A number that names no kernel, buffer or loop. */
  | "PROGRAM_REFERENCE"
  /** Tiles that do not give every byte of a buffer exactly one owner. */
  | "PROGRAM_TILES"
  /** Arguments that do not fit the kernel's parameters. */
  | "PROGRAM_ARGUMENTS"
  /** A kernel that is not fit to run. */
  | "PROGRAM_KERNEL"
  /** Inputs that do not fit the program's buffers. */
  | "PROGRAM_INPUT";

export function programError(
  code: ProgramErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): CodedError<ProgramErrorCode> {
  return new CodedError<ProgramErrorCode>(code, message, data);
}

export function reject(code: ProgramErrorCode, message: string, data: Readonly<Record<string, unknown>> = {}): never {
  throw programError(code, message, data);
}
