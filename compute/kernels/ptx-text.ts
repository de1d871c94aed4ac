/** The committed PTX. A file of its own because a page in a browser has it from elsewhere (dashboard/portable). */
import { existsSync, readFileSync } from "node:fs";
import { assert } from "../../base/errors.ts";

/** `path` from the folder of this file, without its ending. From the sources and from `dist`, which lies one folder further down. */
export function ptxText(path: string): string {
  const places = [`./${path}.ptx`, `../../../compute/kernels/${path}.ptx`];
  const place = places.map((each) => new URL(each, import.meta.url)).find((url) => existsSync(url));
  assert(place !== undefined, `the PTX of ${path} is part of the package`);
  return readFileSync(place, "utf8");
}
