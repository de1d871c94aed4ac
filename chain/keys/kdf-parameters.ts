import { bytesToHex } from "../../base/bytes.ts";
import type { KeyDerivation } from "./secret-box.ts";

/** As both kinds of keystores write them. */
export function kdfParameters(kdf: KeyDerivation): object {
  const { function: _function, salt, ...numbers } = kdf;
  const prf = kdf.function === "pbkdf2" ? { prf: "hmac-sha256" } : {};
  return { ...numbers, ...prf, salt: bytesToHex(salt).slice(2) };
}
