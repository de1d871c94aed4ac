/** The folder that a node would keep its chain in: room, leave to write, and how long the disk takes to keep a promise. */
import { mkdtemp, open, rm, stat, statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { systemCodeOf } from "../../base/errors.ts";
import { type Finding, fault, look, ok } from "./finding.ts";

const GIGABYTE = 2 ** 30;
const LEAST_ROOM = GIGABYTE;
const GOOD_ROOM = 20 * GIGABYTE;
/** Milliseconds. A validator waits for the disk three times in each view, before it says anything. */
const SLOW_SYNC = 20;
const SYNCS = 16;

export function checkRoom(bytes: number): Finding {
  const found = `${(bytes / GIGABYTE).toFixed(1)} GiB free`;
  if (bytes < LEAST_ROOM) return fault("disk room", found, "Free some space, or choose another --data-dir.");
  return bytes < GOOD_ROOM
    ? look("disk room", found, "Enough to begin with; a chain grows. Watch it, or choose another --data-dir.")
    : ok("disk room", found);
}

export function checkSync(milliseconds: number): Finding {
  const found = `${milliseconds.toFixed(1)} ms to sync a small write`;
  return milliseconds > SLOW_SYNC
    ? look("disk sync", found, "A validator waits for this before each vote: use a local SSD.")
    : ok("disk sync", found);
}

/** The folder need not be there yet. */
export async function checkDisk(dataDir: string): Promise<readonly Finding[]> {
  const folder = await existing(resolve(dataDir));
  try {
    const { bavail, bsize } = await statfs(folder);
    return [checkRoom(bavail * bsize), checkSync(await syncTime(folder))];
  } catch (error) {
    const code = systemCodeOf(error) ?? String(error);
    return [
      fault(
        "data folder",
        `${dataDir} cannot be written (${code})`,
        "Check who owns it, or choose another --data-dir.",
      ),
    ];
  }
}

async function existing(path: string): Promise<string> {
  const isThere = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isThere || dirname(path) === path ? path : existing(dirname(path));
}

/** The median. */
async function syncTime(folder: string): Promise<number> {
  const own = await mkdtemp(join(folder, ".ogpu-doctor-"));
  try {
    const file = await open(join(own, "sync"), "w");
    const times: number[] = [];
    for (let i = 0; i < SYNCS; i++) {
      const begun = performance.now();
      await file.write(new Uint8Array(512));
      await file.datasync();
      times.push(performance.now() - begun);
    }
    await file.close();
    return times.sort((a, b) => a - b)[SYNCS / 2] ?? 0;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
