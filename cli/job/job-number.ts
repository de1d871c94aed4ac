import { CodedError } from "../../base/errors.ts";
import { readValue } from "../failure.ts";

/** `path` is of the command, for its help. */
export function jobNumber(text: string, path: string): bigint {
  return readValue("job", text, path, (word) => {
    if (/^[1-9]\d{0,17}$/.test(word)) return BigInt(word);
    throw new CodedError("BAD_NUMBER", "expected a number from 1 on");
  });
}
