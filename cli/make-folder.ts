/** Makes a folder and those above it, one after the other. */
import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { CodedError, systemCodeOf } from "../base/errors.ts";

/**
 * Not `mkdir` with `recursive`: where the system says that a folder's parent is missing although it is there, as in
 * /proc, that one tries for ever, and not even a signal ends it (seen with Node.js 20.20). Throws FOLDER_UNUSABLE.
 */
export async function makeFolder(path: string): Promise<void> {
  const missing: string[] = [];
  let folder = resolve(path);
  for (; !(await exists(folder)); folder = dirname(folder)) missing.unshift(folder);
  for (const each of missing) {
    await mkdir(each).catch((error: unknown) => {
      // Another process was faster.
      if (systemCodeOf(error) === "EEXIST") return;
      if (systemCodeOf(error) !== "ENOENT") throw error;
      throw new CodedError("FOLDER_UNUSABLE", `no folder can be made at ${each}`, {
        path: each,
        hint: "The system keeps that place for itself: choose another folder.",
      });
    });
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      if (systemCodeOf(error) === "ENOENT") return false;
      throw error;
    },
  );
}
