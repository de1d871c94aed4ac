/** What can go wrong with keys, each with what to do about it. Codes are stable once released. */
import { CodedError } from "../../base/errors.ts";

export type KeyErrorCode =
  /** Not a keystore, or one of a kind that is not supported. */
  | "KEYSTORE_INVALID"
  | "KEYSTORE_WRONG_PASSWORD"
  /** There is no such file. */
  | "KEYSTORE_MISSING"
  /** Easily guessed by whoever gets the file. */
  | "PASSWORD_TOO_SHORT"
  /** A file of that name is there; it may be the only copy of a key. */
  | "FILE_EXISTS"
  /** The file does not hold the key of a node. */
  | "NODE_KEY_INVALID";

export function keyError(
  code: KeyErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): CodedError<KeyErrorCode> {
  return new CodedError(code, message, data);
}

export function keystoreInvalid(
  reason: string,
  data: Readonly<Record<string, unknown>> = {},
): CodedError<KeyErrorCode> {
  return keyError("KEYSTORE_INVALID", `this is no keystore that can be used: ${reason}`, {
    hint: "Use an EIP-2335 keystore for a validator, or an Ethereum keystore (version 3) for an account.",
    ...data,
  });
}

export function wrongPassword(): CodedError<KeyErrorCode> {
  return keyError("KEYSTORE_WRONG_PASSWORD", "the password does not open this keystore", {
    hint: "Try again. Mind the keyboard layout, and spaces at the end of a password file.",
  });
}
