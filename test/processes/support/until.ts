/** Waits for something by looking again and again, much longer than it should take: a busy machine is no failure. */
import { setTimeout as delay } from "node:timers/promises";

const LOOK_INTERVAL = 50;
const PATIENCE = 90_000;

/** Resolves with what `look` finds. `what` says what did not happen, with `now` for how it is instead. */
export async function until<Found>(
  what: string,
  look: () => Promise<Found | undefined> | Found | undefined,
  now: () => unknown = () => "",
): Promise<Found> {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`waited ${PATIENCE / 1000} s in vain until ${what} ${shown(await now())}`);
    await delay(LOOK_INTERVAL);
  }
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The same for a promise. */
export async function within<Found>(what: string, promise: Promise<Found>): Promise<Found> {
  const end = new AbortController();
  const late = delay(PATIENCE, undefined, { signal: end.signal }).then(
    () => {
      throw new Error(`waited ${PATIENCE / 1000} s in vain until ${what}`);
    },
    () => new Promise<never>(() => undefined),
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    end.abort();
  }
}
