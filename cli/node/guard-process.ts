/** The last line: what nobody caught is logged and ends the process. */
import type { Logger } from "../../chain/observe/logger.ts";

/**
 * At once, without stopping in an orderly way: what state the program is in is not known, and everything that was
 * acknowledged or signed is on disk. The returned function ends the guard.
 */
export function guardProcess(log: Logger): () => void {
  const end = (error: unknown): void => {
    log.error({ error }, "a bug: nobody caught this error, so the node ends");
    process.exit(1);
  };
  process.on("unhandledRejection", end);
  process.on("uncaughtException", end);
  return () => {
    process.off("unhandledRejection", end);
    process.off("uncaughtException", end);
  };
}
