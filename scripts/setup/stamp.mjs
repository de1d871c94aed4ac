/** Stamps: small files that say for what a step was last done. A stamp that differs means: do it again. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

export function digest(text) {
  return createHash("sha256").update(text).digest("hex");
}

export function readOrEmpty(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

export function stampIs(path, value) {
  return readOrEmpty(path).trim() === value;
}

export function writeStamp(path, value) {
  writeFileSync(path, `${value}\n`);
}
