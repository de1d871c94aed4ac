import type { Hex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import type { MarketSource } from "../../rpc/client/market-answers.ts";

const HINT = "ogpu source list shows the sources; without --source, one of the same program is found or made.";

/** Told before anything is brought or paid: a source computes its own program, whatever the inputs were meant for. */
export function requireSourceOf(program: Hex, named: bigint, source: Pick<MarketSource, "id" | "program">): void {
  if (source.id === 0n) throw new CodedError("SOURCE_UNKNOWN", `there is no source ${named}`, { hint: HINT });
  if (source.program === program) return;
  throw new CodedError("SOURCE_OTHER_PROGRAM", `source ${named} is of program ${source.program}, not of ${program}`, {
    hint: HINT,
  });
}
