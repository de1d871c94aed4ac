/**
 * One process per folder. Node.js offers no file locks; LevelDB takes one that the system itself drops when the
 * process ends, however it ends, so an empty database stands in for the lock. A file with a process id would not do:
 * ids are used again, and two containers have the same ones.
 */
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { systemCodeOf } from "../../base/errors.ts";
import { walError } from "./errors.ts";

export interface FolderLock {
  release(): Promise<void>;
}

/** Throws WAL_LOCKED. */
export async function lockFolder(directory: string): Promise<FolderLock> {
  const location = join(directory, "lock");
  const level = await openLevel(location, directory).catch(async (error: unknown) => {
    if (systemCodeOf(error) === "WAL_LOCKED") throw error;
    // The lock was free. A crash may have left the database behind it unreadable: it holds nothing.
    await ClassicLevel.destroy(location);
    return openLevel(location, directory);
  });
  return { release: () => level.close() };
}

async function openLevel(location: string, directory: string): Promise<ClassicLevel> {
  const level = new ClassicLevel(location, { cacheSize: 0, writeBufferSize: 64 * 1024 });
  try {
    await level.open();
    return level;
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (systemCodeOf(cause) !== "LEVEL_LOCKED") throw cause;
    throw walError("WAL_LOCKED", `another process has the consensus log in ${directory} open`, {
      directory,
      hint: "Stop that process first: two that sign with one key lose its stake.",
    });
  }
}
