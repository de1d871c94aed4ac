/**
 * One set-up at a time per checkout: `npm test` in two terminals must not install or build over each other.
 * The lock is a file whose holder touches it every second. It is dead when its process is gone or when it
 * has not been touched for long, which also covers a reused process number.
 */
import { linkSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { commonFailure, SetupError } from "./failure.mjs";
import { at } from "./paths.mjs";

const LOCK = at(".setup-lock");
const HEARTBEAT_MS = 1_000;
const DEAD_AFTER_MS = 30_000;
const POLL_MS = 100;
const GIVE_UP_AFTER_MS = 15 * 60_000;

export async function withLock(work) {
  await acquire();
  const heartbeat = setInterval(() => {
    try {
      const now = new Date();
      utimesSync(LOCK, now, now);
    } catch {
      // Somebody removed the file by hand; the work still has to end.
    }
  }, HEARTBEAT_MS);
  const release = () => rmSync(LOCK, { force: true });
  const interrupted = () => {
    release();
    process.exit(130);
  };
  process.once("SIGINT", interrupted);
  process.once("SIGTERM", interrupted);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    process.removeListener("SIGINT", interrupted);
    process.removeListener("SIGTERM", interrupted);
    release();
  }
}

async function acquire() {
  const start = Date.now();
  for (let waited = false; !tryCreate(LOCK); ) {
    if (!waited) console.error("set-up: another one is at work in this checkout, waiting for it");
    waited = true;
    if (Date.now() - start > GIVE_UP_AFTER_MS) {
      throw new SetupError("another set-up did not end in 15 minutes.", `Stop it, delete ${LOCK} and try again.`);
    }
    if (isDead(LOCK)) takeAway();
    else await sleep(POLL_MS);
  }
}

/** A link appears with its content or not at all, so that nobody reads a lock half written. */
function tryCreate(path) {
  const own = `${path}.${process.pid}`;
  try {
    writeFileSync(own, `${process.pid} ${hostname()}`);
    linkSync(own, path);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw commonFailure(String(error)) ?? error;
  } finally {
    rmSync(own, { force: true });
  }
}

function isDead(path) {
  try {
    if (Date.now() - statSync(path).mtimeMs > DEAD_AFTER_MS) return true;
    const [pid, host] = readFileSync(path, "utf8").split(" ");
    return host === hostname() && !isRunning(Number(pid));
  } catch {
    // Released this moment: not dead, just gone; the next attempt will create it.
    return false;
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/**
 * Removes a dead lock. Two waiters may come to that at once, and the slower one must not remove the lock that
 * the faster one has just made, so removing has a lock of its own.
 */
function takeAway() {
  const removal = `${LOCK}.removal`;
  if (!tryCreate(removal)) {
    if (isDead(removal)) rmSync(removal, { force: true });
    return;
  }
  try {
    if (isDead(LOCK)) rmSync(LOCK, { force: true });
  } finally {
    rmSync(removal, { force: true });
  }
}
