/**
 * What the log asks of a disk. A simulated one can lose all that was not synced, which no test can ask of a real one.
 */
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { systemCodeOf } from "../../base/errors.ts";

export interface LogFile {
  /** All of the bytes, at the end. */
  append(bytes: Uint8Array): Promise<void>;
  /** What was appended or cut off so far is durable afterwards. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface LogDisk {
  read(name: string): Promise<Uint8Array | undefined>;
  /** Empty, also if it was there. */
  create(name: string): Promise<LogFile>;
  /** For appending behind the first `length` bytes; the rest is cut off. */
  open(name: string, length: number): Promise<LogFile>;
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Names that were made or changed are durable afterwards. */
  syncNames(): Promise<void>;
}

export async function folderDisk(directory: string): Promise<LogDisk> {
  await makeFolder(directory);
  const path = (name: string): string => join(directory, name);
  return {
    read: (name) => readIfThere(path(name)),
    create: (name) => openFile(path(name), "w", 0),
    open: (name, length) => openFile(path(name), "r+", length),
    rename: (from, to) => rename(path(from), path(to)),
    remove: (name) => rm(path(name), { force: true }),
    syncNames: () => syncFolder(directory),
  };
}

/** A folder whose name is not durable may be gone after a power cut, with a log in it that was. */
async function makeFolder(directory: string): Promise<void> {
  const first = await mkdir(directory, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const top = dirname(resolve(first));
  for (let folder = dirname(resolve(directory)); ; folder = dirname(folder)) {
    await syncFolder(folder);
    if (folder === top || folder === dirname(folder)) return;
  }
}

async function openFile(path: string, flags: "w" | "r+", length: number): Promise<LogFile> {
  const file = await open(path, flags, 0o600);
  await file.truncate(length);
  let end = length;
  return {
    append: async (bytes) => {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await file.write(bytes, done, bytes.length - done, end);
        done += bytesWritten;
        end += bytesWritten;
      }
    },
    // The length is metadata that fdatasync writes too, since the data could not be read without it.
    sync: () => file.datasync(),
    close: () => file.close(),
  };
}

async function syncFolder(directory: string): Promise<void> {
  const folder = await open(directory, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function readIfThere(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
