/** The parts of keystore documents. What is understood is read strictly; fields that others add are passed over. */
import { hexToBytes } from "../../base/bytes.ts";
import { constant, INVALID, integer, mapped, object, type Problem, type Shape, text } from "../../genesis/shape.ts";
import { keystoreInvalid } from "./errors.ts";
import {
  MAX_DERIVED_BYTES,
  MAX_PBKDF2_ROUNDS,
  MAX_SALT_BYTES,
  MAX_SCRYPT_N,
  MAX_SCRYPT_PARALLEL,
  MAX_SCRYPT_R,
} from "./limits.ts";
import type { KeyDerivation } from "./secret-box.ts";

/** Hexadecimal digits without `0x`, as keystores have them; with it, too, since some programs write it. */
export function hexBytes(minimum: number, maximum: number): Shape<Uint8Array> {
  const wanted = minimum === maximum ? `${maximum} bytes` : `${minimum} to ${maximum} bytes`;
  const digits = text(/^(0x)?([0-9a-f]{2})*$/i, 2 + 2 * maximum, `${wanted} of hexadecimal`);
  return mapped(digits, (value) => {
    const bytes = hexToBytes(value.startsWith("0x") ? value : `0x${value}`);
    if (bytes.length < minimum || bytes.length > maximum) throw new Error(`expected ${wanted}, found ${bytes.length}`);
    return bytes;
  });
}

/** The shape of an object in which others may have put more. */
export function open<Value>(names: readonly string[], shape: Shape<Value>): Shape<Value> {
  return {
    ...shape,
    read: (value, path, report) => {
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      if (!isObject) return shape.read(value, path, report);
      const known = Object.entries(value).filter(([name]) => names.includes(name));
      return shape.read(Object.fromEntries(known), path, report);
    },
  };
}

/** At least both halves of the key are needed. */
const dklen = integer(32, MAX_DERIVED_BYTES);
const salt = hexBytes(1, MAX_SALT_BYTES);

export const scryptParameters: Shape<Extract<KeyDerivation, { function: "scrypt" }>> = mapped(
  object<{ dklen: number; n: number; r: number; p: number; salt: Uint8Array }>({
    dklen,
    n: mapped(integer(2, MAX_SCRYPT_N), (n) => {
      if (!Number.isInteger(Math.log2(n))) throw new Error(`expected a power of two, found ${n}`);
      return n;
    }),
    r: integer(1, MAX_SCRYPT_R),
    p: integer(1, MAX_SCRYPT_PARALLEL),
    salt,
  }),
  (read) => ({ function: "scrypt", ...read }),
);

export const pbkdf2Parameters: Shape<Extract<KeyDerivation, { function: "pbkdf2" }>> = mapped(
  object<{ dklen: number; c: number; prf: "hmac-sha256"; salt: Uint8Array }>({
    dklen,
    c: integer(1, MAX_PBKDF2_ROUNDS),
    prf: constant("hmac-sha256"),
    salt,
  }),
  ({ prf: _prf, ...read }) => ({ function: "pbkdf2", ...read }),
);

/** Any object: which shape it has depends on another field. */
export const anything: Shape<unknown> = { schema: {}, read: (value) => value };

/** Throws KEYSTORE_INVALID with everything that is wrong in `data.problems`. */
export function readDocument<Value>(shape: Shape<Value>, json: unknown): Value {
  const problems: Problem[] = [];
  const read = shape.read(json, "$", (path, message) => problems.push({ path, message }));
  if (read !== INVALID) return read;
  throw keystoreInvalid(problems.map(({ path, message }) => `${path}: ${message}`).join("; "), { problems });
}
