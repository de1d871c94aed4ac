/** Passwords as the bytes that keystores are locked with. */
import { utf8 } from "../../base/bytes.ts";
import { keyError } from "./errors.ts";
import { MIN_PASSWORD } from "./limits.ts";

/** EIP-2335: NFKD, then without the control codes C0, C1 and Delete. */
export function validatorPassword(password: string): Uint8Array {
  return utf8(password.normalize("NFKD").replace(/\p{Cc}/gu, ""));
}

/** Ethereum's version 3 takes them as they are. */
export function accountPassword(password: string): Uint8Array {
  return utf8(password);
}

/** Throws PASSWORD_TOO_SHORT. For new keystores only: an old one is opened with whatever it was locked with. */
export function checkNewPassword(password: string): void {
  if ([...password.normalize("NFKD").replace(/\p{Cc}/gu, "")].length >= MIN_PASSWORD) return;
  throw keyError("PASSWORD_TOO_SHORT", `a password has at least ${MIN_PASSWORD} characters`, {
    hint: "Several words that nobody would guess are better than one that is hard to type.",
  });
}
