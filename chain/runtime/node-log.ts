/** How the parts of a node say what they do. Loggers of chain/observe fit; tests pass silence. */

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
