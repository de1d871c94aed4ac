/**
 * Ends this process when npm is gone. npm passes a signal on to the shell that it starts scripts with, and some shells
 * (Debian's dash) then end without passing it on: the node would run on with nobody to stop it.
 */

/** What an orphan may live: long enough to cost nothing, short enough that a restart finds the database free. */
const LOOK_MILLISECONDS = 250;

export function endWithParent() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    // To itself, so that programs which stop in an orderly way do so.
    process.kill(process.pid, "SIGTERM");
  }, LOOK_MILLISECONDS);
  timer.unref();
}
