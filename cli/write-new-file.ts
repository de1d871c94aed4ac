/** Writes files that must not exist yet. */
import { writeFile } from "node:fs/promises";
import { CodedError, systemCodeOf } from "../base/errors.ts";

/** Throws FILE_EXISTS, with what to do then as its hint. `mode` is who may read and write it, as chmod takes it. */
export async function writeNewFile(path: string, text: string, hint: string, mode?: number): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx", ...(mode !== undefined && { mode }) });
  } catch (error) {
    if (systemCodeOf(error) !== "EEXIST") throw error;
    throw new CodedError("FILE_EXISTS", `${path} exists already`, { hint });
  }
}
