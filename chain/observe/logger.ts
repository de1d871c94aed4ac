/** The node's log: one logger per subsystem, each with its own level, as lines of JSON or for people. */
import { type DestinationStream, type Logger as PinoLogger, pino, stdTimeFunctions } from "pino";
import { type LogLevel, type LogLevels, SUBSYSTEMS, type Subsystem } from "./log-levels.ts";
import { type Facts, loggable } from "./loggable.ts";
import { readableLine } from "./readable-line.ts";

export interface Logger {
  trace(message: string, facts?: Facts): void;
  debug(message: string, facts?: Facts): void;
  info(message: string, facts?: Facts): void;
  warn(message: string, facts?: Facts): void;
  error(message: string, facts?: Facts): void;
  /** Before facts are gathered that cost something. */
  isEnabled(level: Exclude<LogLevel, "silent">): boolean;
}

export type Loggers = Readonly<Record<Subsystem, Logger>>;

export interface LoggerOptions extends Partial<LogLevels> {
  /** Lines for people instead of JSON, in colour or not. */
  readonly pretty?: "colour" | "plain";
  /** Takes whole lines. */
  readonly destination: { write(line: string): unknown };
}

export function createLogger({ level = "info", levels = {}, pretty, destination }: LoggerOptions): Loggers {
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
  const entries = SUBSYSTEMS.map((subsystem): [Subsystem, Logger] => {
    return [subsystem, loggerOver(root.child({ subsystem }, { level: levels[subsystem] ?? level }))];
  });
  return Object.fromEntries(entries) as Record<Subsystem, Logger>;
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
  const at = (level: Exclude<LogLevel, "silent">) => (message: string, facts?: Facts) => {
    if (log.isLevelEnabled(level)) log[level](facts === undefined ? {} : loggable(facts), message);
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
