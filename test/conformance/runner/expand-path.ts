/** Resolves one line of the vector list to files and folders that exist. */
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

export function isPresent(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** The paths under `folder` that `pattern` names; `*` is allowed in the last part only. None when none exists. */
export function expandPath(folder: string, pattern: string): readonly string[] {
  const path = join(folder, pattern);
  if (!pattern.includes("*")) return isPresent(path) ? [path] : [];
  const parent = dirname(path);
  if (!isPresent(parent)) return [];
  const [before = "", after = ""] = path.slice(parent.length + 1).split("*");
  return readdirSync(parent)
    .filter((name) => name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after))
    .sort()
    .map((name) => join(parent, name));
}
