/** Files with secrets: readable by their owner alone, whole or not there, and never in the place of another. */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, link, mkdir, open, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { systemCodeOf } from "../../base/errors.ts";
import { keyError } from "./errors.ts";

/** Throws FILE_EXISTS. */
export async function writeSecretFile(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    await writeSynced(temporary, text);
    await giveName(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(folder);
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A link, unlike a rename, fails when the name is taken. Where a disk knows no links, a copy does. */
async function giveName(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === "EPERM" || code === "ENOTSUP" || code === "ENOSYS") await copy(temporary, path);
    else throw code === "EEXIST" ? fileExists(path) : error;
  }
}

async function copy(temporary: string, path: string): Promise<void> {
  try {
    await copyFile(temporary, path, constants.COPYFILE_EXCL);
  } catch (error) {
    throw systemCodeOf(error) === "EEXIST" ? fileExists(path) : error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function fileExists(path: string): Error {
  return keyError("FILE_EXISTS", `${path} exists already`, { hint: "Choose another name." });
}
