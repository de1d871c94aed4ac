import { hashTypedData } from "viem/utils";
import type { Hex } from "../../base/bytes.ts";
import { invalidParams } from "../rpc-error.ts";
import type { JobContext } from "./job-context.ts";

export interface TypedDataRequest {
  /** As JSON. */
  readonly typedData: string;
}

/**
 * The hash of typed data (EIP-712). A job, because types of a few lines that name each other twice take for ever to hash:
 * so that is stopped in time, and nobody else waits for it. Throws -32602 for what is no typed data.
 */
export function typedDataJob(_context: JobContext, { typedData }: TypedDataRequest): Hex {
  try {
    return hashTypedData(JSON.parse(typedData) as Parameters<typeof hashTypedData>[0]);
  } catch (error) {
    throw invalidParams(`parameter 2 (typedData) is no typed data (EIP-712): ${reasonOf(error)}`);
  }
}

/** The first line: libraries write essays. */
function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n", 1)[0]?.slice(0, 200) ?? "";
}
