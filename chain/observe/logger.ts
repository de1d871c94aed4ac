/** The node's log: one logger per subsystem, each with its own level, as lines of JSON or for people. */
import { type DestinationStream, type Logger as PinoLogger, pino, stdTimeFunctions } from "pino";
import { type LogLevel, type LogLevels, SUBSYSTEMS, type Subsystem } from "./log-levels.ts";
import { loggable } from "./loggable.ts";
import { readableLine } from "./readable-line.ts";

export interface Logger {
  trace(facts: object, message: string): void;
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
  /** Before facts are gathered that cost something. */
  isEnabled(level: Exclude<LogLevel, "silent">): boolean;
}

export type Loggers = (subsystem: Subsystem) => Logger;

/** Loggers whose levels can be changed while they are in use. */
export interface AdjustableLoggers extends Loggers {
  setLevels(levels: LogLevels): void;
}

export interface LoggerOptions extends Partial<LogLevels> {
  /** Lines for people instead of JSON, in colour or not. */
  readonly pretty?: "colour" | "plain";
  /** Takes whole lines. */
  readonly destination: { write(line: string): unknown };
}

export function createLogger({ level = "info", levels = {}, pretty, destination }: LoggerOptions): AdjustableLoggers {
  const root = pino(
    {
      level,
      base: null,
      messageKey: "message",
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    streamTo(destination, pretty),
  );
  const children = SUBSYSTEMS.map((subsystem) => ({
    subsystem,
    child: root.child({ subsystem }, { level: levels[subsystem] ?? level }),
  }));
  const loggers = new Map(children.map(({ subsystem, child }) => [subsystem, loggerOver(child)]));
  return Object.assign((subsystem: Subsystem) => loggers.get(subsystem) as Logger, {
    setLevels: (changed: LogLevels) => {
      for (const { subsystem, child } of children) child.level = changed.levels[subsystem] ?? changed.level;
    },
  });
}

/** For tests and tools. */
export function silentLogger(): Loggers {
  return createLogger({ level: "silent", destination: { write: () => undefined } });
}

function streamTo(destination: LoggerOptions["destination"], pretty: LoggerOptions["pretty"]): DestinationStream {
  if (pretty === undefined) return { write: (line) => void destination.write(line) };
  return { write: (line) => void destination.write(readableLine(line, pretty === "colour")) };
}

function loggerOver(log: PinoLogger): Logger {
  const at = (level: Exclude<LogLevel, "silent">) => (facts: object, message: string) => {
    if (log.isLevelEnabled(level)) log[level](loggable(facts), message);
  };
  return {
    trace: at("trace"),
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    isEnabled: (level) => log.isLevelEnabled(level),
  };
}
