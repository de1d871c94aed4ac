/** A folder for a case that writes to disk; gone when the case ends, also when it fails. */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system in memory, where there is one. */
const MEMORY = "/dev/shm";

export function withScratchFolder<T>(use: (path: string) => Promise<T>): Promise<T> {
  return withFolderIn(tmpdir(), use);
}

/** For what is made before anything is measured: syncing costs nothing there. */
export function withMemoryFolder<T>(use: (path: string) => Promise<T>): Promise<T> {
  return withFolderIn(existsSync(MEMORY) ? MEMORY : tmpdir(), use);
}

async function withFolderIn<T>(parent: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = await mkdtemp(join(parent, "ogpu-bench-"));
  try {
    return await use(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}
