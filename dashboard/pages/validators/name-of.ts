import { shortHex } from "../../format/hex.ts";
import type { Validator } from "./read-validators.ts";

export function nameOf({ metadata, operator, index }: Validator): string {
  if (metadata !== "") return metadata.slice(0, 40);
  return index === undefined ? shortHex(operator) : `Validator ${index}`;
}
