/** How the parts of a node say what they do. Loggers of chain/observe fit; tests pass silence. */
import { isCoded } from "../../base/errors.ts";

export type Subsystem = "node" | "consensus" | "network" | "mempool" | "sync" | "store" | "rpc";

type Say = (data: Readonly<Record<string, unknown>>, message: string) => void;

export interface SubsystemLog {
  readonly debug: Say;
  readonly info: Say;
  readonly warn: Say;
  readonly error: Say;
}

export type NodeLog = (subsystem: Subsystem) => SubsystemLog;

const quiet: Say = () => undefined;

export const silentLog: NodeLog = () => ({ debug: quiet, info: quiet, warn: quiet, error: quiet });

/** Of signatures that nobody checks: that there are too many is no fault. */
export function sayDropped(say: SubsystemLog, error: unknown): void {
  const reason = String(error);
  if (isCoded(error, "VERIFICATION_OVERLOADED", "VERIFICATION_CLOSED")) {
    say.debug({ reason }, "a signature check was dropped");
  } else say.error({ reason }, "a signature check failed by a fault of ours");
}
