/** The node's log on standard error: for people on a terminal or in a file, or as JSON. */
import { type AdjustableLoggers, createLogger } from "../../chain/observe/logger.ts";
import type { NodeSettings } from "./node-settings.ts";
import { StatusLine } from "./status-line.ts";

export interface NodeLoggers {
  readonly loggers: AdjustableLoggers;
  /** Where progress is drawn; `undefined` where nobody watches, so that it is logged. */
  readonly status: StatusLine | undefined;
}

export function nodeLoggers({ level, levels, json }: NodeSettings["log"]): NodeLoggers {
  const output = process.stderr;
  const isWatched = output.isTTY === true && !json;
  const status = isWatched ? new StatusLine(output) : undefined;
  const loggers = createLogger({
    level,
    levels,
    destination: status ?? output,
    ...(!json && { pretty: isWatched ? "colour" : "plain" }),
  });
  return { loggers, status };
}
