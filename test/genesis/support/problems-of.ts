import { CodedError } from "../../../base/errors.ts";
import { parseChainSpec } from "../../../genesis/parse-chain-spec.ts";
import type { Problem } from "../../../genesis/shape.ts";

/** What the parser says about the document; none when it accepts it. Anything but SPEC_INVALID goes through. */
export function problemsOf(document: unknown): readonly Problem[] {
  try {
    parseChainSpec(document);
    return [];
  } catch (error) {
    if (error instanceof CodedError && error.code === "SPEC_INVALID") return error.data["problems"] as Problem[];
    throw error;
  }
}

export function pathsOf(document: unknown): readonly string[] {
  return problemsOf(document).map(({ path }) => path);
}
