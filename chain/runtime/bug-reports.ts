import type { LedgerOptions } from "./ledger.ts";
import type { SubsystemLog } from "./node-log.ts";
import type { NodeMeter } from "./node-meter.ts";

/** What the ledger met that only a bug of ours explains: all of it was undone, and somebody should look. */
export function bugReports(
  log: Pick<SubsystemLog, "error">,
  meter: Pick<NodeMeter, "alarm">,
): Pick<LedgerOptions, "onViolation" | "onFault"> {
  return {
    onViolation: (violation) => {
      meter.alarm();
      log.error({ ...violation }, "money does not add up; it was undone");
    },
    onFault: (fault) => {
      meter.alarm();
      log.error({ ...fault }, "a module met a bug; the call was undone");
    },
  };
}
