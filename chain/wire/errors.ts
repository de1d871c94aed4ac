/** The one error of bytes from a peer, or from our own log, that are not what they should be. */
import { CodedError } from "../../base/errors.ts";

export type WireErrorCode = "WIRE_INVALID";

export function wireInvalid(message: string, data: Readonly<Record<string, unknown>> = {}): CodedError<WireErrorCode> {
  return new CodedError("WIRE_INVALID", message, data);
}
