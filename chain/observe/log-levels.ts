/** Who logs, and how much: one level for all, and others for single subsystems. */
import { CodedError } from "../../base/errors.ts";

export const SUBSYSTEMS = ["consensus", "compute", "network", "mempool", "sync", "store", "rpc", "node"] as const;
export type Subsystem = (typeof SUBSYSTEMS)[number];

/** From everything to nothing. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogLevels {
  readonly level: LogLevel;
  readonly levels: Readonly<Partial<Record<Subsystem, LogLevel>>>;
}

/** Reads `info`, or `warn,consensus=debug,network=trace`. Throws LOG_LEVELS_INVALID. */
export function parseLogLevels(text: string): LogLevels {
  let level: LogLevel = "info";
  const levels: Partial<Record<Subsystem, LogLevel>> = {};
  for (const part of text.split(",")) {
    const [first = "", second, ...others] = part.split("=").map((word) => word.trim());
    if (others.length > 0) throw invalid(part);
    if (second === undefined) level = levelOf(first, part);
    else levels[subsystemOf(first, part)] = levelOf(second, part);
  }
  return { level, levels };
}

function levelOf(name: string, part: string): LogLevel {
  return LOG_LEVELS.find((level) => level === name) ?? fail(part);
}

function subsystemOf(name: string, part: string): Subsystem {
  return SUBSYSTEMS.find((subsystem) => subsystem === name) ?? fail(part);
}

function fail(part: string): never {
  throw invalid(part);
}

function invalid(part: string): CodedError<"LOG_LEVELS_INVALID"> {
  return new CodedError("LOG_LEVELS_INVALID", `${JSON.stringify(part)} says no level`, {
    hint: `Give a level (${LOG_LEVELS.join(", ")}), and others for parts if you like: info,consensus=debug. Parts are ${SUBSYSTEMS.join(", ")}.`,
  });
}
